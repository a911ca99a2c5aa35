// Collects `report.html` from a result directory alone, one trial after the other, so that memory holds one trial. A trial
// whose files cannot be read is left out of the pictures, and a note says so.
import { join, sep } from "node:path";
import { messageOf } from "../../foundation/errors.js";
import { HistogramSet, percentileMs, type Histogram } from "../../metrics/histograms.js";
import { isStageTag, responseOperationOf } from "../../metrics/operations.js";
import { withoutHistograms } from "../../results/endpoint-results.js";
import { ResultDocument, type TreatmentResult, type TrialResult } from "../../results/result-schema.js";
import { ensureAnalysis } from "../../analysis/comparison/analysis.js";
import { invalidTrials } from "../../analysis/diagnosis/validity.js";
import { warningsOf } from "../../analysis/diagnosis/diagnose.js";
import { keyFindings } from "../findings/key-findings.js";
import { lintsOf } from "../../analysis/lint/lint.js";
import { bucketSecondsOf, toFourDigits } from "./buckets.js";
import type { PercentileCurve, ReportData, TrialSeries } from "./report-data.js";
import { readStoredTrial } from "./trial-series.js";

/** Largest number of buckets for one trial: a picture of ordinary width cannot show more. */
const TRIAL_BUCKETS_MAX = 150;
const TRIAL_BUCKETS_MIN = 30;
/** Largest number of buckets for all trials together, which limits the size of the report. */
const REPORT_BUCKETS_MAX = 1800;

interface CollectedTrials {
  readonly notes: string[];
  readonly series: TrialSeries[];
  /** Histograms of each treatment's complete trials, merged, by treatment. */
  readonly merged: Map<string, HistogramSet>;
}

/** Bucket length in seconds for all trials, from the longest window: lines of several trials need the same times. */
function sharedBucketSeconds(trials: readonly TrialResult[]): number {
  const share = Math.floor(REPORT_BUCKETS_MAX / Math.max(1, trials.length));
  const bucketsMax = Math.min(TRIAL_BUCKETS_MAX, Math.max(TRIAL_BUCKETS_MIN, share));
  const longest = trials.reduce((most, { windowSeconds }) => Math.max(most, windowSeconds), 0);
  return bucketSecondsOf(longest, bucketsMax);
}

/** Trials in the order in which they ran. */
function trialsOf(treatments: readonly TreatmentResult[]): { treatment: string; trial: TrialResult }[] {
  return treatments
    .flatMap(({ id, trials }) => trials.map((trial) => ({ treatment: id, trial })))
    .sort((a, b) => a.trial.number - b.trial.number);
}

async function readTrials(directory: string, result: ResultDocument): Promise<CollectedTrials> {
  const collectedTrials: CollectedTrials = { notes: [], series: [], merged: new Map() };
  const measuredTrials = trialsOf(result.treatments).filter(({ trial }) => trial.windowSeconds > 0);
  const bucketSeconds = sharedBucketSeconds(measuredTrials.map(({ trial }) => trial));
  for (const { treatment, trial } of measuredTrials) {
    try {
      const { series, histograms } = await readStoredTrial(directory, trial, treatment, bucketSeconds);
      collectedTrials.series.push(series);
      if (trial.status !== "complete") continue;
      const merged = collectedTrials.merged.get(treatment) ?? HistogramSet.ofTrials();
      merged.add(histograms);
      collectedTrials.merged.set(treatment, merged);
    } catch (error) {
      // The message leaves out the path of the directory, since the report must not show it.
      const words = messageOf(error).replaceAll(join(directory, sep), "");
      collectedTrials.notes.push(
        `trial ${trial.number} (${treatment}) is in no chart over time and in no percentile curve: ${words}`,
      );
    }
  }
  return collectedTrials;
}

function treatmentCurves(merged: CollectedTrials["merged"]): PercentileCurve[] {
  return [...merged].flatMap(([treatment, histograms]) =>
    histograms.entries().flatMap(([tag, histogram]): PercentileCurve[] => {
      const operation = responseOperationOf(tag) ?? (isStageTag(tag) ? tag : undefined);
      if (operation === undefined) return [];
      return [{ treatment, operation, count: histogram.totalCount, points: percentileCurve(histogram) }];
    }),
  );
}

/**
 * Collects the data of a report. `programVersion` is the version that makes the report, not the version that ran the
 * trials.
 */
export async function collectReport(
  directory: string,
  stored: ResultDocument,
  programVersion: string,
): Promise<ReportData> {
  // Parsed like a stored document, so that the report at the end of a run equals a report made from its directory.
  const result = withoutHistograms(ensureAnalysis(ResultDocument.parse(stored)));
  const { notes, series, merged } = await readTrials(directory, result);
  return {
    programVersion,
    result,
    vocabulary: result.workload,
    findings: keyFindings(result),
    invalidTrials: invalidTrials(result.treatments.flatMap(({ trials }) => trials)),
    notes: [...lintsOf(result), ...warningsOf(result.treatments), ...notes],
    series,
    curves: treatmentCurves(merged),
  };
}

/** Number of steps between percentile 0 and the percentile of the last sample but one. */
const STEPS = 80;

/**
 * Points of a histogram's percentile curve, which needs samples. Percentiles ascend from 0 to 100; of a run of equal values
 * only both ends are kept.
 */
export function percentileCurve(histogram: Histogram): [percentile: number, ms: number][] {
  const { totalCount } = histogram;
  const percentiles = Array.from({ length: STEPS + 1 }, (_, i) => 100 * (1 - totalCount ** (-i / STEPS)));
  const points = [...percentiles, 100].map((percentile): [number, number] => [
    Number(percentile.toFixed(7)),
    toFourDigits(percentileMs(histogram, percentile)),
  ]);
  return points.filter(
    ([percentile, ms], i) =>
      i === 0 ||
      i === points.length - 1 ||
      (percentile > (points[i - 1]?.[0] ?? 0) && (ms !== points[i - 1]?.[1] || ms !== points[i + 1]?.[1])),
  );
}
