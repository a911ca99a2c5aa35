// Queries of the audit over every single event. The database computes the sums without knowing what they must be.
import { KEY_FACTORS } from "../model/key-sum.js";
import { BATCHES_PER_RANGE } from "../model/ledger.js";
import type { SqlClient } from "../../../database/postgres/admin.js";
import { uuidArray } from "../../../database/postgres/wire/binary-arrays.js";
import type { Dialect } from "../../../database/postgres/dialects/dialect.js";
import { postgres } from "../../../database/postgres/dialects/postgres/dialect.js";
import { rowPortions } from "../../../database/postgres/namespace/snapshot.js";
import {
  CHECKSUM_DIGITS,
  CHECKSUM_SEPARATOR,
  type EventRow,
  type MisplacedRow,
  type PresentKey,
  type RangeSum,
  type TrialClock,
  type WrittenEvent,
} from "../store.js";
import type { TableNames } from "./tables.js";

/**
 * Bits of a batch number within its range. The SQL shifts instead of dividing, since only PostgreSQL's quotient of two
 * integers is an integer.
 */
const RANGE_BITS = Math.log2(BATCHES_PER_RANGE);

const LOW_32_BITS_MASK = "4294967295";

/**
 * SQL of 32-bit word `i` of the 16 bytes `k`, as a bigint. The operators have the same precedence, hence the parentheses.
 */
function wordSql(i: number): string {
  const byte = (n: number): string => `get_byte(k, ${i * 4 + n})`;
  return `((${byte(0)}::bigint << 24) | ((${byte(1)} << 16) | (${byte(2)} << 8) | ${byte(3)}))`;
}

const productSql = (factors: readonly number[]): string =>
  `(${factors.map((factor, i) => `w${i} * ${factor}`).join(" + ")}) & ${LOW_32_BITS_MASK}`;
const mixBitsSql = (x: string): string =>
  `((${x} # (${x} >> 16)) * ${KEY_FACTORS.mix}) & ${LOW_32_BITS_MASK}`;

function allKeysSql({ events, archive }: TableNames): string {
  return `SELECT id, false AS is_archived FROM ${events} UNION ALL SELECT id, true FROM ${archive}`;
}

/**
 * Reads the `KeySum` of every range, computed in SQL. OFFSET 0 stops the planner from copying an expression into all its
 * uses, which would compute a word about thirty times.
 */
export async function readKeySums(
  client: SqlClient,
  tables: TableNames,
  { uuidBytes }: Pick<Dialect, "uuidBytes"> = postgres,
): Promise<RangeSum[]> {
  const rows = await client.query(`SELECT worker, range, count(*) AS count,
  (sum(yu # (yu >> 15)) % 4294967296)::bigint AS u, (sum(yv # (yv >> 15)) % 4294967296)::bigint AS v
FROM (SELECT worker, range, ${mixBitsSql("u")} AS yu, ${mixBitsSql("v")} AS yv
  FROM (SELECT (w2 >> 16) & 255 AS worker, (((w2 & 65535) << 16) | (w3 >> 16)) >> ${RANGE_BITS} AS range,
      ${productSql(KEY_FACTORS.u)} AS u, ${productSql(KEY_FACTORS.v)} AS v
    FROM (SELECT ${[0, 1, 2, 3].map((i) => `${wordSql(i)} AS w${i}`).join(", ")}
      FROM (SELECT ${uuidBytes("id")} AS k FROM (${allKeysSql(tables)}) AS keys OFFSET 0) AS bytes OFFSET 0) AS words
    OFFSET 0) AS hashed OFFSET 0) AS mixed
GROUP BY worker, range`);
  return rows as unknown as RangeSum[];
}

/** Keys in these ranges, by worker and batch. A key that is both live and archived appears twice. */
export function presentKeys(
  client: SqlClient,
  tables: TableNames,
  ranges: readonly Pick<RangeSum, "worker" | "range">[],
  { uuidBytes }: Pick<Dialect, "uuidBytes"> = postgres,
): AsyncGenerator<readonly PresentKey[]> {
  const wanted = [ranges.map(({ worker }) => worker), ranges.map(({ range }) => range)];
  const text = `SELECT id, worker, batch
FROM (SELECT id, get_byte(k, 9) AS worker, ((get_byte(k, 10)::bigint << 24) | ((get_byte(k, 11) << 16)
    | (get_byte(k, 12) << 8) | get_byte(k, 13))) AS batch
  FROM (SELECT id, ${uuidBytes("id")} AS k FROM (${allKeysSql(tables)}) AS keys OFFSET 0) AS bytes OFFSET 0) AS placed
WHERE (worker, batch >> ${RANGE_BITS}) IN (SELECT * FROM unnest($1::integer[], $2::integer[]))
ORDER BY worker, batch`;
  return rowPortions(client, text, wanted);
}

/**
 * SQL of an event's checksum. Every part is cast to text, since CockroachDB's `concat_ws` takes nothing else before 25.2.
 */
const checksumSql = (t: string): string =>
  `left(md5(concat_ws('${CHECKSUM_SEPARATOR}', ${t}.payload::text, ${t}.event_type, ${t}.authority_id::text, ${t}.train_id)),
    ${CHECKSUM_DIGITS}) AS checksum`;

/** Time on the database's clock, in its format of a timestamp. */
export async function readClock(client: SqlClient): Promise<string> {
  const [row] = await client.query("SELECT clock_timestamp()::text AS now");
  return String(row?.now);
}

/** All events, in no order; an event that is both live and archived appears twice. */
export function eventRows(
  client: SqlClient,
  { events, status, archive }: TableNames,
  { startedAt, endedAt, skewMs }: TrialClock,
): AsyncGenerator<readonly EventRow[]> {
  const skew = skewMs > 0 ? ` - interval '${skewMs} milliseconds'` : "";
  const times = (created: string, changed: string): string => `${created}${skew} <= ${changed} AS "isInOrder",
  ${created} >= $1::timestamptz${skew} AND greatest(${created}, ${changed})${skew} <= $2::timestamptz AS "isInTrial"`;
  const text = `SELECT e.id, s.status, s.attempts, false AS "isArchived", ${times("e.created_at", "s.updated_at")},
  ${checksumSql("e")}
FROM ${events} AS e LEFT JOIN ${status} AS s ON s.event_id = e.id
UNION ALL
SELECT a.id, a.status, a.attempts, true, ${times("a.created_at", "a.archived_at")}, ${checksumSql("a")} FROM ${archive} AS a`;
  return rowPortions(client, text, [startedAt, endedAt]);
}

export async function readWrittenEvents(
  client: SqlClient,
  { events, archive }: TableNames,
  ids: readonly string[],
): Promise<WrittenEvent[]> {
  const columns = "id, payload::text AS payload, event_type, authority_id, train_id";
  const rows = await client.query(
    `SELECT ${columns}, false AS "isArchived" FROM ${events} WHERE id = ANY ($1::uuid[])
UNION ALL SELECT ${columns}, true FROM ${archive} WHERE id = ANY ($1::uuid[])`,
    [uuidArray(ids)],
  );
  return rows as unknown as WrittenEvent[];
}

/** Reads some keys that are both live and archived, and some status rows without an event. */
export async function readMisplaced(
  client: SqlClient,
  { events, status, archive }: TableNames,
  most: number,
): Promise<MisplacedRow[]> {
  const rows = await client.query(
    `(SELECT a.id, 'duplicated' AS kind FROM ${archive} AS a
  WHERE EXISTS (SELECT FROM ${events} AS e WHERE e.id = a.id)
    OR EXISTS (SELECT FROM ${status} AS s WHERE s.event_id = a.id) LIMIT $1)
UNION ALL (SELECT s.event_id, 'orphaned' FROM ${status} AS s
  WHERE NOT EXISTS (SELECT FROM ${events} AS e WHERE e.id = s.event_id) LIMIT $1)
UNION ALL (SELECT e.id, 'orphaned' FROM ${events} AS e
  WHERE NOT EXISTS (SELECT FROM ${status} AS s WHERE s.event_id = e.id) LIMIT $1)`,
    [most],
  );
  return rows as unknown as MisplacedRow[];
}
