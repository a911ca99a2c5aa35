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
  /** Most events to lock. */
  readonly limit: number;
  /** Draws uniformly from [0, 1); the number decides each event's advance. */
  readonly roll: () => number;
  readonly chances: AdvanceProbabilities;
}

/** A pass of a process transaction over one event. */
export interface ClaimedPass extends EventPass {
  /** Claimed document as JSON; left out if the database decides by itself. */
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

/** A question about the live events that one statement asks. */
export type Question =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "authority"; readonly authorityId: string }
  /** Range of time with both ends included; `to` in the server's format. */
  | { readonly kind: "typeTime"; readonly eventType: string; readonly from: Date; readonly to: string }
  /** Part that the document contains, in the sense of `@>`. */
  | { readonly kind: "path"; readonly part: object }
  | { readonly kind: "newest" }
  | { readonly kind: "byType" };

/** Live events that a look-up must find; it may find an event twice. */
export interface LiveSought {
  readonly authorityIds: readonly string[];
  /** Type whose newest events are also found. */
  readonly eventType: EventType;
  /** Most events under these authorities, and most events of this type. */
  readonly most: number;
}

/**
 * A transaction with an optional app delay: an add waits between its events and their statuses, a process between statuses
 * and payloads, an archive between copying and deleting, a transaction of a single statement after it.
 */
export type PausableTransaction<T> = {
  bivariant(session: Session, appDelay?: () => Promise<void>): Promise<T>;
}["bivariant"];

export interface EventOperations {
  /** All statements that the transactions below may run, for `schema print --statements`. */
  readonly statements: readonly Statement[];
  /** Makes an add transaction, which keeps nothing of the batch: the batch may be overwritten afterwards. */
  add(batch: EventBatch): PausableTransaction<void>;
  /** Bytes before each document of a batch that spare copying documents one by one; any other number works too. */
  readonly documentRoom: number;
  process(request: ProcessRequest): PausableTransaction<ProcessOutcome>;
  archive(limit: number): PausableTransaction<ArchiveOutcome>;
  /** Looks events up like a dispatcher: recent events of a type, and the events of a train. */
  read(probe: Pick<PreparedEvent, "eventType" | "authorityId" | "trainId">): PreparedTransaction<ReadOutcome>;
  /** Resolves to key, creation and document of each event; for `byType` to type, number and newest creation. */
  ask(question: Question): PreparedTransaction<readonly StatementRow[]>;
  /** Rows of events, read on a connection of the load but outside of the load. */
  someLive(session: Session, sought: LiveSought): Promise<readonly StatementRow[]>;
  /** Number of these keys, `KEY_BYTES` each, that are live or archived: none or all keys of an add in doubt. */
  countPresent(session: Session, keys: Buffer): Promise<number>;
}

export type LiveDocument = Readonly<Record<"id" | "payload", string>>;

/** Queries that verify a sampled read or claim, on a connection of the load; no latency contains them. */
export interface Verification {
  /** Keys of live events of a type, oldest first, newer than `createdAt` in the server's format; without it, all. */
  newerThan(session: Session, type: EventType, createdAt: string | undefined): Promise<string[]>;
  isLive(session: Session, id: string): Promise<boolean>;
  /**
   * At most `most` keys of workable events that no transaction has touched since before the youngest claimed event was
   * created: a claim in order takes them first, unless they are locked. Events that any transaction ever locked are left
   * out if the server shows that, because another session may have held them.
   */
  passedOver(session: Session, claimed: readonly string[], most: number): Promise<string[]>;
  /** Keys and documents (JSON) of the live events among these. */
  documents(session: Session, ids: readonly string[]): Promise<readonly LiveDocument[]>;
}

/** The `KeySum` of the keys in the tables of one worker's batches from `range * RANGE_BATCHES` on. */
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

/** One event in the tables. */
export interface EventRow {
  readonly id: string;
  /** Null for a live event without a status row. */
  readonly status: EventStatus | null;
  readonly attempts: number | null;
  readonly isArchived: boolean;
  /** True if its timestamps rise, as far as clocks agree: created, then updated or archived. Null without a status row. */
  readonly isInOrder: boolean | null;
  /** True if its timestamps lie between the trial's start and the audit. Null without a status row. */
  readonly isInTrial: boolean | null;
  /** The first `CHECKSUM_DIGITS` of the MD5 of the document's text and the flat columns, with separators between. */
  readonly checksum: string;
}

/** Length of a checksum in hexadecimal digits. */
export const CHECKSUM_DIGITS = 16;
export const CHECKSUM_SEPARATOR = "|";

/** Times on the database's clock, before the first event existed and after the last. */
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

export interface Misplaced {
  readonly id: string;
  /** `duplicated`: both live and archived. `orphaned`: an event without a status row or the reverse. */
  readonly kind: "duplicated" | "orphaned";
}

/** All tables in one snapshot, for an audit: one answer after the other. */
export interface EventTables {
  /** Milliseconds by which the clocks of the server's nodes may differ. */
  readonly clockSkewMs: number;
  /** True if the text of a JSONB value equals PostgreSQL's text of it, byte for byte. */
  readonly writesJsonbAsPostgres: boolean;
  /** Time on the database's clock, in its format of a timestamp. */
  clock(): Promise<string>;
  keySums(): Promise<readonly RangeSum[]>;
  /** Keys of these ranges by worker and batch; an event that is both live and archived appears twice. */
  presentKeys(ranges: readonly Pick<RangeSum, "worker" | "range">[]): AsyncGenerator<readonly PresentKey[]>;
  /** All events, in no order; an event that is both live and archived appears twice. */
  events(clock: TrialClock): AsyncGenerator<readonly EventRow[]>;
  written(ids: readonly string[]): Promise<readonly WrittenEvent[]>;
  misplaced(most: number): Promise<readonly Misplaced[]>;
  counts(): Promise<TableCounts>;
  /** Mean process passes of events that reached their end, archived or not; null if there are none. */
  passesPerEvent(): Promise<number | null>;
}

export type FillSettings = Pick<EventTreatment, "dialect" | "namespace" | "payload"> &
  Partial<Pick<EventTreatment, "prepared">>;

export interface EventStore extends Store<EventTreatment> {
  operations(settings: EventTreatment): EventOperations;
  verification(settings: EventTreatment): Verification;
  /** Time on the database's clock, in its format of a timestamp. */
  clock(admin: AdminSession): Promise<string>;
  /** Inserts batches, which may be made in the same memory; `batchesWith` gets the `documentRoom` for them. */
  fill(
    admin: AdminSession,
    settings: FillSettings,
    batchesWith: (documentRoom: number) => Iterable<EventBatch>,
    lockTimeout?: string,
  ): Promise<void>;
  /** True if anything is left for consumers, or for archivers. */
  queueLeft(
    admin: AdminSession,
    settings: EventTreatment,
  ): Promise<{ readonly workable: boolean; readonly terminal: boolean }>;
  /** Reads the tables in one snapshot. Rejects with a TargetError if another session's lock is in the way for too long. */
  scan<T>(
    admin: AdminSession,
    settings: Pick<EventTreatment, "dialect" | "namespace">,
    read: (tables: EventTables) => Promise<T>,
    lockTimeout?: string,
  ): Promise<T>;
}
