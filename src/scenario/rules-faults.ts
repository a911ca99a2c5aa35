// Rules over `faults`: keys that belong to another kind, faults that do not fit into the window, that cannot happen at
// once, or that this target and this pool cannot suffer. A fault that cannot be had is refused here with the reason,
// before anything is started, rather than left out of the run. Pure checks over a scenario that passed its schema.
import { formatDuration } from "../foundation/units.js";
import { isBudgeted } from "./plan/estimate.js";
import { obstacleTo } from "./fault-obstacles.js";
import { areExclusive, FAULTS, takesAllConnections, type Fault, type FaultTraits } from "../faults/faults.js";
import type { Finding } from "../syntax/problems.js";
import type { Scenario } from "./schema.js";
import type { FaultMapping } from "../faults/schema-faults.js";
import type { TreatmentSettings } from "./settings.js";

const COMMON_KEYS: readonly string[] = ["at", "kind", "for"];

function keyFindings(given: FaultMapping, index: number): Finding[] {
  const { takes: own, length }: FaultTraits = FAULTS[given.kind];
  const findings = Object.entries(given)
    .filter(([key, value]) => value !== undefined && !COMMON_KEYS.includes(key) && !own.includes(key))
    .map(([key]): Finding => {
      const owners = Object.entries(FAULTS).filter(([, traits]) =>
        (traits.takes as readonly string[]).includes(key),
      );
      const kinds = owners.map(([kind]) => kind).join(" or ");
      const taken = own.length > 0 ? `; ${given.kind} takes ${own.join(", ")}` : "";
      return {
        path: ["faults", index, key],
        message: `belongs to kind ${kinds}, not to ${given.kind}${taken}`,
        isAboutKey: true,
      };
    });
  if (length === "none" && given.for !== undefined)
    findings.push({
      path: ["faults", index, "for"],
      message: `${given.kind} is over once it has happened; take for out`,
      isAboutKey: true,
    });
  return findings;
}

function needFindings(given: FaultMapping, index: number): Finding[] {
  const { length, needs }: FaultTraits = FAULTS[given.kind];
  const path = ["faults", index];
  const findings: Finding[] = [];
  if (length === "needed" && given.for === undefined)
    findings.push({ path, message: `${given.kind} needs a for: how long it lasts, as for: 5s` });
  if (needs && given[needs[0]] === undefined)
    findings.push({ path, message: `${given.kind} needs a ${needs[0]}, as ${needs[0]}: ${needs[1]}` });
  return findings;
}

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

function overlapFindings(faults: readonly Fault[]): Finding[] {
  return faults.flatMap((fault, index) => {
    const earlier = faults.findIndex(
      (other, i) =>
        i < index &&
        (areExclusive(fault, other) || takesAllConnections(fault, other)) &&
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

export function faultKeyRules({ faults }: Scenario): Finding[] {
  return faults.flatMap(keyFindings);
}

export function faultNeedRules({ faults }: Scenario): Finding[] {
  return faults.flatMap(needFindings);
}

export function faultWindowRules(_: Scenario, settings: TreatmentSettings): Finding[] {
  return settings.faults.flatMap((fault, index) => windowFindings(fault, index, settings));
}

export function overlapRules(_: Scenario, settings: TreatmentSettings): Finding[] {
  return overlapFindings(settings.faults);
}

export function obstacleRules(_: Scenario, settings: TreatmentSettings): Finding[] {
  return settings.faults.flatMap((fault, index): Finding[] => {
    const reason = obstacleTo(fault, settings);
    const path = ["faults", index, "kind"];
    return reason === undefined ? [] : [{ path, message: `${fault.kind} ${reason}` }];
  });
}
