// The parts of an operation add up to its mean response time in every trial; parts with a tenth of the difference are named.
import type { LatencyPart, TreatmentResult } from "../../results/result-schema.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { mean } from "../statistics/statistics.js";
import { completeTrials } from "../steady-state/series.js";
import { areApart, isWorse, type Difference } from "./evidence.js";

const SHARE_MIN = 0.1;
const PARTS_MAX = 3;

/** Milliseconds by part, in one trial. */
type PartTimes = ReadonlyMap<string, number>;
type Reading = (part: LatencyPart) => number | undefined;

const meanMs: Reading = (part) => part.meanMs;
const slowMs: Reading = (part) => part.slowMeanMs;

function partTimes(side: TreatmentResult, { comparison }: Difference, read: Reading): PartTimes[] {
  return completeTrials(side).flatMap(({ operations }) => {
    const parts = operations[comparison.operation]?.parts ?? [];
    const known = parts.flatMap((part): [string, number][] => {
      const ms = read(part);
      return ms === undefined ? [] : [[part.name, ms]];
    });
    return known.length > 0 ? [new Map(known)] : [];
  });
}

/** Signed time such as `+8.1 ms`. */
function signedMs(ms: number): string {
  return `${ms < 0 ? "-" : "+"}${shortNumber(Math.abs(ms))} ms`;
}

function listedNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${last}` : last;
}

function accounting(difference: Difference, read: Reading, what: string): string | undefined {
  const { comparison, baseline, treatment, seed } = difference;
  const then = partTimes(baseline, difference, read);
  const now = partTimes(treatment, difference, read);
  if (then.length === 0 || now.length === 0) return undefined;
  const names = [...new Set([...then, ...now].flatMap((trial) => [...trial.keys()]))];
  const parts = names.map((name) => {
    // A part that a trial does not name took no time there.
    const [a, b] = [then, now].map((trials) => trials.map((trial) => trial.get(name) ?? 0)) as [
      number[],
      number[],
    ];
    const key = [baseline.id, treatment.id, comparison.operation, what, name].join("\n");
    return { name, ms: mean(b) - mean(a), isSure: () => areApart(a, b, seed, key) };
  });
  const totalMs = parts.reduce((sum, { ms }) => sum + ms, 0);
  if (totalMs === 0 || totalMs > 0 !== isWorse(comparison)) return undefined;
  const large = parts
    .filter(({ ms, isSure }) => Math.abs(ms) >= SHARE_MIN * Math.abs(totalMs) && isSure())
    .sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
  const along = large.filter(({ ms }) => ms > 0 === totalMs > 0).slice(0, PARTS_MAX);
  const against = large.filter(({ ms }) => ms > 0 !== totalMs > 0).slice(0, PARTS_MAX);
  if (along.length === 0) return undefined;
  const texts = along.map(({ name, ms }) => `${name} ${signedMs(ms)}`);
  const others = against.map(({ name, ms }) => `${name} ${signedMs(ms)}`);
  const but = others.length > 0 ? `, against ${listedNames(others)}` : "";
  const change = `${shortNumber(Math.abs(totalMs))} ms ${totalMs < 0 ? "less" : "more"}`;
  return `${what} ${change}: ${listedNames(texts)}${but}`;
}

/**
 * Sentence such as "a mean process transaction takes 12.3 ms more: commit +8.1 ms and process.claim +3 ms"; undefined if
 * the parts do not explain the difference.
 */
export function partsSentence(difference: Difference): string | undefined {
  const { operation, metric } = difference.comparison;
  const overAll = (): string | undefined =>
    accounting(difference, meanMs, `a mean ${operation} transaction takes`);
  if (metric !== "p95" && metric !== "p99") return overAll();
  return (
    accounting(difference, slowMs, `the slowest ${operation} transactions of each second take`) ?? overAll()
  );
}
