// What loaders and probes send, and what the audit asks: one row of sums for each batch.
import type { Statement } from "../../database/contract.js";
import { dialectOf } from "../../database/dialects/registry.js";
import type { Treatment } from "./settings.js";
import { COLUMNS } from "./tables.js";

type Named = Pick<Treatment, "dialect" | "namespace">;

/** Qualified and quoted. */
export function tablesOf({ dialect, namespace }: Named) {
  const schema = dialectOf(dialect).quoteIdentifier(namespace);
  return {
    calls: `${schema}.cdr`,
    towers: `${schema}.cell_towers`,
    plans: `${schema}.rate_plans`,
    reasons: `${schema}.termination_reasons`,
  };
}

const NAMES = COLUMNS.map(([name]) => name).join(", ");

export function statementsOf(settings: Named) {
  const { calls, towers } = tablesOf(settings);
  const arrays = COLUMNS.map(([, type], column) => `$${column + 1}::${type}[]`).join(", ");
  return {
    copy: { name: "load.copy", text: `COPY ${calls} (${NAMES}) FROM STDIN` },
    insert: { name: "load.insert", text: `INSERT INTO ${calls} (${NAMES})\nSELECT * FROM unnest(${arrays})` },
    isThere: { name: "load.settle", text: `SELECT 1 FROM ${calls} WHERE call_id = $1 LIMIT 1` },
    lastHour: {
      name: "probe.last-hour",
      text: `SELECT count(*), avg(duration_seconds), sum(billing_amount) FROM ${calls}
WHERE call_timestamp > (SELECT max(call_timestamp) FROM ${calls}) - interval '1 hour'`,
    },
    byCaller: {
      name: "probe.caller",
      text: `SELECT call_id, callee_number, duration_seconds FROM ${calls}
WHERE caller_number = $1 ORDER BY call_timestamp DESC LIMIT 100`,
    },
    byTower: {
      name: "probe.time-and-tower",
      text: `SELECT count(*), sum(bytes_transferred) FROM ${calls}
WHERE call_timestamp >= $1 AND call_timestamp < $2 AND cell_tower_id = $3`,
    },
    topTowers: {
      name: "probe.top-towers",
      text: `SELECT tower_name, calls, seconds
FROM (SELECT cell_tower_id, count(*) AS calls, sum(duration_seconds) AS seconds FROM ${calls}
  GROUP BY cell_tower_id ORDER BY calls DESC, cell_tower_id LIMIT 10) AS busiest
JOIN ${towers} USING (cell_tower_id) ORDER BY calls DESC, cell_tower_id`,
    },
  } satisfies Record<string, Statement>;
}

/** Each column as text, independent of the session's settings; only `bytes_transferred` can be null. */
const AS_TEXT: Readonly<Record<string, string>> = {
  call_timestamp: "to_char(call_timestamp, 'YYYY-MM-DD HH24:MI:SS')",
  call_date: "to_char(call_date, 'YYYY-MM-DD')",
  bytes_transferred: "coalesce(bytes_transferred::text, '')",
};

/** Rows of batch, rows, sum; the batch is null where the key of a row names none. See `sumBatch`. */
export function sumsQuery(settings: Named): string {
  const columns = COLUMNS.map(([name]) => AS_TEXT[name] ?? name).join(", ");
  return `SELECT substring(call_id FROM '^c([0-9]{1,9})-')::int AS batch, count(*) AS rows,
  sum(('x' || left(md5(concat_ws('|', ${columns})), 8))::bit(32)::bigint) AS sum
FROM ${tablesOf(settings).calls} GROUP BY 1`;
}
