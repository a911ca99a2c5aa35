// Two revisions as treatments of one experiment: blocks pair them, and all ratios share one error rate, as within an experiment.
import { counted } from "../../foundation/units.js";
import { isHeadline, isLargerBetter } from "../../metrics/metric-lists.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type ComparedOperation,
  type ComparisonMetric,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { unitOf } from "../../workloads/vocabulary.js";
import { boundsOf } from "../statistics/limits.js";
import { mean } from "../statistics/quantiles.js";
import {
  areComparable,
  logarithmSeries,
  placeSeries,
  ratioSeries,
  zeroReplacementIn,
  type LogarithmSeries,
} from "../steady-state/series.js";
import { findingsOf as findingsOfTrials } from "../diagnosis/diagnose.js";
import { familySettler, findingsOf, type BlockFinding, type Question } from "./findings.js";
import { hasOutlyingTrial } from "./outlying-trials.js";
import { missingMetrics, regressionBound, type RunComparison, type RunFinding } from "./run-comparison.js";

/** A treatment at both revisions. */
export interface RevisionPair {
  readonly name: string;
  readonly before: TreatmentResult;
  readonly after: TreatmentResult;
}

interface Subject extends RevisionPair {
  readonly operation: ComparedOperation;
  readonly metric: ComparisonMetric;
}

function shifted(series: LogarithmSeries, by: number): LogarithmSeries {
  return new Map([...series].map(([block, logarithm]) => [block, logarithm + by]));
}

/** The question whether `after` differs from `before` times the exponential of `bound`. */
function questionOf({ name, before, after, operation, metric }: Subject, bound: number): Question {
  const both = [before, after];
  return {
    key: ["revisions", name, operation, metric, bound].join("\n"),
    reference: shifted(logarithmSeries(before, operation, metric, both), bound),
    values: logarithmSeries(after, operation, metric, both),
    places: ratioSeries(placeSeries(after), placeSeries(before)),
    hasOutlyingTrial: hasOutlyingTrial(both, operation),
  };
}

type Answer = Omit<BlockFinding, "differences"> & { readonly familyP: number | null };

/** Answers under one error rate; undefined where no block has both sides. */
function answersTo(
  subjects: readonly Subject[],
  boundOf: (metric: ComparisonMetric) => number,
  { scenario: { seed }, ...result }: ResultDocument,
): (Answer | undefined)[] {
  const bounds = boundsOf(result);
  const answers = subjects.map(
    (each) => findingsOf([questionOf(each, boundOf(each.metric))], seed, bounds)[0],
  );
  const settle = familySettler(
    answers.flatMap((each) => each ?? []),
    seed,
    bounds,
  );
  return answers.map((each) => each && settle(each));
}

function findingOf(
  { name, before, after, operation, metric }: Subject,
  answer: Answer,
  atBound: Answer | undefined,
  { workload }: ResultDocument,
): RunFinding {
  const both = [before, after];
  const meanOf = (treatment: TreatmentResult): number =>
    Math.exp(mean([...logarithmSeries(treatment, operation, metric, both).values()]));
  const zeroReplacement = zeroReplacementIn(both, operation, metric);
  const isBeyond = atBound && (isLargerBetter(metric) ? atBound.ratio < 1 : atBound.ratio > 1);
  return {
    treatment: name,
    levels: after.levels,
    operation,
    metric,
    unit: unitOf(workload, operation),
    baselineMean: meanOf(before),
    mean: meanOf(after),
    trials: answer.blocks,
    ratio: answer.ratio,
    ciLow: answer.ciLow,
    ciHigh: answer.ciHigh,
    pValue: answer.pValue,
    ...(zeroReplacement !== undefined && { zeroAs: zeroReplacement }),
    familyLow: null,
    familyHigh: null,
    familyP: answer.familyP,
    pWorse: isBeyond === false && answer.familyP !== null ? 1 : (atBound?.familyP ?? null),
    verdict: answer.verdict,
    isRegression: isBeyond === true && atBound.verdict === "finding",
  };
}

/** The pairs of revisions in a result, judged by headline metrics. `maxRegression` is the accepted share. */
export function compareRevisions(
  result: ResultDocument,
  pairs: readonly RevisionPair[],
  maxRegression: number,
): Pick<RunComparison, "metricsOnlyInBaseline" | "metricsOnlyHere" | "findings" | "stalls"> {
  const subjects = pairs.flatMap((pair) =>
    comparedOperations([pair.before, pair.after]).flatMap((operation) =>
      COMPARISON_METRICS.filter(
        (metric) => isHeadline(metric) && areComparable([pair.before, pair.after], operation, metric),
      ).map((metric): Subject => ({ ...pair, operation, metric })),
    ),
  );
  const answers = answersTo(subjects, () => 0, result);
  const boundAnswers = answersTo(subjects, (metric) => regressionBound(metric, maxRegression), result);
  const findings = subjects.flatMap((subject, i) => {
    const answer = answers[i];
    return answer ? [findingOf(subject, answer, boundAnswers[i], result)] : [];
  });
  const missing = (sides: (pair: RevisionPair) => readonly [TreatmentResult, TreatmentResult]) =>
    missingMetrics(pairs.map(sides), result.workload);
  return {
    metricsOnlyInBaseline: missing(({ before, after }) => [before, after]),
    metricsOnlyHere: missing(({ before, after }) => [after, before]),
    findings,
    stalls: [],
  };
}

/** Reasons for which the timings of a comparison's trials, or their counts, are not valid: checks with numbers of trials. */
export function objectionsToRevisions({ verdict, treatments }: ResultDocument): string[] {
  const trials = treatments.flatMap((treatment) => treatment.trials);
  const complete = trials.filter(({ status }) => status === "complete").length;
  return (["counts", "timings"] as const).flatMap((aspect) => {
    if (verdict[aspect].isValid) return [];
    const failed = findingsOfTrials(treatments).flatMap(({ check, invalidates }) =>
      invalidates.includes(aspect) ? [check] : [],
    );
    const violations = trials.filter(({ integrity }) => integrity?.verdict === "violated");
    const countOf = (check: string): number => failed.filter((each) => each === check).length;
    const kinds = [
      ...(aspect === "counts" && violations.length > 0 ? [`audit in ${violations.length}`] : []),
      ...[...new Set(failed)].map((check) => `${check} in ${countOf(check)}`),
    ];
    const text = kinds.length > 0 ? kinds.join(", ") : verdict[aspect].reasons.join("; ");
    return [`${aspect} are not valid: ${text}${kinds.length > 0 ? ` of ${counted(complete, "trial")}` : ""}`];
  });
}
