// The statistics of an experiment, from stored trials and seed alone. Trials of a search for capacity are not compared.
import { deriveSeed } from "../../foundation/prng.js";
import {
  comparedOperations,
  COMPARISON_METRICS,
  type MetricSummary,
  type ResultDocument,
  type TreatmentResult,
} from "../../results/result-schema.js";
import { medianSummary } from "./findings.js";
import { outlyingTrials } from "./outlying-trials.js";
import { metricOf } from "../steady-state/series.js";
import { boundsOf } from "../statistics/limits.js";
import { settledDifferences } from "./stopping.js";
import { sweepsOf } from "./sweeps.js";
import { withReasons } from "../why/because.js";

/** Medians, over complete trials, of every metric that the treatment has. */
export function summaryOf(treatment: TreatmentResult, seed: number): MetricSummary[] {
  return comparedOperations([treatment]).flatMap((operation) =>
    COMPARISON_METRICS.flatMap((metric): MetricSummary[] => {
      const values = treatment.trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
      if (values.length === 0) return [];
      const summarySeed = deriveSeed(seed, "summary", treatment.id, operation, metric);
      const medianAndInterval = medianSummary(values, summarySeed);
      const [min, max] = [Math.min(...values), Math.max(...values)];
      return [{ operation, metric, trials: values.length, min, max, ...medianAndInterval }];
    }),
  );
}

/** Comparisons, effects and interactions of treatments, as the document stores them. */
type Differences = Required<Pick<ResultDocument, "comparisons" | "effects" | "interactions" | "sweeps">>;

const EMPTY_DIFFERENCES: Differences = { comparisons: [], effects: [], interactions: [], sweeps: [] };

function differencesOf(result: ResultDocument): Differences {
  const { treatments } = result;
  const { seed } = result.scenario;
  const { workload: vocabulary } = result;
  const { comparisons, effects, interactions } = settledDifferences(treatments, seed, boundsOf(result));
  return {
    comparisons: withReasons(comparisons, treatments, vocabulary, seed),
    effects,
    interactions,
    sweeps: sweepsOf(treatments, vocabulary, seed),
  };
}

/** The document with its statistics computed from its trials; statistics that it already has are replaced. */
export function withAnalysis(result: ResultDocument): ResultDocument {
  const { treatments, capacity } = result;
  const { seed } = result.scenario;
  return {
    ...result,
    treatments: treatments.map((treatment) => ({ ...treatment, summary: summaryOf(treatment, seed) })),
    outlyingTrials: outlyingTrials(treatments),
    ...(capacity ? EMPTY_DIFFERENCES : differencesOf(result)),
  };
}

/** The document with its stored statistics; if it has none because the run was killed, they are computed now. */
export function ensureAnalysis(stored: ResultDocument): ResultDocument {
  return stored.treatments.every(({ summary }) => summary) ? stored : withAnalysis(stored);
}
