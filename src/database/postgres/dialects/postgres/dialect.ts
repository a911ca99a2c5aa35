import { POSTGRES_SAMPLER } from "../../evidence/postgres-views.js";
import { DEPENDANT_QUERIES } from "../../namespace/dependants.js";
import { beginTransaction, COMMENT_MARK, statusCondition, type Dialect } from "../dialect.js";
import { quoteIdentifier } from "../../quoting.js";
import { postgresCapabilities } from "./capabilities.js";

export const postgres: Dialect = {
  name: "postgres",
  capabilities: postgresCapabilities,
  supportsJsonbArrays: true,
  writesJsonbAsPostgres: true,
  supportsTransactionalDdl: true,
  supportsLockTimeout: true,
  clockSkewMs: 0,
  neverLockedCondition: "xmax = 0",
  begin: beginTransaction,
  // IS TRUE changes no result, but keeps the planner from the index on (status, updated_at): see `event-status.sql`.
  statusCondition: (statuses) => `(${statusCondition(statuses)}) IS TRUE`,
  // The same lock that the later update of the document takes.
  documentLock: "FOR NO KEY UPDATE",
  mark: COMMENT_MARK,
  dependantQueries: DEPENDANT_QUERIES,
  storages: { default: {} },
  quoteIdentifier,
  uuidBytes: (expression) => `uuid_send(${expression})`,
  tablePagesQuery: "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS pages",
  // VACUUM sets the visibility map and hint bits, so that the first readers do not have that work.
  refreshStatistics: (qualifiedTable, vacuum) =>
    `${vacuum ? "VACUUM (ANALYZE)" : "ANALYZE"} ${qualifiedTable}`,
  vacuumCataloguesStatement: `VACUUM ${[
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
  checkpoint: "CHECKPOINT",
  sampler: POSTGRES_SAMPLER,
};
