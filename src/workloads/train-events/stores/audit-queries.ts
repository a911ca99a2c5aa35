// Counts of the audit and the drain. Each answer comes from a single statement, and so from a single snapshot.
import type { TableCounts } from "../model/conservation.js";
import {
  ARCHIVED_STATUSES,
  TERMINAL_STATUSES,
  WORKABLE_STATUSES,
  type EventStatus,
} from "../model/lifecycle.js";
import type { SqlClient } from "../../../database/postgres/admin.js";
import { uuidArray } from "../../../database/postgres/wire/binary-arrays.js";
import type { Dialect } from "../../../database/postgres/dialects/dialect.js";
import { postgres } from "../../../database/postgres/dialects/postgres/dialect.js";
import { DEFAULT_LEVELS, type OptionalLevels } from "../settings.js";
import { literals } from "./literals.js";
import { countPresentStatement, statusIn, type StatementContext } from "./statements.js";
import { tablesOf } from "./tables.js";

const COUNTS_BY_STATUS_SQL = `count(*) FILTER (WHERE status = 'PENDING') AS pending,
  count(*) FILTER (WHERE status = 'PROCESSING') AS processing,
  count(*) FILTER (WHERE status = 'COMPLETE') AS complete,
  count(*) FILTER (WHERE status = 'FAILED') AS failed`;

/**
 * Counts the events in all three tables for `conservationOf`. An event with a status row counts as live; a row without a
 * partner in the other table counts as orphaned.
 */
export async function readTableCounts(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
): Promise<TableCounts> {
  const { events, status, archive } = tablesOf(dialect, namespace);
  const [row] = await client.query(`SELECT queue.*,
  (SELECT count(*) FROM ${archive}) AS archived,
  (SELECT count(*) FROM ${events} AS e FULL JOIN ${status} AS s ON s.event_id = e.id
    WHERE e.id IS NULL OR s.event_id IS NULL) AS orphaned,
  (SELECT count(*) FROM ${archive} AS a WHERE EXISTS (SELECT FROM ${events} AS e WHERE e.id = a.id)
    OR EXISTS (SELECT FROM ${status} AS s WHERE s.event_id = a.id)) AS duplicated
FROM (SELECT ${COUNTS_BY_STATUS_SQL} FROM ${status}) AS queue`);
  const count = (name: keyof TableCounts): number => Number(row?.[name]);
  return {
    pending: count("pending"),
    processing: count("processing"),
    complete: count("complete"),
    failed: count("failed"),
    archived: count("archived"),
    orphaned: count("orphaned"),
    duplicated: count("duplicated"),
  };
}

type QueueLevels = Partial<Pick<StatementContext, "dialect">> & OptionalLevels;

/**
 * True if the queue holds an event for consumers, or for archivers. Both answers come from an index, so they are quick for
 * a long queue too.
 */
export async function readQueueState(
  client: SqlClient,
  namespace: string,
  { dialect = postgres, ...levels }: QueueLevels = {},
): Promise<{ readonly workable: boolean; readonly terminal: boolean }> {
  const { claimIndex, archived } = { ...DEFAULT_LEVELS, ...levels };
  const { status } = tablesOf(dialect, namespace);
  const exists = (statuses: readonly EventStatus[]): string =>
    `EXISTS (SELECT FROM ${status} WHERE ${statusIn({ dialect, claimIndex }, statuses)})`;
  const [row] = await client.query(
    `SELECT ${exists(WORKABLE_STATUSES)} AS workable, ${exists(ARCHIVED_STATUSES[archived])} AS terminal`,
  );
  return { workable: row?.workable === true, terminal: row?.terminal === true };
}

/**
 * Mean number of process passes of COMPLETE and FAILED events, archived or not; null if there are none. Each committed pass
 * adds one to `attempts`, even if its answer got lost.
 */
export async function readPassesPerEvent(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
): Promise<number | null> {
  const { status, archive } = tablesOf(dialect, namespace);
  const [row] = await client.query(`SELECT avg(attempts)::float8 AS passes FROM (
  SELECT attempts FROM ${status} WHERE status IN (${literals(TERMINAL_STATUSES)})
  UNION ALL SELECT attempts FROM ${archive}) AS ended`);
  return typeof row?.["passes"] === "number" ? row["passes"] : null;
}

/** Number of these keys that are live or archived, counted on a control session. */
export async function countPresent(
  client: SqlClient,
  namespace: string,
  ids: readonly string[],
  dialect: Dialect = postgres,
): Promise<number> {
  const { text } = countPresentStatement({ tables: tablesOf(dialect, namespace) });
  const [row] = await client.query(text, [uuidArray(ids)]);
  return Number(row?.present);
}
