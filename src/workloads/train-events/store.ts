// The contract of a store of events. Actors never see SQL.
import type { AdminSession } from "../../database/contract.js";
import type { PreparedTransaction, Session } from "../../database/session.js";
import type { Statement, StatementRow } from "../../database/sql.js";
import type { Store } from "../stores.js";
import type { EventTreatment } from "./clients/assignment.js";
import type { TableCounts } from "./model/conservation.js";
import type { EventBatch } from "./model/event-batch.js";
import type { EventType, PreparedEvent } from "./model/event.js";
import type { AdvanceProbabilities, EventPass, EventStatus } from "./model/lifecycle.js";

export interface ProcessRequest {
  /** Largest number of events to lock. */
  readonly limit: number;
  /** Draws uniformly from [0, 1). Each number decides the advance of one event. */
  readonly roll: () => number;
  readonly chances: AdvanceProbabilities;
}

/** A pass of a process transaction over one event, with the event's document if the program has it. */
export interface ClaimedPass extends EventPass {
  /** Document of the claimed event as JSON; left out if the database decides without sending it. */
  readonly payload?: string;
}

export interface ProcessOutcome {
  readonly passes: readonly ClaimedPass[];
  /** Number of events that were locked, changed and written back; 0 is an empty poll. */
  readonly events: number;
  /** Number of events that went PENDING -> PROCESSING. */
  readonly claimed: number;
  /** Keys of events that this transaction moved to COMPLETE. */
  readonly completedIds: readonly string[];
  /** Keys of events that this transaction moved to FAILED. */
  readonly failedIds: readonly string[];
}

export interface ArchiveOutcome {
  /** Keys of events moved to the archive; none for an empty poll. */
  readonly archivedIds: readonly string[];
}

export interface ReadOutcome {
  /**
   * Rows of the newest events, then rows of a train's events: key, creation, document. If one statement asks for both,
   * there is one answer with both, in no promised order.
   */
  readonly answers: readonly (readonly StatementRow[])[];
}

/** A question about the live events, which one statement asks. */
export type Question =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "authority"; readonly authorityId: string }
  /** Range of time with both ends included; `to` in the server's format. */
  | { readonly kind: "typeTime"; readonly eventType: string; readonly from: Date; readonly to: string }
  /** Part of a document. A document matches if it contains the part, as `@>` defines. */
  | { readonly kind: "path"; readonly part: object }
  | { readonly kind: "newest" }
  | { readonly kind: "byType" };

/** Live events to look up: events of some authorities, and the newest of a type. An event may be found in both ways. */
export interface LiveLookup {
  readonly authorityIds: readonly string[];
  /** Type whose newest events are also found. */
  readonly eventType: EventType;
  /** Largest number of events under the authorities, and again of events of the type. */
  readonly most: number;
}

/**
 * A transaction that may pause for an app delay: an add between events and statuses, a process between statuses and
 * payloads, an archive between copying and deleting. A transaction of a single statement pauses after it.
 */
export type PausableTransaction<T> = {
  bivariant(session: Session, appDelay?: () => Promise<void>): Promise<T>;
}["bivariant"];

export interface EventOperations {
  /** All statements that the transactions below may run, for `schema print --statements`. */
  readonly statements: readonly Statement[];
  /** Makes an add transaction. It keeps nothing of the batch, whose memory may be overwritten afterwards. */
  add(batch: EventBatch): PausableTransaction<void>;
  /**
   * Number of bytes to leave before each document of a batch: with it, documents need not be copied one by one. Any other
   * number works, too.
   */
  readonly documentRoom: number;
  process(request: ProcessRequest): PausableTransaction<ProcessOutcome>;
  archive(limit: number): PausableTransaction<ArchiveOutcome>;
  /** Makes the look-ups of a dispatcher: the recent events of a type, and the events of a train. */
  read(probe: Pick<PreparedEvent, "eventType" | "authorityId" | "trainId">): PreparedTransaction<ReadOutcome>;
  /** Resolves to key, creation and document of each event; for `byType` to type, number and newest creation. */
  ask(question: Question): PreparedTransaction<readonly StatementRow[]>;
  /** Reads some live events on a connection of the load. The read does not count as load. */
  someLive(session: Session, sought: LiveLookup): Promise<readonly StatementRow[]>;
  /** Number of these keys, `KEY_BYTES` each, that are live or archived. An add in doubt has left all of its keys or none. */
  countPresent(session: Session, keys: Buffer): Promise<number>;
}

export type LiveDocument = Readonly<Record<"id" | "payload", string>>;

/** Queries that verify sampled reads and claims. They run on a connection of the load and are in no latency. */
export interface Verification {
  /** Keys of live events of a type, oldest first, created after `createdAt` (in the server's format) if given. */
  idsNewerThan(session: Session, type: EventType, createdAt: string | undefined): Promise<string[]>;
  isLive(session: Session, id: string): Promise<boolean>;
  /**
   * At most `most` keys of workable events that were there, unchanged, before the youngest claimed event was created: a
   * claim in order takes them first unless they are locked. Events that a transaction ever locked are left out if the
   * server shows that, because another session may have held them.
   */
  passedOverIds(session: Session, claimed: readonly string[], most: number): Promise<string[]>;
  /** Keys and documents (JSON) of the given events that are live. */
  documents(session: Session, ids: readonly string[]): Promise<readonly LiveDocument[]>;
}

/**
 * The `KeySum` of the keys that the tables hold of one range: `BATCHES_PER_RANGE` batches of a worker, from number `range *
 * RANGE_BATCHES` on.
 */
export interface RangeSum {
  readonly worker: number;
  readonly range: number;
  readonly count: number;
  readonly u: number;
  readonly v: number;
}

export interface PresentKey {
  readonly id: string;
  readonly worker: number;
  readonly batch: number;
}

/** One event as the tables hold it. */
export interface EventRow {
  readonly id: string;
  /** Null for a live event without a status row. */
  readonly status: EventStatus | null;
  readonly attempts: number | null;
  readonly isArchived: boolean;
  /**
   * True if the event's timestamps rise, within the skew of clocks: created before updated or archived. Null without a
   * status row.
   */
  readonly isInOrder: boolean | null;
  /** True if its timestamps lie between the trial's start and the audit. Null without a status row. */
  readonly isInTrial: boolean | null;
  /**
   * Checksum of the document's text and the flat columns, with separators: the first `CHECKSUM_DIGITS` digits of their MD5.
   */
  readonly checksum: string;
}

/** Length of a checksum in hexadecimal digits. */
export const CHECKSUM_DIGITS = 16;
export const CHECKSUM_SEPARATOR = "|";

/** Times on the database's clock before the first event of the trial and after the last. */
export interface TrialClock {
  readonly startedAt: string;
  readonly endedAt: string;
  /** Milliseconds by which the clocks that stamp rows may differ. */
  readonly skewMs: number;
}

/** Document and flat columns of one event. */
export interface WrittenEvent {
  readonly id: string;
  readonly isArchived: boolean;
  readonly payload: string;
  readonly event_type: string;
  readonly authority_id: string;
  readonly train_id: string;
}

export interface MisplacedRow {
  readonly id: string;
  /** `duplicated`: both live and archived. `orphaned`: an event without a status row or the reverse. */
  readonly kind: "duplicated" | "orphaned";
}

/** Queries of an audit, all in one snapshot. Each must be answered before the next is asked. */
export interface EventTables {
  /** Milliseconds by which the clocks of the server's nodes may differ. */
  readonly clockSkewMs: number;
  /** True if the database writes a JSONB value as the same text as PostgreSQL, byte for byte. */
  readonly writesJsonbAsPostgres: boolean;
  /** Time on the database's clock, in its format of a timestamp. */
  clock(): Promise<string>;
  keySums(): Promise<readonly RangeSum[]>;
  /** Keys in these ranges, by worker and batch. An event that is both live and archived appears twice. */
  presentKeys(ranges: readonly Pick<RangeSum, "worker" | "range">[]): AsyncGenerator<readonly PresentKey[]>;
  /** All events, in no order; an event that is both live and archived appears twice. */
  events(clock: TrialClock): AsyncGenerator<readonly EventRow[]>;
  writtenEvents(ids: readonly string[]): Promise<readonly WrittenEvent[]>;
  misplacedRows(most: number): Promise<readonly MisplacedRow[]>;
  counts(): Promise<TableCounts>;
  /** Mean number of process passes of events that are COMPLETE or FAILED, archived or not; null if there are none. */
  passesPerEvent(): Promise<number | null>;
}

export type FillSettings = Pick<EventTreatment, "dialect" | "namespace" | "payload"> &
  Partial<Pick<EventTreatment, "prepared" | "documentPlace">>;

export interface EventStore extends Store<EventTreatment> {
  operations(settings: EventTreatment): EventOperations;
  verification(settings: EventTreatment): Verification;
  /** Time on the database's clock, in its format of a timestamp. */
  clock(admin: AdminSession): Promise<string>;
  /** Inserts batches. `batchesWith` gets the `documentRoom` and yields the batches, which may share memory. */
  fill(
    admin: AdminSession,
    settings: FillSettings,
    batchesWith: (documentRoom: number) => Iterable<EventBatch>,
    lockTimeout?: string,
  ): Promise<void>;
  /** True if the queue holds an event for consumers, or for archivers. */
  queueState(
    admin: AdminSession,
    settings: EventTreatment,
  ): Promise<{ readonly workable: boolean; readonly terminal: boolean }>;
  /** Reads the tables in one snapshot. Rejects with a TargetError if it has to wait too long for another session's lock. */
  scan<T>(
    admin: AdminSession,
    settings: Pick<EventTreatment, "dialect" | "namespace">,
    read: (tables: EventTables) => Promise<T>,
    lockTimeout?: string,
  ): Promise<T>;
}
