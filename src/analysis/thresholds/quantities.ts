// Quantities of thresholds beyond one operation. Their values are kept by trial, so that no histogram has to be kept.
import { failuresOf } from "../../metrics/figures.js";
import type { Aspect } from "../../metrics/catalogue.js";
import { requiredAspects, thresholdMetric } from "../../metrics/metric-lists.js";
import { isCycleOperation } from "../../metrics/operations.js";
import type {
  DatabaseEvidence,
  Integrity,
  OperationResult,
  OperationResults,
  TreatmentResult,
} from "../../results/result-schema.js";
import { evidenceValue } from "../../results/evidence-values.js";
import type { Quantity } from "../../scenario/judgement.js";
import { ALL_OPERATIONS, AUDIT_METRIC, METRICS_WITHOUT_RATIO } from "../../scenario/threshold-metrics.js";
import { DATABASE_EVIDENCE, PER_EVENT_EVIDENCE, type Evidence } from "../../workloads/evidence.js";
import type { RareCount } from "../statistics/rare-counts.js";
import { ZERO_EVENTS_REPLACEMENT } from "../steady-state/series.js";

/** Figures of an operation that thresholds use. */
export type ThresholdFigures = Partial<OperationResult> &
  Pick<OperationResult, "transactions" | "transactionsPerSecond" | "events" | "eventsPerSecond"> &
  Pick<OperationResult, "emptyPolls" | "failures">;

export function operationFigures(source: string, operations: OperationResults): ThresholdFigures | undefined {
  if (source !== ALL_OPERATIONS) return operations[source];
  const all = Object.keys(operations).flatMap((name) =>
    isCycleOperation(name) ? [] : (operations[name] ?? []),
  );
  if (all.length === 0) return undefined;
  const sum = (valueOf: (each: OperationResult) => number): number =>
    all.reduce((total, each) => total + valueOf(each), 0);
  return {
    transactions: sum(({ transactions }) => transactions),
    transactionsPerSecond: sum(({ transactionsPerSecond }) => transactionsPerSecond),
    events: sum(({ events }) => events),
    eventsPerSecond: sum(({ eventsPerSecond }) => eventsPerSecond),
    emptyPolls: sum(({ emptyPolls }) => emptyPolls),
    failures: { all: sum(failuresOf) },
  };
}

/** Mean response time of all operations together, rounds of the cycle excluded; undefined without transactions. */
export function meanOfAllMs(operations: OperationResults): number | undefined {
  const all = Object.entries(operations).flatMap(([name, result]) => (isCycleOperation(name) ? [] : result));
  const sum = (valueOf: (each: OperationResult) => number): number =>
    all.reduce((total, each) => total + valueOf(each), 0);
  const transactions = sum((each) => each.transactions);
  if (transactions === 0) return undefined;
  return sum((each) => each.transactions * (each.responseTimeMs?.mean ?? 0)) / transactions;
}

export function integrityCount(aggregate: string, audits: readonly Integrity[]): number | undefined {
  if (audits.length === 0) return undefined;
  return audits.reduce((total, audit) => {
    if (aggregate === "violations") return total + audit.violations.length;
    // A workload whose audit lacks that kind of finding has 0 of it.
    const counts: Readonly<Record<string, unknown>> = audit;
    return total + Number(counts[aggregate] ?? 0);
  }, 0);
}

export type CountedShare = RareCount & { readonly unit: "trial" | "transaction" | "acknowledgement" };

interface QuantityInputs {
  readonly operations: OperationResults;
  readonly audits: readonly Integrity[];
}

/**
 * Number of failures or audit findings, among all transactions, trials or acknowledgements that could have failed;
 * undefined for other quantities.
 */
export function rareCountOf(quantity: Quantity, evaluated: QuantityInputs): CountedShare | undefined {
  const rareCount = uncheckedRareCount(quantity, evaluated);
  return rareCount && rareCount.count <= rareCount.all && rareCount.all > 0 ? rareCount : undefined;
}

function uncheckedRareCount(
  { source, aggregate }: Quantity,
  { operations, audits }: QuantityInputs,
): CountedShare | undefined {
  const acknowledgedCount = audits.reduce((sum, { published }) => sum + published, 0);
  const unit = "acknowledgement";
  if (source === "integrity" && aggregate === "violations")
    return {
      count: audits.filter(({ violations }) => violations.length > 0).length,
      all: audits.length,
      unit: "trial",
    };
  if (source === "integrity")
    return { count: integrityCount(aggregate, audits) ?? 0, all: acknowledgedCount, unit };
  const result = operationFigures(source, operations);
  if (!result) return undefined;
  if (aggregate === "lost") return { count: result.lost ?? 0, all: acknowledgedCount, unit };
  if (aggregate !== "failures" && aggregate !== "failedShare") return undefined;
  const count = failuresOf(result);
  return { count, all: result.transactions + count, unit: "transaction" };
}

const PER_EVENT_SOURCE = "database.perEvent";

export function isDatabaseSource(source: string): boolean {
  return source === "database" || source === PER_EVENT_SOURCE;
}

function evidenceOf({ source, aggregate }: Quantity): Evidence | undefined {
  const figures = source === PER_EVENT_SOURCE ? PER_EVENT_EVIDENCE : DATABASE_EVIDENCE;
  return figures.find(({ field }) => field === aggregate);
}

/** Aspects of a trial that must be valid before the quantity is judged; an audit's verdict needs none. */
export function requiredAspectsOf(quantity: Quantity): readonly Aspect[] {
  const { source, aggregate } = quantity;
  if (METRICS_WITHOUT_RATIO.includes(source)) return [];
  if (isDatabaseSource(source)) return evidenceOf(quantity)?.metric.unit === "ms" ? ["timings"] : ["counts"];
  if (source === AUDIT_METRIC) return ["counts"];
  const metric = thresholdMetric(aggregate);
  return metric ? requiredAspects(metric) : ["timings"];
}

/** The value of a quantity of the database; undefined if the server did not show it. */
export function databaseValue(quantity: Quantity, evidence: DatabaseEvidence): number | undefined {
  const figure = evidenceOf(quantity);
  return figure && evidenceValue(figure, evidence);
}

/** Value that stands in for 0 of a count, a rate or a share: half of one. Undefined for a time or a size. */
export function zeroReplacementFor(
  { source, aggregate }: Quantity,
  comparedTreatments: readonly TreatmentResult[],
): number | undefined {
  const metric = isDatabaseSource(source) ? undefined : thresholdMetric(aggregate);
  if (!metric || metric.unit === "ms") return undefined;
  const trials = comparedTreatments.flatMap((treatment) => treatment.trials);
  const endedTransactions = trials.map(({ operations }) => {
    const figures = operationFigures(source, operations);
    return figures ? figures.transactions + failuresOf(figures) : 0;
  });
  const trialSeconds = trials.map(({ windowSeconds }) => windowSeconds);
  const isShareMetric = metric.id === "failedShare" || metric.id === "retriesPerTransaction";
  const divisors = metric.isRate ? trialSeconds : isShareMetric ? endedTransactions : [1];
  const largestDivisor = Math.max(0, ...divisors);
  return largestDivisor > 0 ? ZERO_EVENTS_REPLACEMENT / largestDivisor : undefined;
}

function keyOf({ source, aggregate, percentile }: Quantity, treatment: string): string {
  return [treatment, source, aggregate, percentile].join("\n");
}

/** Values of these quantities by treatment and block. */
export class TrialValues {
  private readonly values = new Map<string, Map<number, number>>();

  constructor(private readonly quantities: readonly Quantity[]) {}

  add(treatment: string, block: number, valueOf: (quantity: Quantity) => number | undefined): void {
    for (const quantity of this.quantities) {
      const value = valueOf(quantity);
      if (value === undefined) continue;
      const key = keyOf(quantity, treatment);
      const valuesByBlock = this.values.get(key) ?? new Map<number, number>();
      this.values.set(key, valuesByBlock.set(block, value));
    }
  }

  of(quantity: Quantity, treatment: string): ReadonlyMap<number, number> {
    return this.values.get(keyOf(quantity, treatment)) ?? new Map<number, number>();
  }
}
