// Evidence from SHOW GLOBAL STATUS, InnoDB's own views and performance_schema, in a few round trips a sample.
import { withinMs } from "../../foundation/deadline.js";
import { messageOf } from "../../foundation/errors.js";
import {
  STATISTICS_BEGAN,
  type Evidence,
  type EvidenceOptions,
  type EvidenceReader,
  type EvidenceReading,
  type ScanCount,
  type SkippedSource,
  type WindowDifferences,
} from "../evidence.js";
import { APPLICATION_NAME } from "../contract.js";
import { ReopenableSession } from "../standing-session.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import type { MySqlDialect } from "./capabilities.js";
import { noStatementReason, readDigests, statementsBetween, type DigestCounts } from "./digests.js";
import { failureCodeOf } from "./error-codes.js";

/** Milliseconds that a round trip may take. */
const ANSWER_TIMEOUT_MS = 2_000;

const FOREIGN_SOURCES: Evidence["foreignSources"] = {
  sessions: "information_schema.processlist (other sessions)",
  transactions: "SHOW GLOBAL STATUS (others)",
  logins: "SHOW GLOBAL STATUS (others)",
};

/** Counters of the server with the metrics that mean the same. */
const METRIC_BY_STATUS: Readonly<Record<string, string>> = {
  innodb_os_log_written: "wal.bytes",
  innodb_os_log_fsyncs: "wal.fsyncs",
  innodb_log_waits: "wal.buffersFull",
  innodb_row_lock_waits: "locks.rowWaits",
  innodb_row_lock_time: "locks.rowWaitMs",
  innodb_buffer_pool_reads: "blocks.read",
  innodb_pages_written: "blocks.written",
  innodb_data_fsyncs: "blocks.fsyncs",
};

/** Further counters: of MariaDB, which MySQL has in another view, and parts of other metrics. */
const OTHER_STATUS = [
  "innodb_buffer_pool_read_requests",
  "innodb_deadlocks",
  "innodb_checkpoint_age",
  "innodb_history_list_length",
  "innodb_redo_log_checkpoint_lsn",
  "innodb_redo_log_current_lsn",
  "uptime",
];

/** InnoDB's counters, which are on by default, with their metrics. MariaDB shows them as status. */
const METRIC_BY_INNODB_COUNTER: Readonly<Record<string, string>> = {
  lock_deadlocks: "transactions.deadlocks",
  trx_rseg_history_len: "undo.historyLength",
};

const listOf = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** Seconds by which the start of a server may seem to move, since its clock and its uptime have whole seconds. */
const START_TOLERANCE_SECONDS = 2;

type Source = readonly [name: string, read: (admin: MySqlAdmin) => Promise<EvidenceReading>];

interface Window {
  readonly digests: DigestCounts | undefined;
  readonly scans: readonly ScanCount[] | undefined;
}

class MySqlEvidence implements EvidenceReader {
  private readonly session: ReopenableSession<MySqlAdmin>;
  private readonly reasons = new Map<string, SkippedSource>();
  /** Sources that the server refuses: they are not asked again. */
  private readonly refused = new Set<string>();
  private beganSeconds = 0;
  private window: Window | undefined;
  /** Sessions of InnoDB are threads of one process: none has a processor time that /proc shows. */
  readonly foreignPids: readonly number[] = [];

  constructor(private readonly options: EvidenceOptions) {
    this.session = new ReopenableSession(() => this.connect());
    this.skip(
      FOREIGN_SOURCES.transactions,
      "the server counts statements of autocommit, not their transactions",
    );
  }

  get skipped(): readonly SkippedSource[] {
    return [...this.reasons.values()];
  }

  private get dialect(): MySqlDialect {
    return this.options.dialect as MySqlDialect;
  }

  private async connect(): Promise<MySqlAdmin> {
    const admin = await connectMySqlAdmin(this.options.endpoint, {
      purpose: "sampler",
      connectTimeoutMs: ANSWER_TIMEOUT_MS,
    });
    // Else MySQL shows sizes of tables that are up to a day old.
    if (this.dialect === "mysql") await admin.query("SET information_schema_stats_expiry = 0");
    return admin;
  }

  async open(): Promise<void> {
    await this.sample();
  }

  async sample(): Promise<EvidenceReading> {
    const admin = await this.session.get();
    const reading: Record<string, number> = {};
    const sources: readonly Source[] = [
      ["SHOW GLOBAL STATUS", (session) => this.readStatus(session)],
      ...(this.dialect === "mysql"
        ? [["information_schema.innodb_metrics", readInnodbCounters] satisfies Source]
        : []),
      ["information_schema.processlist", (session) => this.readSessions(session)],
      ["information_schema.tables", (session) => this.readSizes(session)],
      ["performance_schema.table_io_waits_summary_by_table", (session) => this.readRows(session)],
    ];
    for (const [name, read] of sources) {
      if (this.refused.has(name)) continue;
      try {
        Object.assign(reading, await withinMs(read(admin), ANSWER_TIMEOUT_MS));
      } catch (error) {
        if (failureCodeOf(error) === undefined) {
          void this.session.giveUp();
          throw error;
        }
        this.refused.add(name);
        this.skip(name, messageOf(error));
      }
    }
    return reading;
  }

  async openWindow(): Promise<void> {
    this.window = { digests: await this.readDigests(), scans: await this.readScans() };
  }

  async closeWindow(
    statements: readonly { readonly name: string; readonly text: string }[],
  ): Promise<WindowDifferences> {
    const { digests, scans } = this.window ?? {};
    const later = digests && (await this.readDigests());
    const named = digests && later && statementsBetween(digests, later, statements);
    if (digests && later && !named) this.skip("statement digests", "its statistics were reset in the window");
    if (named?.length === 0) this.skip("statement digests", noStatementReason(this.dialect));
    return {
      statements: named?.length ? named : undefined,
      scans: scans && scansBetween(scans, (await this.readScans()) ?? []),
      tableChanges: undefined,
    };
  }

  async close(): Promise<void> {
    await this.session.close();
  }

  private skip(source: string, reason: string): void {
    this.reasons.set(source, { source, reason });
  }

  private async attempt<T>(source: string, read: (admin: MySqlAdmin) => Promise<T>): Promise<T | undefined> {
    try {
      return await withinMs(read(await this.session.get()), ANSWER_TIMEOUT_MS);
    } catch (error) {
      this.skip(source, messageOf(error));
      return undefined;
    }
  }

  private readDigests(): Promise<DigestCounts | undefined> {
    return this.attempt("statement digests", async (admin) => {
      const [row] = await admin.query("SELECT @@performance_schema AS enabled");
      if (row?.["enabled"] !== 1) throw new Error("performance_schema is OFF; start the server with it ON");
      return readDigests(admin);
    });
  }

  private async readStatus(admin: MySqlAdmin): Promise<EvidenceReading> {
    const names = [...Object.keys(METRIC_BY_STATUS), ...OTHER_STATUS];
    const rows = await admin.query(`SHOW GLOBAL STATUS WHERE LOWER(Variable_name) IN (${listOf(names)})`);
    const status = new Map(
      rows.map((row) => [String(row["Variable_name"]).toLowerCase(), Number(row["Value"])]),
    );
    const [clock] = await admin.query("SELECT UNIX_TIMESTAMP() AS now");
    const began = Number(clock?.["now"]) - (status.get("uptime") ?? 0);
    if (Math.abs(began - this.beganSeconds) > START_TOLERANCE_SECONDS) this.beganSeconds = began;
    const requests = status.get("innodb_buffer_pool_read_requests");
    const reads = status.get("innodb_buffer_pool_reads");
    const [current, checkpoint] = ["innodb_redo_log_current_lsn", "innodb_redo_log_checkpoint_lsn"].map(
      (name) => status.get(name),
    );
    const age =
      status.get("innodb_checkpoint_age") ??
      (current !== undefined && checkpoint !== undefined ? current - checkpoint : undefined);
    const all: [string, number | undefined][] = [
      ...Object.entries(METRIC_BY_STATUS).map(([name, metric]): [string, number | undefined] => [
        metric,
        status.get(name),
      ]),
      ["blocks.hit", requests !== undefined && reads !== undefined ? requests - reads : undefined],
      ["transactions.deadlocks", status.get("innodb_deadlocks")],
      ["undo.historyLength", status.get("innodb_history_list_length")],
      ["wal.checkpointAgeBytes", age],
      [STATISTICS_BEGAN, this.beganSeconds],
    ];
    return Object.fromEntries(all.filter((each): each is [string, number] => each[1] !== undefined));
  }

  private async readSessions(admin: MySqlAdmin): Promise<EvidenceReading> {
    const { loadNames } = this.options.workload;
    const [row] = await admin.query(
      `SELECT
         SUM(is_load AND command <> 'Sleep') AS active,
         SUM(is_load AND command = 'Sleep' AND started IS NOT NULL) AS idle_in_transaction,
         SUM(is_load AND command = 'Sleep' AND started IS NULL) AS idle,
         SUM(is_load AND COALESCE(trx_state, '') = 'LOCK WAIT') AS blocked,
         SUM(NOT is_ours AND command NOT IN ('Sleep', 'Daemon')) AS foreigners,
         SUM(NOT is_ours AND command NOT IN ('Sleep', 'Daemon') AND db = ?) AS foreigners_here,
         MAX(TIMESTAMPDIFF(MICROSECOND, started, NOW(6))) / 1000 AS oldest,
         SUM(is_load) AS loads
       FROM (
         SELECT list.command, list.db, trx.trx_started AS started, trx.trx_state,
                COALESCE(attr.attr_value IN (${loadNames.map(() => "?").join(", ")}), FALSE) AS is_load,
                COALESCE(attr.attr_value = ? OR attr.attr_value LIKE ?, FALSE) AS is_ours
           FROM information_schema.processlist AS list
           LEFT JOIN performance_schema.session_connect_attrs AS attr
             ON attr.processlist_id = list.id AND attr.attr_name = 'program_name'
           LEFT JOIN information_schema.innodb_trx AS trx ON trx.trx_mysql_thread_id = list.id
          WHERE list.id <> CONNECTION_ID() AND list.user NOT IN ('event_scheduler', 'system user')) AS session`,
      [this.options.endpoint.database, ...loadNames, APPLICATION_NAME, `${APPLICATION_NAME}/%`],
    );
    const number = (name: string): number => Number(row?.[name] ?? 0);
    // The load's sessions and foreign ones look alike if none has a name.
    const isNamed = number("loads") > 0;
    if (!isNamed) this.skip(FOREIGN_SOURCES.sessions, "no session of the load has its own name");
    else this.reasons.delete(FOREIGN_SOURCES.sessions);
    return {
      "xmin.oldestTransactionMs": number("oldest"),
      ...(isNamed && {
        "sessions.active": number("active"),
        "sessions.idleInTransaction": number("idle_in_transaction"),
        "sessions.idle": number("idle"),
        "locks.blocked": number("blocked"),
        "foreign.active": number("foreigners"),
        "foreign.activeHere": number("foreigners_here"),
      }),
    };
  }

  /** Condition on columns of a view: the workload's tables. */
  private tablesCondition(schema: string, table: string): string {
    const { tables } = this.options.workload;
    const pairs = Object.values(tables).map((qualified) => {
      const [, schemaName = "", name = ""] = /^`(.*)`\.`(.*)`$/.exec(qualified) ?? [];
      return `('${schemaName}', '${name}')`;
    });
    return pairs.length === 0 ? "FALSE" : `(${schema}, ${table}) IN (${pairs.join(", ")})`;
  }

  private async readSizes(admin: MySqlAdmin): Promise<EvidenceReading> {
    const [row] = await admin.query(
      `SELECT SUM(data_length) AS data, SUM(index_length) AS indexes
         FROM information_schema.tables WHERE ${this.tablesCondition("table_schema", "table_name")}`,
    );
    if (row?.["data"] === null) return {};
    return { "size.tableBytes": Number(row?.["data"]), "size.indexBytes": Number(row?.["indexes"]) };
  }

  private async readRows(admin: MySqlAdmin): Promise<EvidenceReading> {
    const [row] = await admin.query(
      `SELECT SUM(count_insert) AS inserted, SUM(count_update) AS updated, SUM(count_delete) AS deleted
         FROM performance_schema.table_io_waits_summary_by_table
        WHERE ${this.tablesCondition("object_schema", "object_name")}`,
    );
    if (row?.["inserted"] === null) return {};
    return {
      "tuples.inserted": Number(row?.["inserted"]),
      "tuples.updated": Number(row?.["updated"]),
      "tuples.deleted": Number(row?.["deleted"]),
    };
  }

  private readScans(): Promise<ScanCount[] | undefined> {
    return this.attempt("performance_schema.table_io_waits_summary_by_index_usage", async (admin) => {
      const rows = await admin.query(
        `SELECT object_name AS name, index_name AS index_name, SUM(count_fetch) AS fetches
           FROM performance_schema.table_io_waits_summary_by_index_usage
          WHERE ${this.tablesCondition("object_schema", "object_name")}
          GROUP BY object_name, index_name`,
      );
      return rows.map(({ name, index_name: index, fetches }): ScanCount => ({
        name: typeof index === "string" ? `${String(name)}.${index}` : String(name),
        kind: index === null ? "table" : "index",
        scans: Number(fetches),
      }));
    });
  }
}

async function readInnodbCounters(admin: MySqlAdmin): Promise<EvidenceReading> {
  const rows = await admin.query(
    `SELECT name, count FROM information_schema.innodb_metrics
      WHERE status = 'enabled' AND name IN (${listOf(Object.keys(METRIC_BY_INNODB_COUNTER))})`,
  );
  return Object.fromEntries(
    rows.map((row) => [
      METRIC_BY_INNODB_COUNTER[String(row["NAME"] ?? row["name"])] ?? "",
      Number(row["COUNT"] ?? row["count"]),
    ]),
  );
}

/** Scans between two readings, the most frequent first. */
function scansBetween(before: readonly ScanCount[], after: readonly ScanCount[]): ScanCount[] {
  return after
    .map(({ name, kind, scans }) => {
      const earlier = before.find((each) => each.name === name && each.kind === kind);
      return { name, kind, scans: scans - (earlier?.scans ?? 0) };
    })
    .filter(({ scans }) => scans > 0)
    .sort((a, b) => b.scans - a.scans);
}

export const evidence: Evidence = {
  reader: (options) => new MySqlEvidence(options),
  foreignSources: FOREIGN_SOURCES,
};
