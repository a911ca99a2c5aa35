// CockroachDB from v24.1 on, which brings read committed. CI reads its statements with its own parser; no cluster was at hand.
import type { DialectCapabilities } from "../../../capabilities.js";
import { UNTESTED_DOCUMENT_PLACES } from "../untested-levels.js";

const STORAGE_UNSUPPORTED = {
  reason: "CockroachDB stores tables in its key-value layer",
  nearest: "default",
} as const;
const LOCK_TABLE_UNSUPPORTED = "CockroachDB has no LOCK TABLE";

export const cockroachdbCapabilities: DialectCapabilities = {
  label: "CockroachDB",
  unsupportedLevels: {
    documentPlace: UNTESTED_DOCUMENT_PLACES,
    payload: {},
    storage: {
      unlogged: { reason: "CockroachDB logs every write", nearest: "default" },
      partitioned: { reason: "CockroachDB itself splits tables into ranges", nearest: "default" },
      "ao-row": STORAGE_UNSUPPORTED,
      "ao-column": STORAGE_UNSUPPORTED,
      pax: STORAGE_UNSUPPORTED,
      "pax-no-cluster": STORAGE_UNSUPPORTED,
    },
    locking: {},
    isolation: {
      "repeatable read": {
        reason: "CockroachDB runs it as serializable, unless a preview setting is on",
        nearest: "serializable",
      },
    },
    statementShape: {},
  },
  orderedKeysCaveat:
    "CockroachDB keeps rows in ranges of keys: with `ids: uuidv7` all inserts go to the last range; use `ids: uuidv4` " +
    "or `storage: hash-sharded`",
  unsupportedFaults: {
    "backend-terminate": "CockroachDB cancels sessions by another statement, perhaps on another node",
    "backend-cancel": "CockroachDB cancels queries by another statement, perhaps on another node",
    "lock-holder": LOCK_TABLE_UNSUPPORTED,
    "long-transaction": "CockroachDB has no vacuum that a snapshot could hold up",
    "connection-limit": "CockroachDB counts connections by node and keeps none back",
    checkpoint: "CockroachDB has no CHECKPOINT",
  },
  documentIndex: "inverted",
  generatedColumns: "stored",
  foreignKeys: "enforced",
  ddl: "each statement alone",
  retries: [
    {
      sqlstate: "40001",
      words: "restart transaction: ",
      meaning:
        "a conflict that the server itself could not retry (RETRY_WRITE_TOO_OLD, RETRY_SERIALIZABLE, ABORT_REASON_...)",
    },
    {
      sqlstate: "40003",
      words: "result is ambiguous",
      meaning: "a node was lost during the commit: train-sim looks up whether the batch is there",
    },
  ],
  ids: "uuidv4, or uuidv7 with storage: hash-sharded: keys in order of time all go to the last range",
  statistics: [
    "crdb_internal.cluster_sessions",
    "crdb_internal.cluster_locks",
    "crdb_internal.transaction_contention_events",
    "crdb_internal.statement_statistics",
  ],
  sources: [
    "https://www.cockroachlabs.com/docs/stable/transaction-retry-error-reference",
    "https://www.cockroachlabs.com/docs/stable/hash-sharded-indexes",
    "https://www.cockroachlabs.com/docs/stable/read-committed",
  ],
};
