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
import {
  completeTrials,
  logarithmSeries,
  zeroReplacementIn,
  type LogarithmSeries,
} from "../steady-state/series.js";
import { areRatiosNearOne, scaledPValue } from "./findings.js";
import {
  largestChanceDeviates,
  deviateToClaim,
  familyPValue,
  type LargestChanceDeviates,
  type GateColumn,
} from "./gate.js";
import { hasOutlyingTrial } from "./outlying-trials.js";
import { obstaclesBetween, runNotes } from "./run-differences.js";
import { stallFamily, type StallFinding } from "./stalls.js";
import { treatmentsByKey } from "./treatment-keys.js";
import { ratioInterval, unpairedRatio, type UnpairedRatio } from "./unpaired.js";

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

/** Result of the audits of a run's trials, in one sentence. */
export interface AuditStatement {
  readonly isViolated: boolean;
  readonly words: string;
}

export interface RunComparison {
  readonly directory: string;
  /** Directory of the result, if `directory` names a revision. */
  readonly results?: string;
  readonly audit?: AuditStatement;
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
  /** Present if both sides are treatments of one experiment, whose blocks pair them. */
  readonly isInterleaved?: true;
  /** Limits of the comparison that do not keep it from being judged. */
  readonly caveats?: readonly string[];
  readonly runs: readonly RunComparison[];
  readonly regressions: number;
}

interface TreatmentMatch {
  readonly before: TreatmentResult;
  readonly after: TreatmentResult;
}

function requireTrials({ directory, result }: StoredRun): void {
  if (result.treatments.some((treatment) => completeTrials(treatment).length > 0)) return;
  throw new UsageError(
    `${directory} holds no complete trial`,
    "Continue it with `npx train-sim run --resume`, or leave it out.",
  );
}

function matchedTreatments(baseline: StoredRun, run: StoredRun): TreatmentMatch[] {
  const others = treatmentsByKey(run.result);
  const matches = [...treatmentsByKey(baseline.result)].flatMap(([key, before]) => {
    const after = others.get(key);
    return after ? [{ before, after }] : [];
  });
  const haveCompleteTrials = ({ before, after }: TreatmentMatch): boolean =>
    [before, after].every((treatment) => completeTrials(treatment).length > 0);
  if (matches.some(haveCompleteTrials)) return matches;
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
): LogarithmSeries {
  return logarithmSeries(treatment, operation, metric, []);
}

interface MetricPair extends TreatmentMatch, TreatmentMetric {
  readonly reference: LogarithmSeries;
  readonly values: LogarithmSeries;
  readonly ratio: UnpairedRatio;
}

function metricPairsOf(
  matches: readonly TreatmentMatch[],
  vocabulary: Vocabulary,
  level: number,
): MetricPair[] {
  return comparedOperations(matches.flatMap(({ before, after }) => [before, after])).flatMap((operation) =>
    COMPARISON_METRICS.flatMap((metric) =>
      matches.flatMap(({ before, after }) => {
        const reference = seriesOf(before, operation, metric);
        const values = seriesOf(after, operation, metric);
        const ratio = unpairedRatio(reference, values, level);
        if (!ratio) return [];
        const metricSubject = {
          treatment: before.id,
          operation,
          metric,
          unit: unitOf(vocabulary, operation),
        };
        return [{ ...metricSubject, before, after, reference, values, ratio }];
      }),
    ),
  );
}

/** Metrics that the first treatment of a pair has and the second lacks. */
export function missingMetrics(
  pairs: readonly (readonly [has: TreatmentResult, lacks: TreatmentResult])[],
  vocabulary: Vocabulary,
): TreatmentMetric[] {
  return pairs.flatMap(([has, lacks]) =>
    comparedOperations([has]).flatMap((operation) =>
      COMPARISON_METRICS.flatMap((metric): TreatmentMetric[] => {
        const hasMetric = (treatment: TreatmentResult): boolean =>
          seriesOf(treatment, operation, metric).size > 0;
        const unit = unitOf(vocabulary, operation);
        return hasMetric(has) && !hasMetric(lacks) ? [{ treatment: has.id, operation, metric, unit }] : [];
      }),
    ),
  );
}

/** Logarithm of the ratio that is worse by exactly the accepted share; negative if larger values are better. */
export function regressionBound(metric: ComparisonMetric, maxRegression: number): number {
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
  readonly maxima: LargestChanceDeviates;
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
  const [familyLow, familyHigh] = ratioInterval(shift, deviateToClaim(maxima, level));
  const familyPValueOf = (deviate: number): number => scaledPValue(familyPValue(maxima, deviate), level);
  const bound = regressionBound(metric, maxRegression);
  const regressionDeviate = deviateOf(shift, bound) * (isLargerBetter(metric) ? -1 : 1);
  return {
    familyLow,
    familyHigh,
    familyP: familyPValueOf(deviateOf(shift)),
    pWorse: regressionDeviate > 0 ? familyPValueOf(regressionDeviate) : 1,
    isRegression: isLargerBetter(metric) ? familyHigh < Math.exp(bound) : familyLow > Math.exp(bound),
  };
}

const excludesOne = (low: number | null, high: number | null): boolean =>
  low !== null && high !== null && (low > 1 || high < 1);

/** Single trials of either run divided by the mean of the other run, as logarithms. */
function singleTrialRatios({ reference, values }: MetricPair): number[] {
  const [before, after] = [[...reference.values()], [...values.values()]];
  const [centreBefore, centreAfter] = [mean(before), mean(after)];
  return [...before.map((value) => value - centreAfter), ...after.map((value) => value - centreBefore)];
}

function verdictOf(pair: MetricPair, claim: Claim, { equivalence }: ClaimBounds): RunVerdict {
  const { before, after, operation, ratio } = pair;
  if (excludesOne(claim.familyLow, claim.familyHigh)) return "finding";
  if (excludesOne(ratio.ciLow, ratio.ciHigh)) return "exploratory";
  const areTrialsSteady =
    areRatiosNearOne(singleTrialRatios(pair), equivalence) && !hasOutlyingTrial([before, after], operation);
  const { ciLow, ciHigh } = ratio;
  const isWithinEquivalence =
    ciLow !== null && ciHigh !== null && ciLow >= 1 / equivalence && ciHigh <= equivalence;
  return isWithinEquivalence && areTrialsSteady ? "indistinguishable" : "inconclusive";
}

function findingOf(pair: MetricPair, errorControl: ErrorControl, bounds: ClaimBounds): RunFinding {
  const { before, after, treatment, operation, metric, unit, reference, values } = pair;
  const { trials, ratio, ciLow, ciHigh, pValue } = pair.ratio;
  const middle = (series: LogarithmSeries): number => Math.exp(mean([...series.values()]));
  const claim = claimOf(pair, errorControl);
  const zeroReplacement = zeroReplacementIn([before, after], operation, metric);
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
    ...(zeroReplacement !== undefined && { zeroAs: zeroReplacement }),
    ...claim,
    verdict: verdictOf(pair, claim, bounds),
  };
}

interface RunJudgement {
  readonly findings: readonly RunFinding[];
  readonly stalls: readonly StallFinding[];
}

/** Judges all runs under one error rate; half of it is for stalls if any stall could be claimed. */
function judgeRuns(baseline: StoredRun, runs: readonly StoredRun[], maxRegression: number): RunJudgement[] {
  const bounds = strictestBounds([baseline, ...runs]);
  const prngFor = (part: string): Prng => new Prng(deriveSeed(baseline.result.scenario.seed, "gate", part));
  const metricPairsByRun = runs.map((run) =>
    metricPairsOf(matchedTreatments(baseline, run), run.result.workload, bounds.level),
  );
  const columns = metricPairsByRun.flatMap((all, run) =>
    all.flatMap(({ ratio, reference, values }): GateColumn[] =>
      ratio.shift ? [{ run, before: reference, after: values }] : [],
    ),
  );
  const stalls = stallFamily(
    [baseline, ...runs].map(({ result }) => treatmentsByKey(result)),
    prngFor("stalls"),
  );
  const level = stalls.canClaim(bounds.level / 2) ? bounds.level / 2 : bounds.level;
  const errorControl = { maxima: largestChanceDeviates(columns, prngFor("ratios")), level, maxRegression };
  return metricPairsByRun.map((all, run) => ({
    findings: all.map((each) => findingOf(each, errorControl, bounds)),
    stalls: stalls.findings(run + 1, level).map((each) => ({
      ...each,
      familyP: each.familyP === null ? null : scaledPValue(each.familyP, level),
    })),
  }));
}

const NO_JUDGEMENT: RunJudgement = { findings: [], stalls: [] };

function describeRun(
  baseline: StoredRun,
  run: StoredRun,
): Omit<RunComparison, "isJudged" | keyof RunJudgement> {
  const matches = matchedTreatments(baseline, run);
  const matchedTreatmentSet = new Set(matches.flatMap(({ before, after }) => [before, after]));
  const unsharedIdsOf = ({ result }: StoredRun): string[] =>
    result.treatments.flatMap((treatment) => (matchedTreatmentSet.has(treatment) ? [] : [treatment.id]));
  return {
    directory: run.directory,
    differences: obstaclesBetween(baseline, run),
    notes: runNotes(baseline, run),
    onlyInBaseline: unsharedIdsOf(baseline),
    onlyHere: unsharedIdsOf(run),
    metricsOnlyInBaseline: missingMetrics(
      matches.map(({ before, after }) => [before, after]),
      baseline.result.workload,
    ),
    metricsOnlyHere: missingMetrics(
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
  const runDescriptions = others.map((run) => ({ run, ...describeRun(baseline, run) }));
  const isJudged = ({ differences }: (typeof runDescriptions)[number]): boolean =>
    allowsDifferences || differences.length === 0;
  const judgements = judgeRuns(
    baseline,
    runDescriptions.filter(isJudged).map(({ run }) => run),
    maxRegression,
  );
  const runComparisons = runDescriptions.map(({ run: _, ...each }): RunComparison => {
    const judgedIndex = runDescriptions
      .filter(isJudged)
      .findIndex(({ directory }) => directory === each.directory);
    return { ...each, isJudged: judgedIndex >= 0, ...(judgements[judgedIndex] ?? NO_JUDGEMENT) };
  });
  const regressions = runComparisons.flatMap(({ findings, stalls }) =>
    [...findings, ...stalls].filter(({ isRegression }) => isRegression),
  ).length;
  return { version: 2, baseline: baseline.directory, maxRegression, runs: runComparisons, regressions };
}
