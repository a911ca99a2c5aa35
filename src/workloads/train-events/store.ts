// The contract of a store of events. Actors never see SQL.
import type { AdminSession } from "../../database/contract.js";
import type { MadeTransaction, Session } from "../../database/session.js";
import type { Statement, StatementRow } from "../../database/sql.js";
import type { Store } from "../stores.js";
import type { EventTreatment } from "./actors/assignment.js";
import type { TableCounts } from "./model/conservation.js";
import type { EventBatch } from "./model/event-batch.js";
import type { EventType, PreparedEvent } from "./model/event.js";
import type { AdvanceProbabilities, EventPass, EventStatus } from "./model/lifecycle.js";

export interface ProcessRequest {
  /** Events to lock at most. */
  readonly limit: number;
  /** Uniform over [0, 1): decides each event's advance. */
  readonly roll: () => number;
  readonly chances: AdvanceProbabilities;
}

/** A pass of a process transaction over one event. */
export interface ClaimedPass extends EventPass {
  /** The document as it was claimed, JSON; left out if the database decides by itself. */
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
   * Rows of the newest events, then rows of a train's events: key, creation, document. One answer with both, in no
   * promised order, if one statement asks for both.
   */
  readonly answers: readonly (readonly StatementRow[])[];
}

/** A question about the live events that one statement asks. */
export type Question =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "authority"; readonly authorityId: string }
  /** Both ends included; `to` as the server writes it. */
  | { readonly kind: "typeTime"; readonly eventType: string; readonly from: Date; readonly to: string }
  /** A part that the document contains, as `@>` has it. */
  | { readonly kind: "path"; readonly part: object }
  | { readonly kind: "newest" }
  | { readonly kind: "byType" };

/** Live events that a look is to find; it may find an event twice. */
export interface LiveSought {
  readonly authorityIds: readonly string[];
  /** The newest events of this type are sought too. */
  readonly eventType: EventType;
  /** Most events under these authorities, and most events of this type. */
  readonly most: number;
}

/**
 * A transaction with an optional app delay: an add waits between its events and their statuses, a process between statuses
 * and payloads, an archive between copying and deleting, a transaction of a single statement after it.
 */
export type MadePaused<T> = {
  bivariant(session: Session, appDelay?: () => Promise<void>): Promise<T>;
}["bivariant"];

/** The transactions of one treatment. */
export interface EventOperations {
  /** Every statement that the transactions below may run, for `schema print --statements`. */
  readonly statements: readonly Statement[];
  /** The transaction keeps nothing of the batch, which may be overwritten afterwards. */
  add(batch: EventBatch): MadePaused<void>;
  /** Room before each document of a batch that spares copying documents one by one; any other room works too. */
  readonly documentRoom: number;
  process(request: ProcessRequest): MadePaused<ProcessOutcome>;
  archive(limit: number): MadePaused<ArchiveOutcome>;
  /** Looks events up as a dispatcher would: recent ones of a type, one train's. */
  read(probe: Pick<PreparedEvent, "eventType" | "authorityId" | "trainId">): MadeTransaction<ReadOutcome>;
  /** Resolves to key, creation and document of each event; of `byType` to type, number and newest creation. */
  ask(question: Question): MadeTransaction<readonly StatementRow[]>;
  /** Rows as those of an event, on a connection of the load but no part of it. */
  someLive(session: Session, sought: LiveSought): Promise<readonly StatementRow[]>;
  /** Number of these keys, `KEY_BYTES` each, that are live or archived: none or all of an add in doubt. */
  countPresent(session: Session, keys: Buffer): Promise<number>;
}

export type LiveDocument = Readonly<Record<"id" | "payload", string>>;

/** Questions that verify a sampled read or claim, on a connection of the load but no part of it; no latency contains them. */
export interface Verification {
  /** Keys of live events of a type, oldest first, that are newer than `createdAt` as the server wrote it; of all without it. */
  newerThan(session: Session, type: EventType, createdAt: string | undefined): Promise<string[]>;
  isLive(session: Session, id: string): Promise<boolean>;
  /**
   * Keys, at most `most`, of workable events that no transaction has touched since before the youngest of the claimed ones
   * was created: a claim in order takes them first, unless they are locked. Those that any transaction ever locked are
   * left out if the server tells, because another session may have held them.
   */
  passedOver(session: Session, claimed: readonly string[], most: number): Promise<string[]>;
  /** Keys and documents, JSON, of those events that are live. */
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

/** One event as the tables hold it. */
export interface EventRow {
  readonly id: string;
  /** Null for a live event without a status row. */
  readonly status: EventStatus | null;
  readonly attempts: number | null;
  readonly isArchived: boolean;
  /** Whether its timestamps rise, as far as clocks agree: created, then updated or archived. Null without a status row. */
  readonly isInOrder: boolean | null;
  /** Whether its timestamps lie between the trial's start and the audit. Null without a status row. */
  readonly isInTrial: boolean | null;
  /** The first `CHECKSUM_DIGITS` of the MD5 of the document's text and the flat columns, with separators between. */
  readonly checksum: string;
}

/** Length of a checksum in hexadecimal digits. */
export const CHECKSUM_DIGITS = 16;
export const CHECKSUM_SEPARATOR = "|";

/** Moments by the database's clock, before the first event was there and after the last. */
export interface TrialClock {
  readonly startedAt: string;
  readonly endedAt: string;
  /** Milliseconds by which clocks that stamp rows may differ. */
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
  /** Both live and archived, or an event without a status row or the reverse. */
  readonly kind: "duplicated" | "orphaned";
}

/** All tables in one snapshot, as an audit reads them: one answer after the other. */
export interface EventTables {
  /** Milliseconds by which the clocks of the server's nodes may differ. */
  readonly clockSkewMs: number;
  /** Whether the text of a JSONB value is, byte for byte, the text that PostgreSQL makes of it. */
  readonly writesJsonbAsPostgres: boolean;
  /** The database's clock, as it writes a timestamp. */
  clock(): Promise<string>;
  keySums(): Promise<readonly RangeSum[]>;
  /** Keys of these ranges by worker and batch; an event that is both live and archived comes twice. */
  presentKeys(ranges: readonly Pick<RangeSum, "worker" | "range">[]): AsyncGenerator<readonly PresentKey[]>;
  /** Every event, in no order; an event that is both live and archived comes twice. */
  events(clock: TrialClock): AsyncGenerator<readonly EventRow[]>;
  written(ids: readonly string[]): Promise<readonly WrittenEvent[]>;
  misplaced(most: number): Promise<readonly Misplaced[]>;
  counts(): Promise<TableCounts>;
  /** Mean process passes of events that reached their end, archived or not; null without any. */
  passesPerEvent(): Promise<number | null>;
}

/** Settings of a treatment that decide how its tables are filled. */
export type FillSettings = Pick<EventTreatment, "dialect" | "namespace" | "payload"> &
  Partial<Pick<EventTreatment, "prepared">>;

export interface EventStore extends Store<EventTreatment> {
  operations(settings: EventTreatment): EventOperations;
  verification(settings: EventTreatment): Verification;
  /** The database's clock, as it writes a timestamp. */
  clock(admin: AdminSession): Promise<string>;
  /** Inserts batches, which may be made in the same memory; `batchesWith` takes the `documentRoom` to make them with. */
  fill(
    admin: AdminSession,
    settings: FillSettings,
    batchesWith: (documentRoom: number) => Iterable<EventBatch>,
    lockTimeout?: string,
  ): Promise<void>;
  /** Whether anything is left for consumers, and for archivers. */
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
