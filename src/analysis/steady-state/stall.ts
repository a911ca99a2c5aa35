// Seconds without an end of an operation that ends many times a second, unless chance or the load explains them. Pure.
import type { Operation } from "../../metrics/operations.js";
import type { Stall } from "../../results/result-schema.js";
import { median } from "../statistics/quantiles.js";

/** Number of windows in which chance makes fewer than one empty second, if completions are a Poisson process. */
const WINDOWS_PER_FALSE_STALL = 1000;
/** Minimum length of a stall in mean times of a transaction: clients in step leave gaps of up to one such time. */
const STALL_TRANSACTIONS_MIN = 2;

/** Completions of one operation in each whole second of the window. Empty polls count, since they are answers, too. */
export interface CompletionsPerSecond {
  readonly operation: Operation;
  readonly perSecond: readonly number[];
  /** Clients of a closed loop; undefined if a schedule starts their work. */
  readonly clients: number | undefined;
}

/** The stall of the operation that stood still for the most seconds; undefined if no operation stood still. */
export function stallOf(operations: readonly CompletionsPerSecond[]): Stall | undefined {
  const stalls = operations.flatMap((each) => stallOfOperation(each) ?? []);
  return stalls.sort((a, b) => b.seconds - a.seconds)[0];
}

function stallOfOperation({ operation, perSecond, clients }: CompletionsPerSecond): Stall | undefined {
  const busySecondCounts = perSecond.filter((ended) => ended > 0);
  if (busySecondCounts.length === 0 || busySecondCounts.length === perSecond.length) return undefined;
  const usualCount = median(busySecondCounts);
  if (usualCount < Math.log(WINDOWS_PER_FALSE_STALL * perSecond.length)) return undefined;
  const total = busySecondCounts.reduce((sum, ended) => sum + ended, 0);
  const transactionSeconds = ((clients ?? 0) * perSecond.length) / total;
  const runs = emptyRuns(perSecond).filter(
    ({ seconds }) => seconds > STALL_TRANSACTIONS_MIN * transactionSeconds,
  );
  const [longest] = [...runs].sort((a, b) => b.seconds - a.seconds);
  if (!longest) return undefined;
  return {
    operation,
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    longestSeconds: longest.seconds,
    fromSecond: longest.fromSecond,
    usualPerSecond: usualCount,
  };
}

function emptyRuns(perSecond: readonly number[]): { fromSecond: number; seconds: number }[] {
  const runs: { fromSecond: number; seconds: number }[] = [];
  perSecond.forEach((ended, second) => {
    if (ended > 0) return;
    const last = runs.at(-1);
    if (last && last.fromSecond + last.seconds === second) last.seconds++;
    else runs.push({ fromSecond: second, seconds: 1 });
  });
  return runs;
}
