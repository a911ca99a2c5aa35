// The dialect of CockroachDB: no VACUUM and no CHECKPOINT; statistics are gathered by the server, and asked for once more
// where a trial wants them. Its advisory-lock functions exist and do nothing, and a change of the schema is a job of its
// own, which read committed transactions do not take in.
import { COCKROACHDB_SAMPLER } from "../../evidence/cockroachdb-views.js";
import { beginTransaction, COMMENT_MARK, inStatus, type Dialect } from "../dialect.js";
import { quoteIdentifier } from "../../quoting.js";
import { cockroachdbCapabilities } from "./capabilities.js";

export const cockroachdb: Dialect = {
  name: "cockroachdb",
  capabilities: cockroachdbCapabilities,
  supportsJsonbArrays: false,
  writesJsonbAsPostgres: false,
  supportsTransactionalDdl: false,
  supportsLockTimeout: false,
  // A node whose clock is farther off ends itself (--max-offset).
  clockSkewMs: 500,
  inStatus,
  begin: beginTransaction,
  documentLock: "FOR UPDATE",
  mark: COMMENT_MARK,
  storages: { default: { sharding: "" }, "hash-sharded": { sharding: " USING HASH" } },
  quoteIdentifier,
  uuidBytes: (expression) => `(${expression})::BYTES`,
  refreshStatistics: (qualifiedTable) => `ANALYZE ${qualifiedTable}`,
  sampler: COCKROACHDB_SAMPLER,
};
