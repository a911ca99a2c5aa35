import type { ThreadAssignment } from "../../../actors/assignment.js";
import type { WorkloadTreatment } from "../../workload.js";
import type { LedgerSource } from "../model/ledger.js";
import type { EventSettings } from "../settings.js";

export type EventTreatment = EventSettings & WorkloadTreatment;
export type EventAssignment = ThreadAssignment<EventTreatment>;

/** The head of a publishing worker's ledger: everything that its keys and documents are made from. */
export function ledgerSourceOf({ ordinal, role, trial, settings }: EventAssignment): LedgerSource {
  const { ids, documentBytes, documentShape } = settings;
  return { worker: ordinal, stream: role, ids, seed: trial.seed, documentBytes, documentShape };
}
