// A dialect as data: statements and schema ask this table instead of the product's name.
import type { DependantQueries } from "../namespace/dependants.js";
import type { DialectCapabilities } from "../../capabilities.js";
import type { SamplerDialect } from "../evidence/view.js";
import type { DialectName } from "../settings.js";
import type { Isolation, Storage } from "../../levels.js";

export interface NamespaceMark {
  /** Statements that put `mark` on the quoted schema. */
  statements(schema: string, mark: string): readonly string[];
  /** Query for the mark of the schema named $1: no row if there is no such schema, a null `mark` if it has no mark. */
  readonly query: string;
  /** Statements that remove the mark before the schema is dropped. */
  removalStatements(schema: string, mark: string): readonly string[];
}

export interface Dialect {
  readonly name: DialectName;
  readonly capabilities: DialectCapabilities;
  /**
   * True if a namespace is made and dropped in one transaction, under an advisory lock: two train-sims that make the same
   * namespace wait for each other. If false, each statement is a transaction.
   */
  readonly supportsTransactionalDdl: boolean;
  /** Statement that waits for the job with the id $1; present if DDL statements answer with a `job_id`. */
  readonly awaitJobStatement?: string;
  /** Text of the statement that begins a transaction of that level; it goes by the simple protocol. */
  begin(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string;
  readonly supportsLockTimeout: boolean;
  /** Milliseconds by which the clocks of the database's nodes may differ; each node stamps its writes by its own clock. */
  readonly clockSkewMs: number;
  /**
   * SQL condition for rows that no transaction has locked since they were written; undefined if the server keeps no trace
   * of locks.
   */
  readonly neverLockedCondition?: string;
  /** True if a parameter can be an array of JSONB; if false, its elements go as text and are cast. */
  readonly supportsJsonbArrays: boolean;
  /** True if the text of a JSONB value equals PostgreSQL's text of it, byte for byte. */
  readonly writesJsonbAsPostgres: boolean;
  /** SQL condition by which a claim selects rows of these statuses; it matches the predicate of a partial index. */
  readonly statusCondition: (statuses: string) => string;
  /** Locking clause for the document of a claimed event; undefined if a snapshot makes the lock unnecessary. */
  readonly documentLock: string | undefined;
  readonly mark: NamespaceMark;
  /** Queries for objects that depend on a namespace; undefined if the catalogue has no dependencies. */
  readonly dependantQueries?: DependantQueries;
  /**
   * Values of `{{...}}` in the dialect's DDL, by level of storage. A level without an entry does not exist in the dialect.
   */
  readonly storages: Readonly<Partial<Record<Storage, Readonly<Record<string, string>>>>>;
  /** Quotes an identifier, which may contain any characters. */
  quoteIdentifier(name: string): string;
  /** SQL expression for the 16 bytes, as bytea, of the UUID that `expression` gives. */
  readonly uuidBytes: (expression: string) => string;
  readonly tablePagesQuery?: string;
  /**
   * Statement that brings the planner's statistics of a table up to date; with `vacuum` it also cleans up after a bulk
   * load.
   */
  refreshStatistics(qualifiedTable: string, vacuum: boolean): string;
  /** Statement that removes dead rows from the catalogues; for servers that train-sim starts. */
  readonly vacuumCataloguesStatement?: string;
  readonly checkpoint?: string;
  /** Queries for evidence in this dialect, and how they are read. */
  readonly sampler: SamplerDialect;
}

export function beginTransaction(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string {
  return `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${access === "READ ONLY" ? " READ ONLY" : ""}`;
}

/** SQL condition that any index on the status fits, for planners that choose well among several such indexes. */
export function statusCondition(statuses: string): string {
  return `status IN (${statuses})`;
}

/** Keeps the mark of a namespace as a comment on its schema. */
export const COMMENT_MARK: NamespaceMark = {
  statements: (schema, mark) => [`COMMENT ON SCHEMA ${schema} IS '${mark}'`],
  query: "SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1",
  removalStatements: () => [],
};
