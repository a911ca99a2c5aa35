// Aurora DSQL, from its user guide: no cluster was at hand. No foreign keys are made, so that all clusters run the same tables.
import type { DialectCapabilities } from "../../../capabilities.js";
import { UNTESTED_DOCUMENT_PLACES } from "../untested-levels.js";

const JSONB_UNSUPPORTED = {
  reason: "Aurora DSQL has JSONB in queries, but not as a column type",
  nearest: "text",
} as const;
const LOCKING_UNSUPPORTED = {
  reason: "Aurora DSQL never waits for a lock: FOR UPDATE marks rows, and the later commit fails with OC000",
  nearest: "for-update",
} as const;
const ISOLATION_UNSUPPORTED = {
  reason: "Aurora DSQL has only snapshot isolation, which is PostgreSQL's repeatable read",
  nearest: "repeatable read",
} as const;
const STORAGE_UNSUPPORTED = {
  reason: "Aurora DSQL has one way to store tables",
  nearest: "default",
} as const;
const FAULT_IMPOSSIBLE_REASON = "not possible on Aurora DSQL";

export const dsqlCapabilities: DialectCapabilities = {
  label: "Aurora DSQL",
  unsupportedLevels: {
    documentPlace: UNTESTED_DOCUMENT_PLACES,
    payload: {
      jsonb: JSONB_UNSUPPORTED,
      "jsonb-manual": JSONB_UNSUPPORTED,
      "text-generated": { reason: "Aurora DSQL has no generated columns", nearest: "text" },
    },
    storage: {
      "hash-sharded": STORAGE_UNSUPPORTED,
      unlogged: STORAGE_UNSUPPORTED,
      partitioned: STORAGE_UNSUPPORTED,
      "ao-row": STORAGE_UNSUPPORTED,
      "ao-column": STORAGE_UNSUPPORTED,
      pax: STORAGE_UNSUPPORTED,
      "pax-no-cluster": STORAGE_UNSUPPORTED,
    },
    locking: { "skip-locked": LOCKING_UNSUPPORTED, nowait: LOCKING_UNSUPPORTED },
    isolation: { "read committed": ISOLATION_UNSUPPORTED, serializable: ISOLATION_UNSUPPORTED },
    statementShape: {},
    archiveDelete: {
      cascade: { reason: "train-sim makes no foreign keys on Aurora DSQL", nearest: "explicit" },
    },
  },
  orderedKeysCaveat:
    "Aurora DSQL keeps rows in the order of their keys: with `ids: uuidv7` all inserts meet in one place; use `ids: uuidv4`",
  unsupportedFaults: {
    "backend-terminate": FAULT_IMPOSSIBLE_REASON,
    "backend-cancel": FAULT_IMPOSSIBLE_REASON,
    "lock-holder": "Aurora DSQL has no LOCK TABLE",
    "long-transaction": "Aurora DSQL has no vacuum that a snapshot could hold up",
    "connection-limit": FAULT_IMPOSSIBLE_REASON,
    checkpoint: "Aurora DSQL has no CHECKPOINT",
  },
  rowsPerTransaction: 3_000,
  documentIndex: "none",
  generatedColumns: "none",
  foreignKeys: "none",
  ddl: "each statement alone",
  retries: [
    {
      sqlstate: "40001",
      words: "change conflicts with another transaction, please retry: (OC000)",
      meaning: "two transactions changed the same row, and the other one committed first",
    },
    {
      sqlstate: "40001",
      words: "schema has been updated by another transaction, please retry: (OC001)",
      meaning: "the schema changed since the session last looked",
    },
  ],
  ids: "uuidv4: keys spread over the storage; keys in order of time meet in one place",
  statistics: ["the clients only: there is no pg_stat_statements and no wait event"],
  sources: [
    "https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-concurrency-control.html",
    "https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-postgresql-compatibility-unsupported-features.html",
    "https://docs.aws.amazon.com/aurora-dsql/latest/userguide/CHAP_quotas.html",
  ],
};
