// The parts of an operation add up to its mean response time in every trial; parts with a tenth of the difference are named.
import type { LatencyPart, TreatmentResult } from "../../results/result-schema.js";
import { operationName } from "../../metrics/names.js";
import { shortNumber } from "../../foundation/text/numbers.js";
import { mean } from "../statistics/statistics.js";
import { completeTrials } from "../steady-state/series.js";
import { areSurelyDifferent, isWorse, type Difference } from "./evidence.js";

const PART_SHARE_MIN = 0.1;
const PARTS_MAX = 3;

/** Milliseconds by part, in one trial. */
type PartTimes = ReadonlyMap<string, number>;
type Reading = (part: LatencyPart) => number | undefined;

const meanMs: Reading = (part) => part.meanMs;
const slowMs: Reading = (part) => part.slowMeanMs;

function partTimes(side: TreatmentResult, { comparison }: Difference, read: Reading): PartTimes[] {
  return completeTrials(side).flatMap(({ operations }) => {
    const parts = operations[comparison.operation]?.parts ?? [];
    const knownParts = parts.flatMap((part): [string, number][] => {
      const ms = read(part);
      return ms === undefined ? [] : [[part.name, ms]];
    });
    return knownParts.length > 0 ? [new Map(knownParts)] : [];
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

interface ChangedPart {
  readonly name: string;
  readonly ms: number;
}

/** Text on parts that no other text names, each of which is small or not sure; empty if they make up little. */
function restOf(rest: readonly ChangedPart[], totalMs: number): string {
  const ms = rest.reduce((sum, part) => sum + part.ms, 0);
  if (Math.abs(ms) < PART_SHARE_MIN * Math.abs(totalMs)) return "";
  const [largest] = rest.toSorted((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
  const isMostOfIt = largest && Math.abs(largest.ms) >= Math.abs(ms) / 2;
  return `; other parts ${signedMs(ms)}${isMostOfIt ? `, mostly ${largest.name}` : ""}`;
}

function partsText(difference: Difference, read: Reading, what: string): string | undefined {
  const { comparison, baseline, treatment, seed } = difference;
  const baselineTimes = partTimes(baseline, difference, read);
  const treatmentTimes = partTimes(treatment, difference, read);
  if (baselineTimes.length === 0 || treatmentTimes.length === 0) return undefined;
  const names = [...new Set([...baselineTimes, ...treatmentTimes].flatMap((trial) => [...trial.keys()]))];
  const parts = names.map((name) => {
    // A part that a trial does not name took no time there.
    const [a, b] = [baselineTimes, treatmentTimes].map((trials) =>
      trials.map((trial) => trial.get(name) ?? 0),
    ) as [number[], number[]];
    const key = [baseline.id, treatment.id, comparison.operation, what, name].join("\n");
    return { name, ms: mean(b) - mean(a), isSure: () => areSurelyDifferent(a, b, seed, key) };
  });
  const totalMs = parts.reduce((sum, { ms }) => sum + ms, 0);
  if (totalMs === 0 || totalMs > 0 !== isWorse(comparison)) return undefined;
  const largeParts = parts
    .filter(({ ms, isSure }) => Math.abs(ms) >= PART_SHARE_MIN * Math.abs(totalMs) && isSure())
    .sort((a, b) => Math.abs(b.ms) - Math.abs(a.ms));
  const agreeingParts = largeParts.filter(({ ms }) => ms > 0 === totalMs > 0).slice(0, PARTS_MAX);
  const opposingParts = largeParts.filter(({ ms }) => ms > 0 !== totalMs > 0).slice(0, PARTS_MAX);
  if (agreeingParts.length === 0) return undefined;
  const texts = agreeingParts.map(({ name, ms }) => `${name} ${signedMs(ms)}`);
  const others = opposingParts.map(({ name, ms }) => `${name} ${signedMs(ms)}`);
  const namedParts = [...agreeingParts, ...opposingParts];
  const restText = restOf(
    parts.filter(({ name }) => !namedParts.some((named) => named.name === name)),
    totalMs,
  );
  const againstText = others.length > 0 ? `, against ${listedNames(others)}` : "";
  const change = `${shortNumber(Math.abs(totalMs))} ms ${totalMs < 0 ? "less" : "more"}`;
  return `${what} ${change}: ${listedNames(texts)}${againstText}${restText}`;
}

/**
 * Sentence such as "a mean process transaction takes 12.3 ms more: commit +8.1 ms and process.claim +3 ms"; undefined if
 * the parts do not explain the difference.
 */
export function partsSentence(difference: Difference): string | undefined {
  const { metric } = difference.comparison;
  const operation = operationName(difference.comparison.operation);
  const overallSentence = (): string | undefined =>
    partsText(difference, meanMs, `a mean ${operation} transaction takes`);
  if (metric !== "p95" && metric !== "p99") return overallSentence();
  return (
    partsText(difference, slowMs, `the slowest ${operation} transactions of each second take`) ??
    overallSentence()
  );
}
