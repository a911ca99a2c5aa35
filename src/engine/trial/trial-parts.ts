import type { TrainSimError } from "../../foundation/errors.js";
import type { AdminSession, NamespaceClaim } from "../../database/contract.js";
import type { Totals } from "../../metrics/totals.js";
import type { TrialResult } from "../../results/result-schema.js";
import type { PlannedTrial, Treatment } from "../../scenario/settings.js";
import type { RunningTarget } from "../../targets/running-target.js";
import type { Interruption } from "../session/interruption.js";
import type { ExperimentObserver } from "../session/observer.js";
import type { StartBarrier } from "./meeting.js";
import type { PoolerVersion } from "./pooler.js";
import type { ServerIdentities } from "../evidence/server-identities.js";
import type { WorkerPlace } from "../workers/worker-place.js";

export interface TrialHost {
  readonly target: RunningTarget;
  readonly admin: AdminSession;
  readonly identities: ServerIdentities;
  readonly place: WorkerPlace;
  readonly claim: NamespaceClaim;
  readonly observer: ExperimentObserver;
  readonly interruption: Interruption;
  /** Barrier at which trials that run at the same time begin, this trial included. */
  readonly meeting: StartBarrier;
  readonly onPooler: (pooler: PoolerVersion) => void;
  /** Called with the running totals of the window, once a second while it lasts. */
  readonly onTotals?: TotalsWatcher;
}

/**
 * Receives the totals so far. `windowSeconds` is the part of the window that they cover; a late report repeats an earlier
 * second.
 */
export type TotalsWatcher = (totals: Totals, windowSeconds: number) => void;

export interface TrialInputs {
  readonly trial: PlannedTrial;
  readonly treatment: Treatment;
  readonly directory: string;
}

/** A finished trial with its histograms, to be merged over the trials of a treatment. */
export interface FinishedTrial {
  readonly result: TrialResult;
  readonly totals: Totals;
  readonly failure?: TrainSimError;
}
