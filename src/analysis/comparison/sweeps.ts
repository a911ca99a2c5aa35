// Treatments that differ only in a number of clients, as curves; a scalability law describes closed loops alone.
import { deriveSeed } from "../../foundation/prng.js";
import { operationsIn, type Operation } from "../../metrics/operations.js";
import type { Vocabulary } from "../../workloads/vocabulary.js";
import type { ComparisonMetric, Sweep, TreatmentResult, UslFit } from "../../results/result-schema.js";
import { comparedWhere, comparisonField, type ComparisonField } from "../../metrics/metric-lists.js";
import { objectionToMetric } from "../diagnosis/validity.js";
import { medianSummary } from "./findings.js";
import { metricOf } from "../steady-state/series.js";
import { fitCurves, type Curve } from "./usl-verdict.js";

/** Minimum number of levels of a sweep: fewer are a comparison, not a curve. */
const SWEEP_LEVELS_MIN = 3;

interface SweepStep {
  readonly clients: number;
  readonly treatment: TreatmentResult;
}

function isClientFactor(factor: string): boolean {
  return factor === "clients" || factor.endsWith(".clients");
}

/** Number of clients in a level: `16`, or `16-a` if the level is given twice. */
function clientsOf(level: string | undefined): number | undefined {
  const match = /^([1-9]\d*)(-[a-z]+)?$/.exec(level ?? "");
  return match ? Number(match[1]) : undefined;
}

/** Groups of treatments that differ in the level of `factor` alone, by the levels that they share. */
function sweepGroups(treatments: readonly TreatmentResult[], factor: string) {
  const groupByLevels = new Map<string, { levels: Record<string, string>; steps: SweepStep[] }>();
  for (const treatment of treatments) {
    const { [factor]: factorLevel, ...levels } = treatment.levels;
    const clients = clientsOf(factorLevel);
    if (clients === undefined) continue;
    const key = JSON.stringify(Object.entries(levels).sort());
    const group = groupByLevels.get(key) ?? { levels, steps: [] };
    group.steps.push({ clients, treatment });
    groupByLevels.set(key, group);
  }
  return [...groupByLevels.values()].filter(
    ({ steps }) => new Set(steps.map(({ clients }) => clients)).size >= SWEEP_LEVELS_MIN,
  );
}

function pointOf(
  { clients, treatment }: SweepStep,
  operation: Operation,
  seed: number,
): Sweep["points"][number] {
  const metricMedian = (metric: ComparisonMetric) => {
    const values = treatment.trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
    if (values.length === 0) return null;
    return medianSummary(values, deriveSeed(seed, "summary", treatment.id, operation, metric));
  };
  return {
    clients,
    treatment: treatment.id,
    trials: treatment.trials.filter((trial) => metricOf(trial, operation, "eventsPerSecond") !== undefined)
      .length,
    ...(Object.fromEntries(
      comparedWhere((metric) => metricMedian(metric) !== null).map((metric) => [
        comparisonField(metric),
        metricMedian(metric),
      ]),
    ) as Record<ComparisonField, ReturnType<typeof metricMedian>>),
  };
}

/** True if the steps vary the number of clients that perform the operation, not of another group of clients. */
function variesOwnClients(steps: readonly SweepStep[], operation: Operation): boolean {
  return steps.every(({ clients, treatment }) =>
    treatment.trials.every(({ operations }) => (operations[operation]?.clients ?? clients) === clients),
  );
}

/**
 * True if a schedule starts the operation, by itself or as a part of a cycle, so that the number of clients does not set
 * its load.
 */
function isStartedBySchedule(
  steps: readonly SweepStep[],
  operation: Operation,
  { roles }: Vocabulary,
): boolean {
  const performingRoles = Object.values(roles).filter(({ operations }) => operations.includes(operation));
  const arrivalOperations = performingRoles.flatMap(({ arrivals }) => arrivals);
  return steps.some(({ treatment }) =>
    treatment.trials.some(({ operations }) =>
      arrivalOperations.some((name) => operations[name]?.offered !== undefined),
    ),
  );
}

function uslFitOf(
  steps: readonly SweepStep[],
  operation: Operation,
  vocabulary: Vocabulary,
  seed: number,
): UslFit {
  if (isStartedBySchedule(steps, operation, vocabulary))
    return {
      status: "refused",
      reason: "arrivals follow a schedule, so the number of clients does not set the load",
    };
  const objection = objectionToMetric(
    "eventsPerSecond",
    steps.map(({ treatment }) => treatment),
  );
  if (objection !== undefined) return { status: "refused", reason: objection };
  return fitCurves(curves(steps, operation), seed);
}

function curves(steps: readonly SweepStep[], operation: Operation): Curve[] {
  const blocks = [...new Set(steps.flatMap(({ treatment }) => treatment.trials.map(({ block }) => block)))];
  return blocks.flatMap((block): Curve[] => {
    const curve = steps.flatMap(({ clients, treatment }) => {
      const trial = treatment.trials.find((candidate) => candidate.block === block);
      const throughput = trial && metricOf(trial, operation, "eventsPerSecond");
      return throughput === undefined ? [] : [{ clients, throughput }];
    });
    return curve.length === steps.length ? [curve] : [];
  });
}

/** Sweeps of a result over numbers of clients; empty if no number of clients varies over at least three levels. */
export function sweepsOf(
  treatments: readonly TreatmentResult[],
  vocabulary: Vocabulary,
  seed: number,
): Sweep[] {
  const factors = Object.keys(treatments[0]?.levels ?? {}).filter(isClientFactor);
  return factors.flatMap((factor) =>
    sweepGroups(treatments, factor).flatMap(({ levels, steps }) => {
      const ascendingSteps = steps.toSorted((a, b) => a.clients - b.clients);
      const measuredOperations = ascendingSteps.flatMap(({ treatment }) =>
        treatment.trials.map(({ operations }) => operations),
      );
      return operationsIn(measuredOperations).flatMap((operation): Sweep[] => {
        const points = ascendingSteps.map((step) => pointOf(step, operation, seed));
        if (points.every(({ trials }) => trials === 0) || !variesOwnClients(steps, operation)) return [];
        const fitSeed = deriveSeed(seed, "sweep", factor, JSON.stringify(levels), operation);
        return [
          {
            factor,
            levels,
            operation,
            points,
            usl: uslFitOf(ascendingSteps, operation, vocabulary, fitSeed),
          },
        ];
      });
    }),
  );
}
