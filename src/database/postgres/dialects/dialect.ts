// A dialect as data: statements and schema ask this table instead of the product's name.
import type { Dependants } from "../namespace/dependants.js";
import type { DialectCapabilities } from "../../capabilities.js";
import type { SamplerDialect } from "../evidence/view.js";
import type { DialectName } from "../settings.js";
import type { Isolation, Storage } from "../../levels.js";

/** The sign on a schema that train-sim made it. */
export interface NamespaceMark {
  /** Statements that put `mark` on the quoted schema. */
  statements(schema: string, mark: string): readonly string[];
  /** Asks for the mark of the schema named $1: no row if there is no such schema, a `mark` of null if it has none. */
  readonly query: string;
  /** Statements that remove the mark before the schema is dropped. */
  removal(schema: string, mark: string): readonly string[];
}

export interface Dialect {
  readonly name: DialectName;
  readonly capabilities: DialectCapabilities;
  /**
   * Whether a namespace is made and dropped in one transaction, alone by an advisory lock, so that two train-sims that
   * make the same one wait for each other; otherwise each statement is a transaction.
   */
  readonly supportsTransactionalDdl: boolean;
  /** Waits for the job in $1, if statements of the DDL answer with a `job_id`. */
  readonly awaitJob?: string;
  /** Opens a transaction of that level; the simple protocol takes it as it is. */
  begin(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string;
  /** Whether `lock_timeout` limits the wait for somebody else's lock on a table. */
  readonly supportsLockTimeout: boolean;
  /** Milliseconds by which the clocks of its nodes may differ; each node stamps its writes by its own clock. */
  readonly clockSkewMs: number;
  /** Condition of rows that no transaction has locked since they were written; undefined if the server keeps no trace. */
  readonly neverLocked?: string;
  /** Whether a parameter can be an array of JSONB; otherwise its elements go as text and are cast. */
  readonly supportsJsonbArrays: boolean;
  /** Whether the text of a JSONB value is, byte for byte, the one that PostgreSQL makes of it. */
  readonly writesJsonbAsPostgres: boolean;
  /** Condition by which a claim picks rows of those statuses: the predicate of a partial index in its `event-status.sql`. */
  readonly inStatus: (statuses: string) => string;
  /** The lock on the document of a claimed event; undefined if a snapshot makes it needless. */
  readonly documentLock: string | undefined;
  readonly mark: NamespaceMark;
  /** The queries for dependent objects; undefined where the catalogue has no dependencies. */
  readonly dependants?: Dependants;
  /** Values of `{{...}}` in its DDL, by level of storage; a missing level is a level that it lacks. */
  readonly storages: Readonly<Partial<Record<Storage, Readonly<Record<string, string>>>>>;
  /** Quotes an identifier, whatever is in it. */
  quoteIdentifier(name: string): string;
  /** The 16 bytes of a UUID, `expression`, as bytea. */
  readonly uuidBytes: (expression: string) => string;
  /** Asks for the size of the table named by $1, as `pages`; undefined if the server keeps statistics up to date. */
  readonly tablePagesQuery?: string;
  /** Statement that brings the planner's statistics up to date; `vacuum` also cleans up after a bulk load. */
  refreshStatistics(qualifiedTable: string, vacuum: boolean): string;
  /** Statement that takes dead rows out of the catalogues that making and dropping tables fills; for servers of our own. */
  readonly vacuumCatalogues?: string;
  /** Statement that writes dirty pages out. */
  readonly checkpoint?: string;
  /** Its views, and how they are asked. */
  readonly sampler: SamplerDialect;
}

/** PostgreSQL's way to open a transaction of that level. */
export function beginTransaction(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string {
  return `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${access === "READ ONLY" ? " READ ONLY" : ""}`;
}

/** The plain condition, where the planner is no worse off with every index that could answer it. */
export function inStatus(statuses: string): string {
  return `status IN (${statuses})`;
}

/** The mark as a comment on the schema. */
export const COMMENT_MARK: NamespaceMark = {
  statements: (schema, mark) => [`COMMENT ON SCHEMA ${schema} IS '${mark}'`],
  query: "SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1",
  removal: () => [],
};
