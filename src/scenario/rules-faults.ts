// Refuses faults that do not fit into the window, cannot happen at once, or that this target or pool cannot suffer.
import { formatDuration } from "../foundation/units.js";
import { areExclusive, obstacleTo } from "../faults/faults.js";
import type { Fault } from "../faults/registry.js";
import { faultContextOf } from "./fault-context.js";
import { isBudgeted } from "./plan/estimate.js";
import type { Finding } from "../syntax/problems.js";
import type { TreatmentSettings } from "./settings.js";
import { workloadOf } from "../workloads/registry.js";

function windowFindings(fault: Fault, index: number, settings: TreatmentSettings): Finding[] {
  if (isBudgeted(settings)) {
    const message =
      "faults come at their time in a window of known length, and a budget of iterations ends this one; use " +
      "an executor without iterations";
    return [{ path: ["faults", index], message }];
  }
  const { durationMs } = settings.trial;
  const endMs = fault.atMs + fault.forMs;
  if (fault.atMs < durationMs && endMs <= durationMs) return [];
  const until = fault.forMs > 0 ? ` and would last until ${formatDuration(endMs)}` : "";
  const message =
    `begins at ${formatDuration(fault.atMs)}${until}, but the window ends at ${formatDuration(durationMs)}; ` +
    "choose an earlier at or a longer trial.duration";
  return [{ path: ["faults", index, "at"], message }];
}

export function faultWindowRules(settings: TreatmentSettings): Finding[] {
  return settings.faults.flatMap((fault, index) => windowFindings(fault, index, settings));
}

export function faultOverlapRules({ faults }: TreatmentSettings): Finding[] {
  return faults.flatMap((fault, index) => {
    const earlier = faults.findIndex(
      (other, i) =>
        i < index &&
        areExclusive(fault, other) &&
        fault.atMs <= other.atMs + other.forMs &&
        other.atMs <= fault.atMs + fault.forMs,
    );
    const other = faults[earlier];
    if (!other) return [];
    const message =
      `${fault.kind} cannot be there together with faults[${earlier}], ${other.kind} from ` +
      `${formatDuration(other.atMs)} to ${formatDuration(other.atMs + other.forMs)}`;
    return [{ path: ["faults", index], message }];
  });
}

export function lossRules(settings: TreatmentSettings): Finding[] {
  const { name, auditing } = workloadOf(settings);
  if (settings.integrity.allow.length === 0 || auditing?.explainsLoss) return [];
  const message = `cannot be allowed for workload ${name}, whose audit does not know when each ${auditing?.one ?? "transaction"} was acknowledged, so it cannot relate a loss to a fault; remove it`;
  return [{ path: ["integrity", "allow"], message }];
}

export function faultObstacleRules(settings: TreatmentSettings): Finding[] {
  const surroundings = faultContextOf(settings);
  return settings.faults.flatMap((fault, index): Finding[] => {
    const reason = obstacleTo(fault, surroundings);
    const path = ["faults", index, "kind"];
    return reason === undefined ? [] : [{ path, message: `${fault.kind} ${reason}` }];
  });
}
