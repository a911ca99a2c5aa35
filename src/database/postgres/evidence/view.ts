// Sources of evidence that a dialect gives as data, and the survey of a server for which their texts are written.
import type { SqlClient } from "../admin.js";
import type { EvidenceReading, WatchedWorkload } from "../../evidence.js";
import type * as sql from "../../sql.js";

/** The workload and the server for which texts of views are written, read once when the sampler connects. */
export interface ViewContext extends WatchedWorkload {
  readonly version: number;
  readonly extensions: ReadonlyMap<string, string>;
  /** Inverted indexes of the tables, qualified and quoted. */
  readonly invertedIndexes: readonly string[];
}

export type View = sql.View<ViewContext>;
export type ViewGroup = sql.ViewGroup<ViewContext>;

export interface StatementSource {
  readonly name: string;
  /** The reason why the source cannot be read; undefined if it can. */
  obstacle(survey: ViewContext): string | undefined;
  /** Query for rows of id, calls, rows, totalMs and, if counted, blocksDirtied and walBytes; one row for each id. */
  counts(survey: ViewContext): string;
  /**
   * Query for one row of `since`, which a reset changes, and `discards`, the number of times since then that entries were
   * discarded to make room; undefined if the server does not report them.
   */
  history?(survey: ViewContext): string | undefined;
  /** Query for rows of id and query for the ids in $1, which are joined by commas. */
  texts(survey: ViewContext): string;
  /** The way out, by the SQLSTATE of the server's answer. */
  readonly advice?: Readonly<Record<string, string>>;
  /** Returns a function that finds the name of a text; undefined for foreign statements. */
  namer(statements: readonly sql.Statement[], survey: ViewContext): (query: string) => string | undefined;
}

/** A dialect's counters of reads of tables and indexes, since any start. */
export interface ScanSource {
  readonly name: string;
  /**
   * Query for rows of the workload's tables: name, kind (`index`, or `table` for a scan of the whole table), scans, and
   * `since`, the time of the last reset of the counts (null if there was none).
   */
  counts(survey: ViewContext): string;
}

/** Definitions of the workload's tables in a dialect: columns, indexes, constraints, triggers, storage. */
export interface TableSource {
  readonly name: string;
  /** Query for rows of part (`index events_pkey`), its table, and its definition. */
  definitions(survey: ViewContext): string;
}

export interface PlanSource {
  /** The reason why the source cannot be read; undefined if it can. */
  obstacle(client: SqlClient): Promise<string | undefined>;
  /** Text of one message; unqualified names are looked up in the quoted `searchPath`. */
  question(text: string, searchPath: string | undefined): string;
  /** The plan in the answer's rows, in the form that `Plans.read` returns. */
  planOf(rows: readonly sql.SqlRow[]): string;
}

export interface SamplerDialect {
  readonly groups: readonly ViewGroup[];
  /** Settings of a statement, which no other session inherits: `SET LOCAL ...;`. */
  readonly preamble: string;
  /** Statements that install what some views need; only for a server that train-sim started. */
  readonly installation: readonly string[];
  readonly statements?: StatementSource;
  readonly scans?: ScanSource;
  readonly tables?: TableSource;
  /** Undefined if a plan needs values. */
  readonly plans?: PlanSource;
  /** Query for `sessions`, `seconds`, `waits` of the sessions named $1 on which the server works, if it shows them. */
  readonly workingSessions?: string;
  survey(client: SqlClient, workload: WatchedWorkload): Promise<ViewContext>;
}

/** A comment in every statement of a sampler, so that it is not counted as a statement of the load. */
export const SAMPLER_MARK = "/* train-sim/sampler */";

/** Name of a member of a family of metrics, made from a word of the server or its users; names appear in a CSV file. */
export function metricName(family: string, member: string): string {
  return `${family}.${member.replace(/[\s,"]+/g, "_")}`;
}

/** Names as a list of SQL literals. Application names of the load hold no quotes. */
export function literals(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}

/** The workload's tables as a list of regclass values; null for a table that is gone. */
export function tableList({ tables }: Pick<ViewContext, "tables">): string {
  return Object.values(tables)
    .map((table) => `to_regclass('${table.replaceAll("'", "''")}')`)
    .join(", ");
}

export function numbersIn(row: Readonly<Record<string, unknown>>): EvidenceReading {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
