// A dialect as data: statements and schema ask this table instead of the product's name.
import type { Dependants } from "../namespace/dependants.js";
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
  removal(schema: string, mark: string): readonly string[];
}

export interface Dialect {
  readonly name: DialectName;
  readonly capabilities: DialectCapabilities;
  /**
   * True if a namespace is made and dropped in one transaction, under an advisory lock, so that two train-sims that make
   * the same one wait for each other; otherwise each statement is a transaction.
   */
  readonly supportsTransactionalDdl: boolean;
  /** Statement that waits for the job in $1, if DDL statements answer with a `job_id`. */
  readonly awaitJob?: string;
  /** Text that opens a transaction of that level; it goes by the simple protocol. */
  begin(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string;
  readonly supportsLockTimeout: boolean;
  /** Milliseconds by which the clocks of its nodes may differ; each node stamps its writes by its own clock. */
  readonly clockSkewMs: number;
  /** Condition for rows that no transaction has locked since they were written; undefined if the server keeps no trace. */
  readonly neverLocked?: string;
  /** True if a parameter can be an array of JSONB; otherwise its elements go as text and are cast. */
  readonly supportsJsonbArrays: boolean;
  /** True if the text of a JSONB value equals PostgreSQL's text of it, byte for byte. */
  readonly writesJsonbAsPostgres: boolean;
  /** Condition by which a claim selects rows of those statuses: the predicate of a partial index. */
  readonly inStatus: (statuses: string) => string;
  /** Lock on the document of a claimed event; undefined if a snapshot makes it unnecessary. */
  readonly documentLock: string | undefined;
  readonly mark: NamespaceMark;
  /** Queries for dependent objects; undefined if the catalogue has no dependencies. */
  readonly dependants?: Dependants;
  /** Values of `{{...}}` in the dialect's DDL, by level of storage; the dialect lacks the other levels. */
  readonly storages: Readonly<Partial<Record<Storage, Readonly<Record<string, string>>>>>;
  /** Quotes an identifier with any contents. */
  quoteIdentifier(name: string): string;
  /** SQL of the 16 bytes, as bytea, of the UUID `expression`. */
  readonly uuidBytes: (expression: string) => string;
  readonly tablePagesQuery?: string;
  /** Statement that brings the planner's statistics up to date; `vacuum` also cleans up after a bulk load. */
  refreshStatistics(qualifiedTable: string, vacuum: boolean): string;
  /** Statement that removes dead rows from the catalogues; for servers that train-sim starts. */
  readonly vacuumCatalogues?: string;
  readonly checkpoint?: string;
  /** Views of the dialect, and how they are read. */
  readonly sampler: SamplerDialect;
}

export function beginTransaction(isolation: Isolation, access: "READ WRITE" | "READ ONLY"): string {
  return `BEGIN ISOLATION LEVEL ${isolation.toUpperCase()}${access === "READ ONLY" ? " READ ONLY" : ""}`;
}

/** The plain condition, for planners that do well with every index that could answer it. */
export function inStatus(statuses: string): string {
  return `status IN (${statuses})`;
}

/** The mark as a comment on the schema. */
export const COMMENT_MARK: NamespaceMark = {
  statements: (schema, mark) => [`COMMENT ON SCHEMA ${schema} IS '${mark}'`],
  query: "SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1",
  removal: () => [],
};
