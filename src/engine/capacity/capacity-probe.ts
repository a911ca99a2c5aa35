// A rate holds if the threshold does, no arrival was dropped, and everything that arrived was done within the window.
import { UsageError } from "../../foundation/errors.js";
import { counted } from "../../foundation/units.js";
import { isCycleOperation, type Operation } from "../../metrics/operations.js";
import { failuresOf } from "../../metrics/figures.js";
import type { Totals } from "../../metrics/totals.js";
import { invalidTrials } from "../../analysis/diagnosis/validity.js";
import { measuredText, shortNumber } from "../../foundation/text/numbers.js";
import { meetsBound, seenValue, fewSamplesReason } from "../../analysis/thresholds/thresholds.js";
import type { Capacity, CapacityProbe } from "../../results/capacity-schema.js";
import type { OperationResults, TrialResult } from "../../results/result-schema.js";
import { isBudgeted } from "../../scenario/plan/estimate.js";
import type { Threshold } from "../../scenario/judgement.js";
import { parseThresholdOption } from "../../scenario/threshold-option.js";
import type { Treatment } from "../../scenario/settings.js";
import type { LoadSettings } from "../../load/load-settings.js";
import { capacityInterval } from "./capacity-interval.js";
import { counts, type ProbeRequest, type SearchResult } from "./capacity-search.js";
import type { RoleSettings } from "../../clients/settings.js";
import { workloadOf } from "../../workloads/registry.js";

/** Shortest window of a probe: in a shorter one a single pause of the machine decides. */
export const PROBE_WINDOW_MIN_MS = 2000;
/** Share of the arrivals that may be left at the end of the window, in addition to one for each client. */
const UNFINISHED_RATIO_MAX = 0.01;
const EXPECTED_CHECKS: Readonly<Record<"held" | "failed", ReadonlySet<string>>> = {
  held: new Set(["dropped"]),
  failed: new Set(["dropped", "failures"]),
};

/**
 * Parses a threshold such as `add: p(99)<50` for the workload of these treatments. Throws a UsageError that states its
 * errors.
 */
export function parseCapacityThreshold(text: string, treatments: readonly Treatment[] = []): Threshold {
  return parseThresholdOption("--find-capacity", text, treatments);
}

interface RateDrivenRole {
  readonly role: string;
  readonly roleSettings: RoleSettings;
  /** Operations that an arrival may start. */
  readonly operations: readonly Operation[];
  readonly parts: readonly Operation[];
}

/** The role that the rate drives. Throws a UsageError if the treatment has none. */
export function rateDrivenRole({ id, settings }: Treatment): RateDrivenRole {
  const searchedRoles = Object.entries(workloadOf(settings).roles).filter(([, { isSearched }]) => isSearched);
  for (const [role, { arrivals, operations }] of searchedRoles) {
    const roleSettings = settings.actors[role];
    const parts = arrivals.some(isCycleOperation) ? operations.filter((part) => !isCycleOperation(part)) : [];
    if (roleSettings) return { role, roleSettings, operations: arrivals, parts };
  }
  const names = searchedRoles.map(([role]) => role);
  throw new UsageError(
    `treatment ${id} has no ${names.join(" and no ")}: none of its clients can start at a rate`,
    `Give it ${names.join(" or ")}.`,
  );
}

/** The load at this rate; keeps the scenario's arrival process if it has an arrival rate. */
function loadAt(load: LoadSettings, ratePerSecond: number): LoadSettings {
  const arrivals =
    "distribution" in load
      ? {
          distribution: load.distribution,
          ...(load.maxWaitMs !== undefined && { maxWaitMs: load.maxWaitMs }),
        }
      : ({ distribution: "poisson" } as const);
  return {
    executor: "constant-arrival-rate",
    clients: load.clients,
    ratePerSecond,
    ...arrivals,
    thinkTimeMs: { min: 0, max: 0 },
    rampUpMs: 0,
  };
}

export function treatmentAt(treatment: Treatment, ratePerSecond: number): Treatment {
  const { role, roleSettings } = rateDrivenRole(treatment);
  const { settings } = treatment;
  const load = loadAt(roleSettings.load, ratePerSecond);
  const trial = { ...settings.trial, durationMs: Math.max(PROBE_WINDOW_MIN_MS, settings.trial.durationMs) };
  const drivenSettings = {
    ...settings,
    trial,
    actors: { ...settings.actors, [role]: { ...roleSettings, load } },
  };
  if (isBudgeted(drivenSettings)) {
    throw new UsageError(
      `treatment ${treatment.id} has a role with a budget of iterations: its windows have no fixed length`,
      "Use constant-clients for the other roles.",
    );
  }
  return { ...treatment, settings: drivenSettings };
}

/** The rate that the scenario states, where a search may begin; undefined if it states none. */
export function ratePerSecondOf(treatment: Treatment): number | undefined {
  const { load } = rateDrivenRole(treatment).roleSettings;
  return load.executor === "constant-arrival-rate" ? load.ratePerSecond : undefined;
}

export interface ProbeMeasurement {
  readonly result: TrialResult;
  readonly totals: Pick<Totals, "histograms">;
}

function unservedArrivals(operations: OperationResults, operation: Operation): number {
  return failuresOf(operations[operation] ?? {});
}

function sumOf(
  results: OperationResults,
  { operations }: RateDrivenRole,
  field: "offered" | "dropped" | "transactions",
): number {
  return operations.reduce((sum, operation) => sum + (results[operation]?.[field] ?? 0), 0);
}

/** The operation that the threshold is about, if arrivals start it. */
function thresholdOperation(
  { operations }: RateDrivenRole,
  { source }: Pick<Threshold, "source">,
): Operation {
  const [asked] = source.split(".");
  return operations.find((operation) => operation === asked) ?? operations[0] ?? "";
}

function completedArrivals(operations: OperationResults, drivenRole: RateDrivenRole): number {
  const { parts } = drivenRole;
  const transactions = sumOf(operations, drivenRole, "transactions");
  const failed = parts.reduce((sum, part) => sum + unservedArrivals(operations, part), 0);
  return Math.max(0, transactions - failed);
}

function objection(
  { result, totals }: ProbeMeasurement,
  drivenRole: RateDrivenRole,
  threshold: Threshold,
  canDropArrivals: boolean,
): { seen: number | undefined; reason: string | undefined } {
  const measured = {
    operations: result.operations,
    histograms: totals.histograms,
    audits: result.integrity ? [result.integrity] : [],
    invalid: invalidTrials([result]),
  };
  const seen = seenValue(threshold, measured);
  const [offered, dropped] = [
    sumOf(result.operations, drivenRole, "offered"),
    sumOf(result.operations, drivenRole, "dropped"),
  ];
  const { clients } = drivenRole.roleSettings.load;
  const left = offered - completedArrivals(result.operations, drivenRole);
  const reasons = [
    ...(seen === undefined ? [`${threshold.metric} has no samples`] : []),
    ...(seen !== undefined && !meetsBound(threshold, seen)
      ? [`${threshold.expression} was ${measuredText(seen, threshold.expression)}`]
      : []),
    ...(canDropArrivals && dropped > 0
      ? [`${counted(dropped, "arrival was", "arrivals were")} dropped`]
      : []),
    ...(left > clients + UNFINISHED_RATIO_MAX * offered
      ? [`${left} of ${counted(offered, "arrival")} ${left === 1 ? "was" : "were"} not done in the window`]
      : []),
  ];
  return { seen, reason: reasons.length > 0 ? reasons.join("; ") : undefined };
}

export function judgeProbe(
  measured: ProbeMeasurement,
  treatment: Treatment,
  threshold: Threshold,
  about: ProbeRequest,
): CapacityProbe {
  const { result } = measured;
  const drivenRole = rateDrivenRole(treatment);
  const canDropArrivals = "maxWaitMs" in drivenRole.roleSettings.load;
  const { seen, reason } = objection(measured, drivenRole, threshold, canDropArrivals);
  const { responseTimeMs } = result.operations[thresholdOperation(drivenRole, threshold)] ?? {};
  const perSecond = (count: number): number => (result.windowSeconds > 0 ? count / result.windowSeconds : 0);
  const expected = EXPECTED_CHECKS[reason === undefined ? "held" : "failed"];
  const few = seen === undefined ? undefined : fewSamplesReason(threshold, measured.totals);
  const fewSamplesText = `too few samples for ${threshold.expression} (${few ?? ""}): lengthen trial.duration`;
  const doubts = [
    ...(few === undefined ? [] : [{ check: "few-samples", words: fewSamplesText }]),
    ...(result.diagnosis ?? []),
  ]
    .filter(({ check }) => !expected.has(check))
    .map(({ check, words }) => ({ check, words }));
  return {
    trial: result.number,
    ...about,
    offeredPerSecond: perSecond(sumOf(result.operations, drivenRole, "offered")),
    achievedPerSecond: perSecond(completedArrivals(result.operations, drivenRole)),
    dropped: sumOf(result.operations, drivenRole, "dropped"),
    seen: seen ?? null,
    p99Ms: responseTimeMs?.p99 ?? null,
    held: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(doubts.length > 0 && { doubts }),
  };
}

/** Whether the probe repeated `ratePerSecond` to confirm it. */
export function isConfirmation(probe: CapacityProbe, ratePerSecond: number | null): boolean {
  return probe.purpose === "confirm" && probe.ratePerSecond === ratePerSecond;
}

export function capacityOf(
  treatment: Treatment,
  { metric, expression, source }: Threshold,
  probeTrials: readonly { readonly probe: CapacityProbe }[],
  found: SearchResult,
): Capacity {
  const drivenRole = rateDrivenRole(treatment);
  const { roleSettings } = drivenRole;
  const operation = thresholdOperation(drivenRole, { source });
  const { ratePerSecond: rate, failsAtPerSecond: fails } = found;
  const probes = probeTrials.map(({ probe }) => probe);
  const countedProbes = probes
    .map((probe, position) => ({ ...probe, position }))
    .filter((probe) => counts(probe));
  const confirmed = countedProbes.filter((each) => isConfirmation(each, rate) && each.held);
  const { durationMs } = treatmentAt(treatment, rate ?? 1).settings.trial;
  return {
    treatment: treatment.id,
    metric,
    expression,
    operation,
    clients: roleSettings.load.clients,
    ...found,
    ...(rate !== null && capacityInterval(countedProbes, rate, fails)),
    confirmations: confirmed.length,
    windowSeconds: durationMs / 1000,
    probes,
  };
}

export function probeText(probe: CapacityProbe): string {
  const { purpose, ratePerSecond, achievedPerSecond } = probe;
  const about = purpose === "recover" ? "after an overload, " : "";
  const held = probe.held ? "holds" : `does not hold: ${probe.reason ?? ""}`;
  const outcome = probe.discarded === true ? "was probed first and is discarded" : held;
  return `${about}${ratePerSecond}/s ${outcome} (${shortNumber(achievedPerSecond)}/s done)`;
}
