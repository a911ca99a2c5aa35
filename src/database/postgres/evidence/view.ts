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

/** The counters of statements of a dialect, since its statistics were reset. */
export interface StatementSource {
  /** Its name in the list of evidence that could not be read. */
  readonly name: string;
  /** The reason why it cannot be asked; undefined if it can. */
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
  /** The way out in words, by the SQLSTATE of the server's answer. */
  readonly advice?: Readonly<Record<string, string>>;
  /** Finds the name of a text; undefined for statements of others. */
  namer(statements: readonly sql.Statement[], survey: Survey): (query: string) => string | undefined;
}

/** The counters of reads of tables and indexes of a dialect, since any start. */
export interface ScanSource {
  /** Its name in the list of evidence that could not be read. */
  readonly name: string;
  /**
   * Rows of name, kind (`index`, or `table`: from end to end) and scans, those of the workload's tables, each with
   * `since`: when the counts were last reset, null where they never were.
   */
  counts(survey: Survey): string;
}

/** The parts of the workload's tables in a dialect: columns, indexes, constraints, triggers, storage. */
export interface TableSource {
  /** Its name in the list of evidence that could not be read. */
  readonly name: string;
  /** Rows of part (`index events_pkey`), its table, and its definition. */
  definitions(survey: Survey): string;
}

/** The planner's plans of statements without their values. Nothing of a statement runs. */
export interface PlanSource {
  /** The reason why it cannot be asked; undefined if it can. */
  obstacle(client: SqlClient): Promise<string | undefined>;
  /** One message. Unqualified names are looked up in `searchPath`, which is quoted; undefined leaves it as it is. */
  question(text: string, searchPath: string | undefined): string;
  /** The plan in the rows of the answer, as `Plans.read` returns it. */
  planOf(rows: readonly sql.SqlRow[]): string;
}

/** The sources of evidence of a dialect. */
export interface SamplerDialect {
  readonly groups: readonly ViewGroup[];
  /** Settings of a statement, which no other session inherits: `SET LOCAL ...;`. */
  readonly preamble: string;
  /** Statements that bring in what some views need; only for a server of our own. */
  readonly equip: readonly string[];
  /** Undefined if the server counts no statements. */
  readonly statements?: StatementSource;
  readonly scans?: ScanSource;
  readonly tables?: TableSource;
  /** Undefined if a plan needs values. */
  readonly plans?: PlanSource;
  /** Asks on which of the sessions named $1 the server works, as `sessions`, `seconds`, `waits`; undefined where that is not told. */
  readonly workingSessions?: string;
  survey(client: SqlClient, workload: WatchedWorkload): Promise<Survey>;
}

/** A comment in every statement of a sampler, so that it is not taken for a statement of the load. */
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
