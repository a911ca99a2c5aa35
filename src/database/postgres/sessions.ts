// A session that is gone when it is asked to let go is an error: the fault was not the planned one.
import { codeOf } from "../../foundation/errors.js";
import type { Database } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { holdConnections } from "../held-connections.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { dialectOf } from "./dialects/registry.js";
import type { DialectName } from "./settings.js";

const TOO_MANY_CONNECTIONS = "53300";
/** Largest number of log files of 16 MB to write: together more than max_wal_size, whose default is 2 GB. */
const LOG_FILES_MAX = 400;
/** Delays of the WAL writer (`wal_writer_delay`) after which committed work is surely written, as PostgreSQL promises. */
const WRITER_DELAYS_MAX = 3;

const openSession = (endpoint: Endpoint): Promise<AdminClient> =>
  connectAdmin(endpoint, { purpose: "fault" });

export const sessions: Database<AdminClient>["sessions"] = {
  open: openSession,
  awaitAnswer: async (session) => void (await session.query("SELECT 1")),
  async listProcessIds(session, loadNames) {
    const rows = await session.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ANY($1) ORDER BY pid",
      [loadNames],
    );
    return rows.map(({ pid }) => Number(pid));
  },
  async readWorkingSessions(session, dialect: DialectName, loadNames) {
    const { workingSessionsQuery } = dialectOf(dialect).sampler;
    if (workingSessionsQuery === undefined) return undefined;
    const [row] = await session.query(workingSessionsQuery, [loadNames]);
    return {
      count: Number(row?.["sessions"]),
      oldestSeconds: Number(row?.["seconds"]),
      waits: typeof row?.["waits"] === "string" ? row["waits"] : "",
    };
  },
  async signal(session, how, pids) {
    const [row] = await session.query(
      `SELECT count(*) FILTER (WHERE pg_${how}_backend(pid)) AS signalled FROM unnest($1::int[]) AS pid`,
      [pids],
    );
    return Number(row?.["signalled"]);
  },
  async holdSnapshot(session, table) {
    await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await session.query(`SELECT 1 FROM ${table} LIMIT 1`);
  },
  async lockTable(session, table, mode) {
    await session.query("BEGIN");
    await session.query(`LOCK TABLE ${table} IN ${mode.toUpperCase()} MODE`);
  },
  async release(session) {
    try {
      await session.query("ROLLBACK");
    } finally {
      await session.close();
    }
  },
  holdConnections: (endpoint) => holdConnections(() => openSession(endpoint), isTooManyConnections),
  checkpoint: async (session) => void (await session.query("CHECKPOINT")),
  async fillLogDisk(session) {
    // Each pass of the loop switches to another file: without that, recycled files would let the log continue for long.
    for (let file = 0; file < LOG_FILES_MAX; file++) {
      try {
        await session.query("SELECT pg_logical_emit_message(false, 'train-sim', ''), pg_switch_wal()");
      } catch {
        return; // the server panics because its disk is full, which ends the session
      }
    }
  },
  async unwrittenCommitMs(session) {
    const [row] = await session.query(
      "SELECT current_setting('synchronous_commit') AS commit, " +
        "(SELECT setting FROM pg_settings WHERE name = 'wal_writer_delay') AS delay",
    );
    return row?.["commit"] === "off" ? WRITER_DELAYS_MAX * Number(row["delay"]) : 0;
  },
};

/** True if the error is ours and its cause is the server's answer that no connection is free. */
function isTooManyConnections(reason: unknown): boolean {
  return (
    reason instanceof Error && [reason, reason.cause].some((one) => codeOf(one) === TOO_MANY_CONNECTIONS)
  );
}
