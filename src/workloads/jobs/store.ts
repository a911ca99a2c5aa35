import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction } from "../../database/session.js";
import type { Store } from "../stores.js";
import type { Treatment } from "./settings.js";

export interface JobsOperations {
  /** Adds to the counter of a row that has nothing to do with the queue. */
  bystand(id: number): PreparedTransaction<true>;
}

/** A job that the tables of the queue hold, as the queue's query returns it. */
export interface StoredJob {
  readonly id: string | null;
  readonly state: string | null;
  /** JSON of the payload. */
  readonly payload: string | null;
}

export interface JobsStore extends Store<Treatment> {
  operations(settings: Treatment): JobsOperations;
  fill(admin: AdminSession, settings: Treatment): Promise<void>;
  /** Makes the view that lists the queue's jobs from the queue's query. */
  showJobs(admin: AdminSession, settings: Treatment, query: string): Promise<void>;
  /** True if no job waits or runs. */
  isEmpty(admin: AdminSession, settings: Treatment): Promise<boolean>;
  /** All jobs of the tables, in one snapshot. */
  scan(admin: AdminSession, settings: Treatment, onJob: (job: StoredJob) => void): Promise<void>;
}
