// Sources of evidence that a dialect gives as data, and the survey of a server for which their texts are written.
import type { SqlClient } from "../admin.js";
import type { EvidenceReading, WatchedWorkload } from "../../evidence.js";
import type * as sql from "../../sql.js";

/** The workload and the server as views are written for them, found once when the sampler connects. */
export interface Survey extends WatchedWorkload {
  /** Major version, as 18. */
  readonly version: number;
  /** Quoted schema by extension. */
  readonly extensions: ReadonlyMap<string, string>;
  /** Inverted indexes of the tables, qualified and quoted. */
  readonly invertedIndexes: readonly string[];
}

export type View = sql.View<Survey>;
export type ViewGroup = sql.ViewGroup<Survey>;

/** Where a dialect counts what statements took, since its statistics were reset. */
export interface StatementSource {
  /** Its name in the list of evidence that could not be read. */
  readonly name: string;
  /** Why it cannot be asked; undefined where it can. */
  obstacle(survey: Survey): string | undefined;
  /** Rows of id, calls, rows, totalMs and, where it counts them, blocksDirtied and walBytes; one row an id. */
  counts(survey: Survey): string;
  /**
   * One row of since, which a reset changes, and discards, how often entries were given up for want of room since; undefined
   * where nobody tells.
   */
  history?(survey: Survey): string | undefined;
  /** Rows of id and query for the ids in $1, which are joined by commas. */
  texts(survey: Survey): string;
  /** What to do where the server answers with that SQLSTATE, in words. */
  readonly advice?: Readonly<Record<string, string>>;
  /** Finds the name of a text; undefined for statements of others. */
  namer(statements: readonly sql.Statement[], survey: Survey): (query: string) => string | undefined;
}

/** Where a dialect counts how often tables and indexes are read, since any start. */
export interface ScanSource {
  /** Its name in the list of evidence that could not be read. */
  readonly name: string;
  /**
   * Rows of name, kind (`index`, or `table`: from end to end) and scans, those of the workload's tables, each with
   * `since`: when the counts were last reset, null where they never were.
   */
  counts(survey: Survey): string;
}

/** How a dialect shows what the workload's tables are made of: columns, indexes, constraints, triggers, storage. */
export interface TableSource {
  /** Its name in the list of evidence that could not be read. */
  readonly name: string;
  /** Rows of part (`index events_pkey`), its table, and its definition. */
  definitions(survey: Survey): string;
}

/** How the planner is asked what it would make of a statement without its values. Nothing of the statement runs. */
export interface PlanSource {
  /** Why it cannot be asked; undefined where it can. */
  obstacle(client: SqlClient): Promise<string | undefined>;
  /** One message. `searchPath`, quoted, is where unqualified names are looked up; undefined leaves it as it is. */
  question(text: string, searchPath: string | undefined): string;
  /** Of the rows that answer: each step with what it reads, the first on the left, as `Index Scan events_pkey > Update events`. */
  planOf(rows: readonly sql.SqlRow[]): string;
}

/** How a dialect is sampled. */
export interface SamplerDialect {
  readonly groups: readonly ViewGroup[];
  /** Settings of a statement, which no other session inherits: `SET LOCAL ...;`. */
  readonly preamble: string;
  /** Statements that bring in what some views need; only for a server of our own. */
  readonly equip: readonly string[];
  /** Undefined where nobody counts statements. */
  readonly statements?: StatementSource;
  readonly scans?: ScanSource;
  readonly tables?: TableSource;
  /** Undefined where no plan can be asked for ahead of its values. */
  readonly plans?: PlanSource;
  /** Asks on which of the sessions named $1 the server works, as `sessions`, `seconds`, `waits`; undefined where that is not told. */
  readonly workingSessions?: string;
  survey(client: SqlClient, workload: WatchedWorkload): Promise<Survey>;
}

/** In every statement of a sampler, so that it is not taken for the load's. */
export const SAMPLER_MARK = "/* train-sim/sampler */";

/** A member of a family of metrics by a word of the server's or of its users; names stand in a CSV. */
export function metricName(family: string, member: string): string {
  return `${family}.${member.replace(/[\s,"]+/g, "_")}`;
}

/** Names as a list of SQL literals. Application names of the load hold no quotes. */
export function literals(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}

/** The workload's tables as a list of regclass values; null for a table that is not there any more. */
export function tableList({ tables }: Pick<Survey, "tables">): string {
  return Object.values(tables)
    .map((table) => `to_regclass('${table.replaceAll("'", "''")}')`)
    .join(", ");
}

/** The numbers of a row. */
export function numbersIn(row: Readonly<Record<string, unknown>>): EvidenceReading {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
