import { NETWORK_PLACES, type FaultContext, type NetworkPlace } from "../faults/fault.js";
import { kindOf } from "../faults/registry.js";
import { workloadOf } from "../workloads/registry.js";
import type { TreatmentSettings } from "./settings.js";

export function faultContextOf(settings: TreatmentSettings): FaultContext {
  const { target, pool, agents } = settings;
  const workload = workloadOf(settings);
  return {
    target,
    pool,
    agents,
    tables: workload.tables,
    hasQueuePrograms: workload.programs !== undefined && agents === 0,
    knowsOneAddress: workload.knowsOneAddress === true,
    noCommitReason: workload.withoutCommit?.(settings),
  };
}

/** Places at which proxies stand for the treatment's faults. */
export function networkPlacesOf(settings: TreatmentSettings): NetworkPlace[] {
  const context = faultContextOf(settings);
  const places = settings.faults.flatMap((fault) => kindOf(fault.kind).networkPlace?.(fault, context) ?? []);
  return NETWORK_PLACES.filter((place) => places.includes(place));
}
