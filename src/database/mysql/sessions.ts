import { TrialError } from "../../foundation/errors.js";
import type { Database } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { holdConnections } from "../held-connections.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import { failureCodeOf } from "./error-codes.js";

const openSession = (endpoint: Endpoint): Promise<MySqlAdmin> =>
  connectMySqlAdmin(endpoint, { purpose: "fault" });

/** Codes of "too many connections", of the server and of an account. */
const TOO_MANY_CONNECTIONS = ["1040", "1203", "1226"];
/** Milliseconds between two writes of the log if commits do not wait for them, and as much again for a late one. */
const UNWRITTEN_MS = 2_000;
const NO_SUCH_THREAD = "1094";

/** The lock of LOCK TABLES that means the same as PostgreSQL's mode. */
const LOCK_BY_MODE: Readonly<Record<string, "READ" | "WRITE">> = {
  share: "READ",
  "access exclusive": "WRITE",
};

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

const refuse = (): never => {
  throw new TrialError("this fault does not exist on MySQL and MariaDB");
};

export const sessions: Database<MySqlAdmin>["sessions"] = {
  open: openSession,
  awaitAnswer: async (session) => void (await session.query("SELECT 1")),
  async listProcessIds(session, loadNames) {
    const rows = await session.query(
      `SELECT DISTINCT processlist_id AS id FROM performance_schema.session_connect_attrs
        WHERE attr_name = 'program_name' AND attr_value IN (${marks(loadNames)}) ORDER BY id`,
      loadNames,
    );
    return rows.map(({ id }) => Number(id));
  },
  async readWorkingSessions(session, _, loadNames) {
    const [row] = await session.query(
      `SELECT COUNT(*) AS sessions,
              COALESCE(MAX(UNIX_TIMESTAMP() - UNIX_TIMESTAMP(trx.trx_started)), 0) AS seconds,
              COALESCE(GROUP_CONCAT(DISTINCT COALESCE(NULLIF(list.state, ''), 'CPU') SEPARATOR ', '), '') AS waits
         FROM information_schema.processlist AS list
         JOIN performance_schema.session_connect_attrs AS attr
           ON attr.processlist_id = list.id AND attr.attr_name = 'program_name'
         LEFT JOIN information_schema.innodb_trx AS trx ON trx.trx_mysql_thread_id = list.id
        WHERE attr.attr_value IN (${marks(loadNames)})
          AND COALESCE(trx.trx_state, '') <> 'LOCK WAIT' AND (list.command <> 'Sleep' OR list.time <= 1)`,
      loadNames,
    );
    return {
      count: Number(row?.["sessions"]),
      oldestSeconds: Number(row?.["seconds"]),
      waits: String(row?.["waits"]),
    };
  },
  async signal(session, how, pids) {
    let signalled = 0;
    for (const pid of pids) {
      try {
        await session.query(`KILL ${how === "terminate" ? "CONNECTION" : "QUERY"} ${pid}`);
        signalled++;
      } catch (error) {
        if (failureCodeOf(error) !== NO_SUCH_THREAD) throw error;
      }
    }
    return signalled;
  },
  async holdSnapshot(session, table) {
    await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION READ ONLY");
    await session.query(`SELECT 1 FROM ${table} LIMIT 1`);
  },
  async lockTable(session, table, mode) {
    await session.query(`LOCK TABLES ${table} ${LOCK_BY_MODE[mode] ?? refuse()}`);
  },
  async release(session) {
    try {
      await session.query("UNLOCK TABLES; ROLLBACK");
    } finally {
      await session.close();
    }
  },
  holdConnections: (endpoint) =>
    holdConnections(
      () => openSession(endpoint),
      (reason) => TOO_MANY_CONNECTIONS.includes(failureCodeOf((reason as Error).cause) ?? ""),
    ),
  checkpoint: refuse,
  fillLogDisk: refuse,
  async unwrittenCommitMs(session) {
    // The log is written once a second with 0, and given to the system at each commit with 2.
    const [row] = await session.query("SELECT @@innodb_flush_log_at_trx_commit AS level");
    return row?.["level"] === 1 ? 0 : UNWRITTEN_MS;
  },
};
