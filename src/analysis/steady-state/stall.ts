// Seconds without an end of an operation that ends many times a second, unless chance or the load explains them. Pure.
import type { Operation } from "../../metrics/operations.js";
import type { Stall } from "../../results/result-schema.js";
import { median } from "../statistics/quantiles.js";

/** Windows among which an empty second occurs by chance less than once, if ends were a Poisson process. */
const WINDOWS_PER_FALSE_STALL = 1000;
/** Clients in step are silent for at most one round; twice that is a stall. */
const ROUNDS = 2;

/** Ends of one operation in each whole second of the window, including empty polls, since these are answers, too. */
export interface CompletionsPerSecond {
  readonly operation: Operation;
  readonly perSecond: readonly number[];
  /** Clients of a closed loop; undefined if a schedule starts their work. */
  readonly clients: number | undefined;
}

/** The operation that stood still for most seconds; undefined if none did. */
export function stallOf(operations: readonly CompletionsPerSecond[]): Stall | undefined {
  const stalls = operations.flatMap((each) => stallsOf(each) ?? []);
  return stalls.sort((a, b) => b.seconds - a.seconds)[0];
}

function stallsOf({ operation, perSecond, clients }: CompletionsPerSecond): Stall | undefined {
  const busy = perSecond.filter((ended) => ended > 0);
  if (busy.length === 0 || busy.length === perSecond.length) return undefined;
  const usual = median(busy);
  if (usual < Math.log(WINDOWS_PER_FALSE_STALL * perSecond.length)) return undefined;
  const total = busy.reduce((sum, ended) => sum + ended, 0);
  const roundSeconds = ((clients ?? 0) * perSecond.length) / total;
  const runs = silentRuns(perSecond).filter(({ seconds }) => seconds > ROUNDS * roundSeconds);
  const [longest] = [...runs].sort((a, b) => b.seconds - a.seconds);
  if (!longest) return undefined;
  return {
    operation,
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    longestSeconds: longest.seconds,
    fromSecond: longest.fromSecond,
    usualPerSecond: usual,
  };
}

function silentRuns(perSecond: readonly number[]): { fromSecond: number; seconds: number }[] {
  const runs: { fromSecond: number; seconds: number }[] = [];
  perSecond.forEach((ended, second) => {
    if (ended > 0) return;
    const last = runs.at(-1);
    if (last && last.fromSecond + last.seconds === second) last.seconds++;
    else runs.push({ fromSecond: second, seconds: 1 });
  });
  return runs;
}
