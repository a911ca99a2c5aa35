// Compares result directories with a baseline: treatments with the same levels, metric by metric, and whether anything
// became worse. Runs share no blocks, so everything is unpaired. Which differences of machine, versions, settings or
// scenario may explain a finding is told beside it (`run-differences.ts`); what only one side has is named, not
// guessed at.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { UsageError } from "../../foundation/errors.js";
import { counted } from "../../foundation/units.js";
import { isLargerBetter } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type ComparedOperation,
  type ComparisonMetric,
  type OutlyingTrial,
  type RatioFinding,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { vocabularyOf } from "../../results/vocabulary.js";
import { unitOf, type Vocabulary } from "../../workloads/vocabulary.js";
import { BLOCKS_MIN, boundsOf, PLAIN_BOUNDS, SIGNIFICANCE, type ClaimBounds } from "../statistics/limits.js";
import { pricedP } from "./findings.js";
import { ranked, worsePValues } from "./gate.js";
import { outlyingTrials } from "./outlying-trials.js";
import { runWarnings } from "./run-differences.js";
import { completeTrials, hasZero, logSeries, metricOf } from "../steady-state/series.js";
import { median } from "../statistics/statistics.js";
import { unpairedFindingsOf } from "./unpaired.js";

/** A result document and where it was read. */
export interface StoredRun {
  readonly directory: string;
  readonly result: ResultDocument;
}

/** A metric of a treatment that both runs have. */
export interface TreatmentMetric {
  readonly treatment: string;
  readonly operation: ComparedOperation;
  readonly metric: ComparisonMetric;
  /** What the operation works on, as `events`, in the run that has it; where both have, in the one that is compared. */
  readonly unit: string;
}

/** One metric of one treatment, in the baseline and in another run. `blocks` is the fewer complete trials' number. */
export interface RunFinding extends RatioFinding, TreatmentMetric {
  readonly levels: Readonly<Record<string, string>>;
  /** Medians over complete trials, in milliseconds or events per second. */
  readonly baselineMedian: number;
  readonly median: number;
  /** Whether a trial of either side made no event, so that what stands in for none is in the ratio. */
  readonly hasZero: boolean;
  /** Chance of looking this much worse by luck, corrected for all metrics of the run; null with too few trials. */
  readonly pWorse: number | null;
  /**
   * Trials at 0 events/s, or below half of their treatment's median, where the baseline has no trial that far from its own;
   * of `eventsPerSecond` only.
   */
  readonly stalledTrials: readonly OutlyingTrial[];
  /** Worse by more than the bound, and significantly; or with stalled trials. */
  readonly isRegression: boolean;
}

/** What comparing one run with the baseline found. */
export interface RunComparison {
  readonly directory: string;
  readonly warnings: readonly string[];
  /** Ids of treatments that the other side does not have. */
  readonly onlyInBaseline: readonly string[];
  readonly onlyHere: readonly string[];
  /** Metrics of treatments that both have, measured on one side only: where nothing gets done, nothing takes time. */
  readonly metricsOnlyInBaseline: readonly TreatmentMetric[];
  readonly metricsOnlyHere: readonly TreatmentMetric[];
  readonly findings: readonly RunFinding[];
}

/** The whole answer; printed by `compare --json`. */
export interface ComparisonDocument {
  readonly version: 1;
  readonly baseline: string;
  /** As a share: 0.05 is 5 %. */
  readonly maxRegression: number;
  readonly runs: readonly RunComparison[];
  readonly regressions: number;
}

interface Match {
  readonly before: TreatmentResult;
  readonly after: TreatmentResult;
}

/** The same for treatments of two runs that match. */
export function keyOf({ id, levels }: TreatmentResult): string {
  const entries = Object.entries(levels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, entries]);
}

function requireTrials({ directory, result }: StoredRun): void {
  if (result.treatments.some((treatment) => completeTrials(treatment).length > 0)) return;
  throw new UsageError(
    `${directory} holds no complete trial`,
    "Continue it with `npx train-sim run --resume`, or leave it out.",
  );
}

function matched(baseline: StoredRun, run: StoredRun): Match[] {
  const byKey = new Map(run.result.treatments.map((treatment) => [keyOf(treatment), treatment]));
  const matches = baseline.result.treatments.flatMap((before) => {
    const after = byKey.get(keyOf(before));
    return after ? [{ before, after }] : [];
  });
  if (matches.length > 0) return matches;
  const ids = ({ result }: StoredRun): string => result.treatments.map(({ id }) => id).join(", ");
  throw new UsageError(
    `${run.directory} has no treatment in common with ${baseline.directory}`,
    `They are ${ids(run)} and ${ids(baseline)}; compare runs of scenarios with the same factors.`,
  );
}

type Measured = Omit<RunFinding, "pWorse" | "isRegression">;

/** Trials of `after` that stalled, which its median may hide; none where `before` has trials far from its median as well. */
function stalls(
  before: TreatmentResult,
  after: TreatmentResult,
  operation: ComparedOperation,
): OutlyingTrial[] {
  const outlying = (of: TreatmentResult): OutlyingTrial[] =>
    outlyingTrials([of]).filter((trial) => trial.operation === operation);
  if (outlying(before).length > 0) return [];
  return outlying(after).filter(({ eventsPerSecond, median: middle }) => eventsPerSecond <= middle);
}

/** One family of tests per metric of an operation, over the treatments, as inside one experiment. */
function findings(
  matches: readonly Match[],
  vocabulary: Vocabulary,
  seed: number,
  bounds: ClaimBounds,
): Measured[] {
  return comparedOperations(matches.flatMap(({ before, after }) => [before, after])).flatMap((operation) =>
    COMPARISON_METRICS.flatMap((metric) => {
      const middle = ({ trials }: TreatmentResult): number =>
        median(trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []));
      // Of medians that are none on both sides the ratio would be one of what stands in for none.
      const compared = matches.filter(({ before, after }) => middle(before) !== 0 || middle(after) !== 0);
      const family = compared.map(({ before, after }) => ({
        key: ["run", before.id, operation, metric].join("\n"),
        reference: logSeries(before, operation, metric, [before, after]),
        values: logSeries(after, operation, metric, [before, after]),
      }));
      return unpairedFindingsOf(family, seed, bounds).flatMap((finding, i) => {
        const { before, after } = compared[i] as Match;
        if (!finding) return [];
        const unit = unitOf(vocabulary, operation);
        const about = { treatment: before.id, levels: before.levels, operation, metric, unit };
        const stalledTrials = metric === "eventsPerSecond" ? stalls(before, after, operation) : [];
        const medians = { baselineMedian: middle(before), median: middle(after) };
        const zero = { hasZero: hasZero([before, after], operation, metric) };
        return [{ ...about, ...medians, ...zero, stalledTrials, ...finding }];
      });
    }),
  );
}

/** Metrics that the first of each two treatments has and the second has not. */
function missing(
  pairs: readonly (readonly [has: TreatmentResult, lacks: TreatmentResult])[],
  vocabulary: Vocabulary,
): TreatmentMetric[] {
  return pairs.flatMap(([has, lacks]) =>
    comparedOperations([has]).flatMap((operation) =>
      COMPARISON_METRICS.flatMap((metric): TreatmentMetric[] => {
        const isIn = ({ trials }: TreatmentResult): boolean =>
          trials.some((trial) => metricOf(trial, operation, metric) !== undefined);
        const unit = unitOf(vocabulary, operation);
        return isIn(has) && !isIn(lacks) ? [{ treatment: has.id, operation, metric, unit }] : [];
      }),
    ),
  );
}

function blocksOf(treatments: readonly TreatmentResult[]): number[] {
  return [...new Set(treatments.flatMap(({ trials }) => trials.map(({ block }) => block)))];
}

/** By how much worse each finding is, in logarithms by block, as the gate takes it. */
function gated(
  matches: readonly Match[],
  measured: readonly Measured[],
  seed: number,
  level: number,
): (number | null)[] {
  const testable = measured.filter(({ blocks }) => blocks >= BLOCKS_MIN);
  const blocksBefore = blocksOf(matches.map(({ before }) => before));
  const blocksAfter = blocksOf(matches.map(({ after }) => after));
  const metrics = testable.map(({ treatment, operation, metric }) => {
    const { before, after } = matches.find((match) => match.before.id === treatment) as Match;
    const sign = isLargerBetter(metric) ? -1 : 1;
    const values = (of: TreatmentResult, blocks: readonly number[]): number[] => {
      const series = logSeries(of, operation, metric, [before, after]);
      return blocks.map((block) => sign * (series.get(block) ?? Number.NaN));
    };
    const sides = { before: values(before, blocksBefore), after: values(after, blocksAfter) };
    return hasZero([before, after], operation, metric) ? ranked(sides) : sides;
  });
  const pValues = worsePValues(metrics, new Prng(deriveSeed(seed, "gate"))).map((p) => pricedP(p, level));
  return measured.map((each) => pValues[testable.indexOf(each)] ?? null);
}

/** By more than the share `maxRegression`. */
export function isWorse(
  { metric, ratio }: Pick<RunFinding, "metric" | "ratio">,
  maxRegression: number,
): boolean {
  return isLargerBetter(metric) ? ratio < 1 - maxRegression : ratio > 1 + maxRegression;
}

/** Of two runs: trials that were looked at on the way claim no more here than there. */
function strictest(...results: readonly ResultDocument[]): ClaimBounds {
  const level = Math.min(...results.map((result) => boundsOf(result).level));
  return { ...PLAIN_BOUNDS, level };
}

function compareRun(baseline: StoredRun, run: StoredRun, maxRegression: number): RunComparison {
  const matches = matched(baseline, run);
  const { seed } = baseline.result.scenario;
  const vocabulary = vocabularyOf(run.result);
  const bounds = strictest(baseline.result, run.result);
  const measured = findings(matches, vocabulary, seed, bounds);
  if (measured.length === 0)
    throw new UsageError(
      `${run.directory} has no metric in common with ${baseline.directory}`,
      "Of each treatment that both have, one holds no complete trial, or got nothing done; compare others.",
    );
  const pWorse = gated(matches, measured, seed, bounds.level);
  const both = new Set(matches.map(({ before }) => before.id));
  const others = ({ result }: StoredRun): string[] =>
    result.treatments.flatMap(({ id }) => (both.has(id) ? [] : [id]));
  return {
    directory: run.directory,
    warnings: runWarnings(baseline, run),
    onlyInBaseline: others(baseline),
    onlyHere: others(run),
    metricsOnlyInBaseline: missing(
      matches.map(({ before, after }) => [before, after]),
      vocabularyOf(baseline.result),
    ),
    metricsOnlyHere: missing(
      matches.map(({ before, after }) => [after, before]),
      vocabulary,
    ),
    findings: measured.map((each, i) => {
      const p = pWorse[i] ?? null;
      const isSlower = p !== null && p <= SIGNIFICANCE && isWorse(each, maxRegression);
      return { ...each, pWorse: p, isRegression: isSlower || each.stalledTrials.length > 0 };
    }),
  };
}

/**
 * Throws a UsageError where a run has no complete trial, or no treatment or no metric of the baseline's.
 * @param maxRegression how much worse is still accepted, as a share
 */
export function compareRuns(
  baseline: StoredRun,
  others: readonly StoredRun[],
  maxRegression: number,
): ComparisonDocument {
  [baseline, ...others].forEach(requireTrials);
  const runs = others.map((run) => compareRun(baseline, run, maxRegression));
  const regressions = runs.flatMap((run) => run.findings.filter(({ isRegression }) => isRegression)).length;
  return { version: 1, baseline: baseline.directory, maxRegression, runs, regressions };
}

/** What may be concluded of one run. */
export function conclusionOf(run: RunComparison, maxRegression: number): string {
  const bound = `${Number((maxRegression * 100).toFixed(3))} %`;
  const fewest = Math.min(...run.findings.map(({ blocks }) => blocks));
  const untested = run.findings.filter(({ pWorse }) => pWorse === null).length;
  const found = run.findings.filter(({ isRegression }) => isRegression).length;
  if (untested === run.findings.length && found === 0)
    return `Nothing can be concluded from ${counted(fewest, "trial")}: ${BLOCKS_MIN} of each treatment in either run are needed.`;
  const rest =
    untested > 0
      ? ` (${untested} of ${counted(run.findings.length, "metric")} ${untested === 1 ? "has" : "have"} too few trials)`
      : "";
  const stalled = run.findings.filter(({ stalledTrials }) => stalledTrials.length > 0).length;
  const ofStalls = stalled > 0 ? `, ${stalled} of them by stalled trials` : "";
  if (found > 0)
    return `${found} of ${counted(run.findings.length, "metric")} ${found === 1 ? "is" : "are"} worse by more than ${bound}${ofStalls}${rest}.`;
  return `No metric is significantly worse by more than ${bound}${rest}.`;
}
