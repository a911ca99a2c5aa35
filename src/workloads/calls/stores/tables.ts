// Calls and the small tables that they refer to, by level of storage.
import type { Storage } from "../../../database/levels.js";
import { COLUMNS, FIRST_DAY, KEY_COLUMNS } from "../batch.js";
import type { Treatment } from "../settings.js";

const MINMAX_COLUMNS =
  "call_date,call_hour,caller_number,callee_number,duration_seconds,cell_tower_id,call_type,termination_code,billing_amount";
/** Z-order takes no timestamp. */
const CLUSTER_COLUMNS = "call_date,cell_tower_id";
const COMPRESSION_OPTIONS = "compresstype = zstd, compresslevel = 5";

const HOURS_PER_DAY = 24;

const pax = (...more: string[]): string => {
  const options = [
    "storage_format = 'porc'",
    COMPRESSION_OPTIONS,
    `minmax_columns = '${MINMAX_COLUMNS}'`,
    `bloomfilter_columns = '${KEY_COLUMNS.join()}'`,
    ...more,
  ];
  return `\nUSING pax WITH (\n  ${options.join(",\n  ")}\n)`;
};
const appendOptimizedClause = (orientation: string): string =>
  `\nWITH (appendoptimized = true, orientation = ${orientation}, ${COMPRESSION_OPTIONS})`;

/** SQL after the list of columns, by level of storage. */
const STORAGE_CLAUSES: Readonly<Partial<Record<Storage, string>>> = {
  partitioned: " PARTITION BY RANGE (call_timestamp)",
  "ao-row": appendOptimizedClause("row"),
  "ao-column": appendOptimizedClause("column"),
  pax: pax("cluster_type = 'zorder'", `cluster_columns = '${CLUSTER_COLUMNS}'`),
  "pax-no-cluster": pax(),
};

/** SQL of the partitions: one for each hour of the first day, and one for all other times. */
function partitions(): string[] {
  const hours = Array.from({ length: HOURS_PER_DAY }, (_, hour) => {
    const [from, to] = [hour, hour + 1].map((at) => `'${FIRST_DAY} ${String(at).padStart(2, "0")}:00:00'`);
    return `CREATE TABLE {{namespace}}.cdr_${String(hour).padStart(2, "0")} PARTITION OF {{namespace}}.cdr\n  FOR VALUES FROM (${from}) TO (${to})`;
  });
  return [...hours, "CREATE TABLE {{namespace}}.cdr_later PARTITION OF {{namespace}}.cdr DEFAULT"];
}

const INDEXED_COLUMNS: Readonly<Record<Treatment["indexes"], readonly string[]>> = {
  none: [],
  five: ["call_timestamp", "caller_number", "callee_number", "cell_tower_id", "call_date"],
  brin: ["call_timestamp"],
};

export function createTables({
  dialect,
  storage,
  indexes,
}: Pick<Treatment, "dialect" | "storage" | "indexes">): string[] {
  const by = (clause: string): string => (dialect === "cloudberry" ? `\n${clause}` : "");
  const columns = COLUMNS.map(([name, type]) => `  ${name} ${type}`).join(",\n");
  const indexMethod = indexes === "brin" ? "USING brin " : "";
  return [
    `CREATE TABLE {{namespace}}.cell_towers (\n  cell_tower_id int PRIMARY KEY,\n  tower_name text,\n  region text\n)${by("DISTRIBUTED REPLICATED")}`,
    `CREATE TABLE {{namespace}}.rate_plans (\n  rate_plan_id int PRIMARY KEY,\n  plan_name text\n)${by("DISTRIBUTED REPLICATED")}`,
    `CREATE TABLE {{namespace}}.termination_reasons (\n  termination_code int PRIMARY KEY,\n  reason text\n)${by("DISTRIBUTED REPLICATED")}`,
    `CREATE ${storage === "unlogged" ? "UNLOGGED " : ""}TABLE {{namespace}}.cdr (\n${columns}\n)${STORAGE_CLAUSES[storage] ?? ""}${by("DISTRIBUTED BY (call_id)")}`,
    ...(storage === "partitioned" ? partitions() : []),
    ...INDEXED_COLUMNS[indexes].map(
      (column) => `CREATE INDEX cdr_${column} ON {{namespace}}.cdr ${indexMethod}(${column})`,
    ),
  ];
}
