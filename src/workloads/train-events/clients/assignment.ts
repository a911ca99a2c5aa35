import type { ThreadAssignment } from "../../../clients/assignment.js";
import type { WorkloadTreatment } from "../../workload.js";
import type { LedgerSource } from "../model/ledger.js";
import type { EventSettings } from "../settings.js";

export type EventTreatment = EventSettings & WorkloadTreatment;
export type EventAssignment = ThreadAssignment<EventTreatment>;

/** Head of a publishing worker's ledger, from which its keys and documents can be made again. */
export function ledgerSourceOf({ ordinal, role, trial, settings }: EventAssignment): LedgerSource {
  const { ids, documentBytes, documentShape, documentEvolution } = settings;
  const source = { worker: ordinal, stream: role, ids, seed: trial.seed, documentBytes, documentShape };
  return { ...source, ...(documentEvolution === "new-member" && { documentEvolution }) };
}
