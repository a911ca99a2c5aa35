import { dialectOf } from "../../../database/postgres/dialects/registry.js";
import type { Statement } from "../../../database/sql.js";
import { CARDINALITY, COLUMNS } from "../batch.js";
import type { Treatment } from "../settings.js";

type Named = Pick<Treatment, "dialect" | "namespace">;

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
  const { calls, towers, plans, reasons } = tablesOf(settings);
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
    byPlan: {
      name: "probe.plans-and-reasons",
      text: `SELECT plan_name, reason, count(*) AS calls, sum(billing_amount) AS amount
FROM ${calls} JOIN ${plans} USING (rate_plan_id) JOIN ${reasons} USING (termination_code)
WHERE call_timestamp > (SELECT max(call_timestamp) FROM ${calls}) - interval '1 hour'
GROUP BY plan_name, reason ORDER BY calls DESC, plan_name, reason LIMIT 10`,
    },
  } satisfies Record<string, Statement>;
}

/** Statement that brings the files of the table into the order of its cluster columns; undefined without such columns. */
export function clusterStatement(settings: Named & Pick<Treatment, "storage">): string | undefined {
  return settings.storage === "pax" ? `CLUSTER ${tablesOf(settings).calls}` : undefined;
}

/** Query for the bytes of the calls in the schema $1, with partitions, indexes and TOAST. */
export const SIZE_QUERY = `SELECT sum(pg_total_relation_size(c.oid)) AS bytes
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE nspname = $1 AND relkind = 'r' AND relname ~ '^cdr(_|$)'`;

/** SQL of a column as text that does not depend on the session's settings. Texts with separators are put in quotes. */
function asText([name, type]: (typeof COLUMNS)[number]): string {
  if (type === "timestamp" || type === "date") return `extract(epoch FROM ${name})`;
  if (name === "bytes_transferred") return `coalesce(${name}::text, '')`;
  return type === "text" ? `quote_nullable(${name})` : name;
}

/** Query for the number of rows and their sum by batch, as in `checksumBatch`. The batch is null if the row's key names none. */
export function batchSumsQuery(settings: Named): string {
  return `SELECT substring(call_id FROM '^c([0-9]{1,9})-')::int AS batch, count(*) AS rows,
  sum(('x' || left(md5(concat_ws('|', ${COLUMNS.map(asText).join(", ")})), 8))::bit(32)::bigint) AS sum
FROM ${tablesOf(settings).calls} GROUP BY 1`;
}

export function referenceTablesOf(settings: Named) {
  const { towers, plans, reasons } = tablesOf(settings);
  return [
    {
      name: "cell_towers",
      table: towers,
      columns: ["cell_tower_id", "tower_name", "region"],
      row: "n, 'tower ' || n, 'region ' || n % 50",
      rows: CARDINALITY.towers,
    },
    {
      name: "rate_plans",
      table: plans,
      columns: ["rate_plan_id", "plan_name"],
      row: "n, 'plan ' || n",
      rows: CARDINALITY.plans,
    },
    {
      name: "termination_reasons",
      table: reasons,
      columns: ["termination_code", "reason"],
      row: "n, 'reason ' || n",
      rows: CARDINALITY.reasons,
    },
  ] as const;
}
type ReferenceTable = ReturnType<typeof referenceTablesOf>[number];

/**
 * Query for keys whose rows differ from the preload's, with the number of missing rows (`made`) and of unknown rows
 * (`found`).
 */
export function differencesQuery({ table, columns, row, rows }: ReferenceTable): string {
  const names = columns.join(", ");
  return `SELECT key, sum(greatest(made - found, 0)) AS made, sum(greatest(found - made, 0)) AS found
FROM (SELECT ${columns[0]} AS key, count(*) FILTER (WHERE is_made) AS made, count(*) FILTER (WHERE NOT is_made) AS found
  FROM (SELECT true AS is_made, made.* FROM (SELECT ${row} FROM generate_series(1, ${rows}) AS n) AS made (${names})
    UNION ALL SELECT false, ${names} FROM ${table}) AS rows_of_both
  GROUP BY ${names}) AS counted
WHERE made <> found GROUP BY key ORDER BY key`;
}
