// Faults by SQL, on connections that end with the fault. A session that is gone when it is asked to let go is an error: the
// fault was not the one that was planned.
import { asTrainSimError, codeOf } from "../../foundation/errors.js";
import type { HeldConnections as Held } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { connectAdmin, type AdminClient, type SqlClient } from "./admin.js";
import type { LockMode } from "../levels.js";

const PURPOSE = "fault";
const TOO_MANY_CONNECTIONS = "53300";
/** More than max_wal_size, 2 GB by default, has files of 16 MB. */
const LOG_FILES_MAX = 400;
/** Sessions that are opened at once. */
const OPENED_TOGETHER = 8;

export function connectFault(endpoint: Endpoint): Promise<AdminClient> {
  return connectAdmin(endpoint, { purpose: PURPOSE });
}

/** Of the WAL writer's delays, in how many at most what was committed is written: PostgreSQL's own promise. */
const WRITER_DELAYS = 3;

/** For how long the server may not have written what it has acknowledged; 0 where it writes first. */
export async function readUnwrittenMs(client: SqlClient): Promise<number> {
  const [row] = await client.query(
    "SELECT current_setting('synchronous_commit') AS commit, " +
      "(SELECT setting FROM pg_settings WHERE name = 'wal_writer_delay') AS delay",
  );
  return row?.["commit"] === "off" ? WRITER_DELAYS * Number(row["delay"]) : 0;
}

/** Ends those sessions, or cancels what they are doing; resolves to how many were there. */
export async function signalSessions(
  client: SqlClient,
  how: "terminate" | "cancel",
  pids: readonly number[],
): Promise<number> {
  const [row] = await client.query(
    `SELECT count(*) FILTER (WHERE pg_${how}_backend(pid)) AS signalled FROM unnest($1::int[]) AS pid`,
    [pids],
  );
  return Number(row?.["signalled"]);
}

/** A snapshot is held from here to the end of the session's transaction. */
export async function holdSnapshot(client: SqlClient, table: string): Promise<void> {
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await client.query(`SELECT 1 FROM ${table} LIMIT 1`);
}

/** Resolves once the table is locked; until then it waits for the sessions that use it, and all later ones wait for it. */
export async function lockTable(client: SqlClient, table: string, mode: LockMode): Promise<void> {
  await client.query("BEGIN");
  await client.query(`LOCK TABLE ${table} IN ${mode.toUpperCase()} MODE`);
}

/**
 * Has the write-ahead log begin one file after the other until there is room for no more: files that were set aside for
 * reuse would let it go on for long. Resolves when the server panics over it, or has done without a new file.
 */
export async function exhaustLog(client: SqlClient): Promise<void> {
  for (let file = 0; file < LOG_FILES_MAX; file++) {
    try {
      await client.query("SELECT pg_logical_emit_message(false, 'train-sim', ''), pg_switch_wal()");
    } catch {
      return; // the end of the session is the panic that was to be had
    }
  }
}

/** Rejects when the session, and with it what it held, ended before. */
export async function letGo(client: AdminClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
  } finally {
    await client.close();
  }
}

/** Every connection that the server still has, held by sessions that do nothing. */
export class HeldConnections implements Held {
  private readonly held: AdminClient[] = [];

  constructor(private readonly endpoint: Endpoint) {}

  get count(): number {
    return this.held.length;
  }

  /** Resolves once the server refuses the next one for want of connections. */
  async takeAll(): Promise<void> {
    for (;;) {
      const attempts = Array.from({ length: OPENED_TOGETHER }, () => connectFault(this.endpoint));
      const outcomes = await Promise.allSettled(attempts);
      for (const outcome of outcomes) if (outcome.status === "fulfilled") this.held.push(outcome.value);
      const refusals = outcomes.filter((one) => one.status === "rejected");
      const other = refusals.find(({ reason }) => !isRefusal(reason));
      if (other) throw asTrainSimError(other.reason);
      if (refusals.length > 0) return;
    }
  }

  async giveBack(count: number): Promise<void> {
    await Promise.all(this.held.splice(0, count).map((client) => client.close()));
  }

  /** Never rejects. */
  async giveAllBack(): Promise<void> {
    await this.giveBack(this.held.length);
  }
}

/** Whether the server had no connection left; the driver's error is the cause of ours. */
function isRefusal(reason: unknown): boolean {
  return (
    reason instanceof Error && [reason, reason.cause].some((one) => codeOf(one) === TOO_MANY_CONNECTIONS)
  );
}
