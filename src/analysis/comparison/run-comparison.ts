// Runs share no blocks: comparisons are unpaired. All judgements share one error rate (`gate.ts`).
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { UsageError } from "../../foundation/errors.js";
import { isLargerBetter } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type ComparedOperation,
  type ComparisonMetric,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { unitOf, type Vocabulary } from "../../workloads/vocabulary.js";
import { boundsOf, PLAIN_BOUNDS, type ClaimBounds } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import { deviateOf } from "../statistics/welch.js";
import { completeTrials, logSeries, zeroAs, type LogSeries } from "../steady-state/series.js";
import { areNear, pricedP } from "./findings.js";
import { chanceMaxima, deviateToClaim, familyPValue, type ChanceMaxima, type GateColumn } from "./gate.js";
import { hasOutlyingTrial } from "./outlying-trials.js";
import { obstaclesBetween, runNotes } from "./run-differences.js";
import { stallFamily, type StallFinding, type Treatments } from "./stalls.js";
import { ratiosWithin, unpairedRatio, type UnpairedRatio } from "./unpaired.js";

export interface StoredRun {
  readonly directory: string;
  readonly result: ResultDocument;
}

export interface TreatmentMetric {
  readonly treatment: string;
  readonly operation: ComparedOperation;
  readonly metric: ComparisonMetric;
  /**
   * Unit that the operation works on, such as `events`; stated by the compared run if it has the operation, else by the
   * baseline.
   */
  readonly unit: string;
}

export type RunVerdict = "finding" | "exploratory" | "indistinguishable" | "inconclusive";

export interface RunFinding extends TreatmentMetric, Omit<UnpairedRatio, "shift"> {
  readonly levels: Readonly<Record<string, string>>;
  /** Geometric means of the baseline and of the run over complete trials, in milliseconds or events per second. */
  readonly baselineMean: number;
  readonly mean: number;
  /** Number that replaces a value of 0 in the ratio; left out if no trial has a 0. */
  readonly zeroAs?: number;
  /** Interval of the ratio that holds together with the intervals of all metrics of all runs. */
  readonly familyLow: number | null;
  readonly familyHigh: number | null;
  /** Chance that any metric of any run looks as different although none truly differs. */
  readonly familyP: number | null;
  /** Chance that any metric looks this much worse although none is worse than the accepted regression. */
  readonly pWorse: number | null;
  readonly verdict: RunVerdict;
  /** True if the family's interval lies wholly beyond the accepted regression. */
  readonly isRegression: boolean;
}

export interface RunComparison {
  readonly directory: string;
  /** Differences and disturbances because of which the run is not judged unless the user asks for it. */
  readonly differences: readonly string[];
  readonly isJudged: boolean;
  readonly notes: readonly string[];
  readonly onlyInBaseline: readonly string[];
  readonly onlyHere: readonly string[];
  /** Metrics of shared treatments that only one of the two sides has: an operation that does nothing has no times. */
  readonly metricsOnlyInBaseline: readonly TreatmentMetric[];
  readonly metricsOnlyHere: readonly TreatmentMetric[];
  readonly findings: readonly RunFinding[];
  readonly stalls: readonly StallFinding[];
}

export interface ComparisonDocument {
  readonly version: 2;
  readonly baseline: string;
  /** Accepted regression as a share: 0.05 is 5 %. */
  readonly maxRegression: number;
  readonly runs: readonly RunComparison[];
  readonly regressions: number;
}

interface Match {
  readonly before: TreatmentResult;
  readonly after: TreatmentResult;
}

export function keyOf({ id, levels }: TreatmentResult): string {
  const entries = Object.entries(levels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([id, entries]);
}

const byKey = ({ result }: StoredRun): Treatments =>
  new Map(result.treatments.map((treatment) => [keyOf(treatment), treatment]));

function requireTrials({ directory, result }: StoredRun): void {
  if (result.treatments.some((treatment) => completeTrials(treatment).length > 0)) return;
  throw new UsageError(
    `${directory} holds no complete trial`,
    "Continue it with `npx train-sim run --resume`, or leave it out.",
  );
}

function matchedTreatments(baseline: StoredRun, run: StoredRun): Match[] {
  const others = byKey(run);
  const matches = baseline.result.treatments.flatMap((before) => {
    const after = others.get(keyOf(before));
    return after ? [{ before, after }] : [];
  });
  const areMeasured = ({ before, after }: Match): boolean =>
    [before, after].every((treatment) => completeTrials(treatment).length > 0);
  if (matches.some(areMeasured)) return matches;
  if (matches.length > 0)
    throw new UsageError(
      `${run.directory} has no complete trial in common with ${baseline.directory}`,
      "Each common treatment lacks a complete trial on one side. Compare other runs.",
    );
  const ids = ({ result }: StoredRun): string => result.treatments.map(({ id }) => id).join(", ");
  throw new UsageError(
    `${run.directory} has no treatment in common with ${baseline.directory}`,
    `They are ${ids(run)} and ${ids(baseline)}; compare runs of scenarios with the same factors.`,
  );
}

/** Values of a metric by block. A trial that did nothing has no rate: it is counted separately, as stalled. */
function seriesOf(
  treatment: TreatmentResult,
  operation: ComparedOperation,
  metric: ComparisonMetric,
): LogSeries {
  return logSeries(treatment, operation, metric, []);
}

interface MetricPair extends Match, TreatmentMetric {
  readonly reference: LogSeries;
  readonly values: LogSeries;
  readonly ratio: UnpairedRatio;
}

function measure(matches: readonly Match[], vocabulary: Vocabulary, level: number): MetricPair[] {
  return comparedOperations(matches.flatMap(({ before, after }) => [before, after])).flatMap((operation) =>
    COMPARISON_METRICS.flatMap((metric) =>
      matches.flatMap(({ before, after }) => {
        const reference = seriesOf(before, operation, metric);
        const values = seriesOf(after, operation, metric);
        const ratio = unpairedRatio(reference, values, level);
        if (!ratio) return [];
        const about = { treatment: before.id, operation, metric, unit: unitOf(vocabulary, operation) };
        return [{ ...about, before, after, reference, values, ratio }];
      }),
    ),
  );
}

function missing(
  pairs: readonly (readonly [has: TreatmentResult, lacks: TreatmentResult])[],
  vocabulary: Vocabulary,
): TreatmentMetric[] {
  return pairs.flatMap(([has, lacks]) =>
    comparedOperations([has]).flatMap((operation) =>
      COMPARISON_METRICS.flatMap((metric): TreatmentMetric[] => {
        const isIn = (treatment: TreatmentResult): boolean => seriesOf(treatment, operation, metric).size > 0;
        const unit = unitOf(vocabulary, operation);
        return isIn(has) && !isIn(lacks) ? [{ treatment: has.id, operation, metric, unit }] : [];
      }),
    ),
  );
}

/** Logarithm of the ratio that is worse by exactly the accepted share; negative if larger values are better. */
function regressionBound(metric: ComparisonMetric, maxRegression: number): number {
  return isLargerBetter(metric) ? Math.log(1 - maxRegression) : Math.log(1 + maxRegression);
}

/** True if the ratio is worse by more than the share `maxRegression`. */
export function isWorse(
  { metric, ratio }: Pick<RunFinding, "metric" | "ratio">,
  maxRegression: number,
): boolean {
  return isLargerBetter(metric) ? ratio < 1 - maxRegression : ratio > 1 + maxRegression;
}

/** Bounds with the smallest level of all runs: trials that were looked at before claim no more here than in their run. */
function strictestBounds(runs: readonly StoredRun[]): ClaimBounds {
  const level = Math.min(...runs.map(({ result }) => boundsOf(result).level));
  return { ...PLAIN_BOUNDS, level };
}

/** Control of the error rate of all ratios of all runs: `maxima` are the largest deviates that chance shows among them. */
interface ErrorControl {
  readonly maxima: ChanceMaxima;
  /** Level at which ratios claim: below 5 % if stalls take a part of it, or if trials were looked at before. */
  readonly level: number;
  readonly maxRegression: number;
}

type Claim = Pick<RunFinding, "familyLow" | "familyHigh" | "familyP" | "pWorse" | "isRegression">;

const NO_CLAIM: Claim = {
  familyLow: null,
  familyHigh: null,
  familyP: null,
  pWorse: null,
  isRegression: false,
};

function claimOf(
  { metric, ratio: { shift } }: MetricPair,
  { maxima, level, maxRegression }: ErrorControl,
): Claim {
  if (!shift) return NO_CLAIM;
  const [familyLow, familyHigh] = ratiosWithin(shift, deviateToClaim(maxima, level));
  const pOf = (deviate: number): number => pricedP(familyPValue(maxima, deviate), level);
  const bound = regressionBound(metric, maxRegression);
  const beyond = deviateOf(shift, bound) * (isLargerBetter(metric) ? -1 : 1);
  return {
    familyLow,
    familyHigh,
    familyP: pOf(deviateOf(shift)),
    pWorse: beyond > 0 ? pOf(beyond) : 1,
    isRegression: isLargerBetter(metric) ? familyHigh < Math.exp(bound) : familyLow > Math.exp(bound),
  };
}

const excludesOne = (low: number | null, high: number | null): boolean =>
  low !== null && high !== null && (low > 1 || high < 1);

/** Single trials of either run divided by the mean of the other run, as logarithms. */
function singleRatios({ reference, values }: MetricPair): number[] {
  const [before, after] = [[...reference.values()], [...values.values()]];
  const [centreBefore, centreAfter] = [mean(before), mean(after)];
  return [...before.map((value) => value - centreAfter), ...after.map((value) => value - centreBefore)];
}

function verdictOf(measured: MetricPair, claim: Claim, { equivalence }: ClaimBounds): RunVerdict {
  const { before, after, operation, ratio } = measured;
  if (excludesOne(claim.familyLow, claim.familyHigh)) return "finding";
  if (excludesOne(ratio.ciLow, ratio.ciHigh)) return "exploratory";
  const isSteady =
    areNear(singleRatios(measured), equivalence) && !hasOutlyingTrial([before, after], operation);
  const { ciLow, ciHigh } = ratio;
  const isSame = ciLow !== null && ciHigh !== null && ciLow >= 1 / equivalence && ciHigh <= equivalence;
  return isSame && isSteady ? "indistinguishable" : "inconclusive";
}

function findingOf(measured: MetricPair, gate: ErrorControl, bounds: ClaimBounds): RunFinding {
  const { before, after, treatment, operation, metric, unit, reference, values } = measured;
  const { trials, ratio, ciLow, ciHigh, pValue } = measured.ratio;
  const middle = (series: LogSeries): number => Math.exp(mean([...series.values()]));
  const claim = claimOf(measured, gate);
  const zero = zeroAs([before, after], operation, metric);
  return {
    treatment,
    levels: before.levels,
    operation,
    metric,
    unit,
    baselineMean: middle(reference),
    mean: middle(values),
    trials,
    ratio,
    ciLow,
    ciHigh,
    pValue,
    ...(zero !== undefined && { zeroAs: zero }),
    ...claim,
    verdict: verdictOf(measured, claim, bounds),
  };
}

interface RunJudgement {
  readonly findings: readonly RunFinding[];
  readonly stalls: readonly StallFinding[];
}

/** Judges all runs under one error rate; half of it is for stalls if any stall could be claimed. */
function judgeRuns(baseline: StoredRun, runs: readonly StoredRun[], maxRegression: number): RunJudgement[] {
  const bounds = strictestBounds([baseline, ...runs]);
  const seed = (part: string): Prng => new Prng(deriveSeed(baseline.result.scenario.seed, "gate", part));
  const measured = runs.map((run) =>
    measure(matchedTreatments(baseline, run), run.result.workload, bounds.level),
  );
  const columns = measured.flatMap((all, run) =>
    all.flatMap(({ ratio, reference, values }): GateColumn[] =>
      ratio.shift ? [{ run, before: reference, after: values }] : [],
    ),
  );
  const stalls = stallFamily([baseline, ...runs].map(byKey), seed("stalls"));
  const level = stalls.canClaim(bounds.level / 2) ? bounds.level / 2 : bounds.level;
  const gate = { maxima: chanceMaxima(columns, seed("ratios")), level, maxRegression };
  return measured.map((all, run) => ({
    findings: all.map((each) => findingOf(each, gate, bounds)),
    stalls: stalls.findings(run + 1, level).map((each) => ({
      ...each,
      familyP: each.familyP === null ? null : pricedP(each.familyP, level),
    })),
  }));
}

const NOT_JUDGED: RunJudgement = { findings: [], stalls: [] };

function described(
  baseline: StoredRun,
  run: StoredRun,
): Omit<RunComparison, "isJudged" | keyof RunJudgement> {
  const matches = matchedTreatments(baseline, run);
  const both = new Set(matches.map(({ before }) => before.id));
  const others = ({ result }: StoredRun): string[] =>
    result.treatments.flatMap(({ id }) => (both.has(id) ? [] : [id]));
  return {
    directory: run.directory,
    differences: obstaclesBetween(baseline, run),
    notes: runNotes(baseline, run),
    onlyInBaseline: others(baseline),
    onlyHere: others(run),
    metricsOnlyInBaseline: missing(
      matches.map(({ before, after }) => [before, after]),
      baseline.result.workload,
    ),
    metricsOnlyHere: missing(
      matches.map(({ before, after }) => [after, before]),
      run.result.workload,
    ),
  };
}

/**
 * Compares runs with a baseline. Throws a UsageError if a run has no complete trial, or no treatment has complete trials on
 * both sides. `maxRegression` is the accepted share; `allowsDifferences` also judges disturbed runs, and runs of other
 * settings or machines.
 */
export function compareRuns(
  baseline: StoredRun,
  others: readonly StoredRun[],
  maxRegression: number,
  allowsDifferences = false,
): ComparisonDocument {
  [baseline, ...others].forEach(requireTrials);
  const all = others.map((run) => ({ run, ...described(baseline, run) }));
  const isJudged = ({ differences }: (typeof all)[number]): boolean =>
    allowsDifferences || differences.length === 0;
  const judged = judgeRuns(
    baseline,
    all.filter(isJudged).map(({ run }) => run),
    maxRegression,
  );
  const runs = all.map(({ run: _, ...each }): RunComparison => {
    const own = all.filter(isJudged).findIndex(({ directory }) => directory === each.directory);
    return { ...each, isJudged: own >= 0, ...(judged[own] ?? NOT_JUDGED) };
  });
  const regressions = runs.flatMap(({ findings, stalls }) =>
    [...findings, ...stalls].filter(({ isRegression }) => isRegression),
  ).length;
  return { version: 2, baseline: baseline.directory, maxRegression, runs, regressions };
}
