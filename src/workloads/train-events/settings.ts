import type { DialectName } from "../../database/registry.js";
import type { Isolation, Storage } from "../../database/levels.js";
import type { ValueRange } from "../../load/load-settings.js";
import type { IdKind } from "../event-id.js";
import type { AdvanceProbabilities, ArchivedLevel } from "./model/lifecycle.js";

export const PAYLOADS = ["jsonb", "jsonb-manual", "text", "text-generated"] as const;

export type Payload = (typeof PAYLOADS)[number];

interface PayloadTraits {
  readonly columnType: "jsonb" | "text";
  /** True if event_type, authority_id and train_id are generated columns; false if the program writes their values. */
  readonly areColumnsGenerated: boolean;
  readonly hasDocumentIndex: boolean;
}

export const PAYLOAD_TRAITS: Readonly<Record<Payload, PayloadTraits>> = {
  jsonb: { columnType: "jsonb", areColumnsGenerated: true, hasDocumentIndex: true },
  "jsonb-manual": { columnType: "jsonb", areColumnsGenerated: false, hasDocumentIndex: false },
  text: { columnType: "text", areColumnsGenerated: false, hasDocumentIndex: false },
  "text-generated": { columnType: "text", areColumnsGenerated: true, hasDocumentIndex: false },
};

/** Levels of `storage` for the tables. */
export const EVENT_STORAGES = [
  "default",
  "hash-sharded",
  "ao-row",
  "ao-column",
  "pax",
] as const satisfies readonly Storage[];

export const LOCKINGS = ["for-update", "skip-locked", "nowait"] as const;

export type Locking = (typeof LOCKINGS)[number];

export const STATEMENT_SHAPES = ["set-based", "row-by-row", "in-database", "single-statement"] as const;

export type StatementShape = (typeof STATEMENT_SHAPES)[number];

/** Statement shapes that change documents in the database, which reads them as JSONB. */
export const DATABASE_SHAPES: readonly StatementShape[] = ["in-database", "single-statement"];

/** Indexes that give claims their order: a partial index for each set of statuses, or one index on status and time. */
export const CLAIM_INDEXES = ["partial", "status-updated"] as const;

export type ClaimIndex = (typeof CLAIM_INDEXES)[number];

/**
 * Ways to delete an archived event from the live tables: a DELETE on each table, or one DELETE and a foreign key that
 * cascades.
 */
export const ARCHIVE_DELETES = ["explicit", "cascade"] as const;

export type ArchiveDelete = (typeof ARCHIVE_DELETES)[number];

/** Default levels of factors about tables, claims and archiving. */
export const DEFAULT_LEVELS = {
  claimIndex: "partial",
  archived: "finished",
  archiveDelete: "explicit",
} as const satisfies Pick<EventSettings, "claimIndex" | "archived" | "archiveDelete">;

/** Levels that a scenario sets for the factors of `DEFAULT_LEVELS`. */
export type OptionalLevels = Partial<Pick<EventSettings, keyof typeof DEFAULT_LEVELS>>;

/** Levels of validation: check all documents that are made or claimed, one in a hundred, or none. */
export const VALIDATIONS = ["all", "sample", "off"] as const;

export type Validation = (typeof VALIDATIONS)[number];

export const TOPOLOGIES = ["actors", "cycle"] as const;

export type Topology = (typeof TOPOLOGIES)[number];

/** Sources of the values in documents: train-sim's generator, or the workload that Train Events comes from. */
export const DOCUMENT_SHAPES = ["default", "source"] as const;

export type DocumentShape = (typeof DOCUMENT_SHAPES)[number];

/** Changes of the documents' schema: none, or documents that are added have a member that preloaded ones lack. */
export const DOCUMENT_EVOLUTIONS = ["none", "new-member"] as const;

export type DocumentEvolution = (typeof DOCUMENT_EVOLUTIONS)[number];

/** Places where new documents are made: the client, which sends them, or the database, from values that the client sends. */
export const DOCUMENT_PLACES = ["client", "database"] as const;

export type DocumentPlace = (typeof DOCUMENT_PLACES)[number];

/** Kinds of reads, each with the name of its operation. */
export const READ_OPERATIONS = {
  dispatcher: "read",
  id: "readId",
  authority: "readAuthority",
  typeTime: "readTypeTime",
  path: "readPath",
  newest: "readNewest",
  byType: "readByType",
} as const;

export type ReadKind = keyof typeof READ_OPERATIONS;
export const READ_KINDS = Object.keys(READ_OPERATIONS) as ReadKind[];

/** Kinds of reads that consist of one statement. */
export type QuestionKind = Exclude<ReadKind, "dispatcher">;
export const QUESTION_KINDS = READ_KINDS.filter((kind) => kind !== "dispatcher");

/** Weight of each kind of read in the readers' mix. */
export type ReadWeights = Readonly<Record<ReadKind, number>>;

export const DISPATCHER_ONLY_WEIGHTS: ReadWeights = {
  dispatcher: 1,
  id: 0,
  authority: 0,
  typeTime: 0,
  path: 0,
  newest: 0,
  byType: 0,
};

/** Transactions that can pause while they hold their locks. */
export const DELAYED_OPERATIONS = ["add", "process", "archive"] as const;

export type DelayedOperation = (typeof DELAYED_OPERATIONS)[number];

/** Roles. In the cycle topology the clients of `cycle` add, process and archive in turn. */
export const ROLES = ["producers", "consumers", "archivers", "readers", "cycle"] as const;

export type Role = (typeof ROLES)[number];

export interface EventSettings {
  readonly dialect: DialectName;
  /** Name of the PostgreSQL schema that train-sim creates, marks and drops. */
  readonly namespace: string;
  readonly payload: Payload;
  readonly locking: Locking;
  readonly isolation: Isolation;
  readonly ids: IdKind;
  readonly statementShape: StatementShape;
  /** Range of the number of events that a transaction adds, or at most processes or archives. */
  readonly batch: ValueRange;
  /** Range of the pause in milliseconds inside each transaction, which keeps its locks meanwhile. */
  readonly appDelayMs: Readonly<Record<DelayedOperation, ValueRange>>;
  readonly advance: AdvanceProbabilities;
  readonly claimIndex: ClaimIndex;
  readonly archived: ArchivedLevel;
  readonly archiveDelete: ArchiveDelete;
  readonly documentBytes: number;
  readonly documentShape: DocumentShape;
  /** Default: all documents have the same members. */
  readonly documentEvolution?: DocumentEvolution;
  /** Default: the client makes the documents. */
  readonly documentPlace?: DocumentPlace;
  readonly validate: Validation;
  /** Number of events that are inserted before the warm-up, all with the status PENDING. */
  readonly preload: number;
  readonly topology: Topology;
  readonly reads: ReadWeights;
}
