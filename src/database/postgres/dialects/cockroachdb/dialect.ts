// CockroachDB's advisory-lock functions do nothing, and read committed transactions do not take in its schema changes.
import { COCKROACHDB_SAMPLER } from "../../evidence/cockroachdb-views.js";
import { beginTransaction, COMMENT_MARK, statusCondition, type Dialect } from "../dialect.js";
import { quoteIdentifier } from "../../quoting.js";
import { cockroachdbCapabilities } from "./capabilities.js";

export const cockroachdb: Dialect = {
  name: "cockroachdb",
  capabilities: cockroachdbCapabilities,
  supportsJsonbArrays: false,
  writesJsonbAsPostgres: false,
  supportsTransactionalDdl: false,
  supportsLockTimeout: false,
  // The default of --max-offset: a node whose clock differs by more ends itself.
  clockSkewMs: 500,
  statusCondition,
  begin: beginTransaction,
  documentLock: "FOR UPDATE",
  mark: COMMENT_MARK,
  storages: { default: { sharding: "" }, "hash-sharded": { sharding: " USING HASH" } },
  quoteIdentifier,
  uuidBytes: (expression) => `(${expression})::BYTES`,
  refreshStatistics: (qualifiedTable) => `ANALYZE ${qualifiedTable}`,
  sampler: COCKROACHDB_SAMPLER,
};
