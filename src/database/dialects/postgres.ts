// The dialect of PostgreSQL, and of what is PostgreSQL inside under another name. It has every level there is, and
// is what the others are described against; the test suite runs on PostgreSQL 18.
import { ISOLATIONS, LOCKINGS, PAYLOADS, STATEMENT_SHAPES } from "../../scenario/settings.js";
import { POSTGRES_SAMPLER } from "../sampler/postgres-views.js";
import type { Dialect } from "./dialect.js";

export const postgres: Dialect = {
  name: "postgres",
  label: "PostgreSQL",
  payloads: PAYLOADS,
  lockings: LOCKINGS,
  isolations: ISOLATIONS,
  statementShapes: STATEMENT_SHAPES,
  supportsAdvisoryLocks: true,
  quoteIdentifier: (name) => `"${name.replaceAll('"', '""')}"`,
  tablePagesQuery: "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS pages",
  // VACUUM sets the visibility map and hint bits, so that the first readers do not pay for them.
  refreshStatistics: (qualifiedTable, vacuum) =>
    `${vacuum ? "VACUUM (ANALYZE)" : "ANALYZE"} ${qualifiedTable}`,
  vacuumCatalogues: `VACUUM ${[
    "attrdef",
    "attribute",
    "class",
    "constraint",
    "depend",
    "index",
    "statistic",
    "type",
  ]
    .map((name) => `pg_catalog.pg_${name}`)
    .join(", ")}`,
  sampler: POSTGRES_SAMPLER,
};
