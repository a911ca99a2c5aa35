// Sources of evidence that a dialect gives as data, and the survey of a server for which their texts are written.
import type { SqlClient } from "../admin.js";
import type { EvidenceReading, WatchedWorkload } from "../../evidence.js";
import type * as sql from "../../sql.js";

/** Facts about the workload and the server from which views write their texts; read once, when the sampler connects. */
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
  /** Reason why the source cannot be read; undefined if it can be. */
  obstacle(survey: ViewContext): string | undefined;
  /**
   * Query for one row for each statement: id, calls, rows, totalMs and, if the server counts them, blocksDirtied and
   * walBytes.
   */
  counts(survey: ViewContext): string;
  /**
   * Query for one row: `since`, which a reset changes, and `discards`, the number of times since then that entries were
   * discarded to make room. Undefined if the server does not report them.
   */
  history?(survey: ViewContext): string | undefined;
  /** Query for the id and the text (`query`) of the statements with the ids in $1, which are joined by commas. */
  texts(survey: ViewContext): string;
  /** The way out of a failed read, by the SQLSTATE of the server's answer. */
  readonly adviceBySqlstate?: Readonly<Record<string, string>>;
  /**
   * Returns a function that finds the statement's name for a text; the function returns undefined for foreign statements.
   */
  namer(statements: readonly sql.Statement[], survey: ViewContext): (query: string) => string | undefined;
}

/** Query for a dialect's counts of reads of tables and indexes; counts begin at any time. */
export interface ScanSource {
  readonly name: string;
  /**
   * Query for one row for each table and index of the workload: name, kind (`index`, or `table` for a scan of the whole
   * table), scans, and `since`, the time of the last reset of the counts (null if there was none).
   */
  counts(survey: ViewContext): string;
}

/** Query for the definitions of the workload's tables in a dialect: columns, indexes, constraints, triggers, storage. */
export interface TableSource {
  readonly name: string;
  /** Query for one row for each part of a table: part (such as `index events_pkey`), table, and definition. */
  definitions(survey: ViewContext): string;
}

export interface PlanSource {
  /** The plan of `text` in a short form; unqualified names are looked up in the quoted `searchPath`. */
  explain(client: SqlClient, text: string, searchPath: string | undefined): Promise<string>;
}

export interface SamplerDialect {
  readonly groups: readonly ViewGroup[];
  /** Settings that hold for a statement of the sampler alone: `SET LOCAL ...;`. */
  readonly preamble: string;
  /** Statements that install what some views need; run only on a server that train-sim started. */
  readonly installationStatements: readonly string[];
  readonly statements?: StatementSource;
  readonly scans?: ScanSource;
  readonly tables?: TableSource;
  /** Reads plans of statements; undefined if the dialect plans a statement only with its values. */
  readonly plans?: PlanSource;
  /**
   * Query for `sessions`, `seconds` and `waits` of the sessions named $1 on which the server works; undefined if it does
   * not show them.
   */
  readonly workingSessionsQuery?: string;
  survey(client: SqlClient, workload: WatchedWorkload): Promise<ViewContext>;
}

/** Comment that marks every statement of a sampler, so that it is not counted as a statement of the load. */
export const SAMPLER_MARK = "/* train-sim/sampler */";

/**
 * Name of one metric of a family, such as a wait event. `member` is a word of the server or its users; its spaces, commas
 * and quotes are replaced, since names appear in a CSV file.
 */
export function metricName(family: string, member: string): string {
  return `${family}.${member.replace(/[\s,"]+/g, "_")}`;
}

/** Names as a list of SQL literals. They are not escaped: application names of the load hold no quotes. */
export function literals(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}

/** SQL list of the workload's tables as regclass values; a table that is gone gives null. */
export function tableListSql({ tables }: Pick<ViewContext, "tables">): string {
  return Object.values(tables)
    .map((table) => `to_regclass('${table.replaceAll("'", "''")}')`)
    .join(", ");
}

export function numbersIn(row: Readonly<Record<string, unknown>>): EvidenceReading {
  return Object.fromEntries(
    Object.entries(row).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}
