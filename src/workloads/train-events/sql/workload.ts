// The contract between actors and the database: the transactions of the Train Events workload, with every level
// of a treatment already decided. An actor hands in a batch and gets a transaction that it runs when it is time, and learns what
// happened; it never sees SQL.
// Implementations live beside this file, one per statement shape.
import type { AdvanceProbabilities, EventPass } from "../model/lifecycle.js";
import type { EventBatch } from "../model/event-batch.js";
import type { EventType, PreparedEvent } from "../model/event.js";
import type { MadeTransaction, Session } from "../../../database/session.js";
import type { StatementRow, Statement } from "../../../database/sql.js";

export interface ProcessRequest {
  /** Events to lock at most. */
  readonly limit: number;
  /** Uniform over [0, 1): decides each event's advance. */
  readonly roll: () => number;
  readonly chances: AdvanceProbabilities;
}

/** What it made of an event. */
export interface ClaimedPass extends EventPass {
  /** The document as it was claimed, JSON; not where the database decides by itself. */
  readonly payload?: string;
}

export interface ProcessOutcome {
  readonly passes: readonly ClaimedPass[];
  /** Events locked, changed and written back; 0 is an empty poll. */
  readonly events: number;
  /** Events that went PENDING -> PROCESSING. */
  readonly claimed: number;
  /** Keys of events that this transaction moved to COMPLETE. */
  readonly completedIds: readonly string[];
  /** Keys of events that this transaction moved to FAILED. */
  readonly failedIds: readonly string[];
}

export interface ArchiveOutcome {
  /** Keys of events moved to the archive; none is an empty poll. */
  readonly archivedIds: readonly string[];
}

export interface ReadOutcome {
  /**
   * Rows of `read.recent`, then those of `read.find`: key, creation, document. One answer with both, in no promised order,
   * where one statement asks for both.
   */
  readonly answers: readonly (readonly StatementRow[])[];
}

/** What one statement asks of the live events. */
export type Question =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "authority"; readonly authorityId: string }
  /** Both ends included; `to` as the server writes it. */
  | { readonly kind: "typeTime"; readonly eventType: string; readonly from: Date; readonly to: string }
  /** What the document contains, as `@>` has it. */
  | { readonly kind: "path"; readonly part: object }
  | { readonly kind: "newest" }
  | { readonly kind: "byType" };

/** Which live events a look is to find; it may find one twice. */
export interface LiveSought {
  readonly authorityIds: readonly string[];
  /** Of which the newest are sought. */
  readonly eventType: EventType;
  /** Events under these authorities, and events of this type. */
  readonly most: number;
}

/**
 * A transaction that waits the app delay, where there is one: an add between its events and their statuses, a process between
 * statuses and payloads, an archive between copying and deleting; one of a single statement after it.
 */
export type MadePaused<T> = {
  bivariant(session: Session, appDelay?: () => Promise<void>): Promise<T>;
}["bivariant"];

/** The transactions of one treatment. */
export interface Workload {
  /** Every statement that the transactions below may run, for `schema print --statements`. */
  readonly statements: readonly Statement[];
  /** What it gives keeps nothing of the batch, which may be overwritten then. */
  add(batch: EventBatch): MadePaused<void>;
  /** Room in a batch's column of documents that spares copying them one by one; any other does as well. */
  readonly documentRoom: number;
  process(request: ProcessRequest): MadePaused<ProcessOutcome>;
  archive(limit: number): MadePaused<ArchiveOutcome>;
  /** Looks events up as a dispatcher would: recent ones of a type, one train's. */
  read(probe: Pick<PreparedEvent, "eventType" | "authorityId" | "trainId">): MadeTransaction<ReadOutcome>;
  /** Resolves to key, creation and document of each event; of `byType` to type, number and newest creation. */
  ask(question: Question): MadeTransaction<readonly StatementRow[]>;
  /** Rows as those of an event. Beside the load: no part of it. */
  someLive(session: Session, sought: LiveSought): Promise<readonly StatementRow[]>;
  /** Of these keys, `KEY_BYTES` each, how many are live or archived: settles an add in doubt (0 or all, for one transaction). */
  countPresent(session: Session, keys: Buffer): Promise<number>;
}
