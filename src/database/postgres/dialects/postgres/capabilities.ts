// PostgreSQL 13 to 18, and products that are PostgreSQL inside.
import type { DialectCapabilities } from "../../../capabilities.js";

const OTHER_STORAGES_UNSUPPORTED = {
  reason: "PostgreSQL stores tables as heaps",
  nearest: "default",
} as const;

export const postgresCapabilities: DialectCapabilities = {
  label: "PostgreSQL",
  unsupportedLevels: {
    payload: {},
    storage: {
      "hash-sharded": OTHER_STORAGES_UNSUPPORTED,
      "ao-row": OTHER_STORAGES_UNSUPPORTED,
      "ao-column": OTHER_STORAGES_UNSUPPORTED,
      pax: OTHER_STORAGES_UNSUPPORTED,
      "pax-no-cluster": OTHER_STORAGES_UNSUPPORTED,
    },
    locking: {},
    isolation: {},
    statementShape: {},
  },
  unsupportedFaults: {},
  documentIndex: "GIN",
  generatedColumns: "stored",
  foreignKeys: "enforced",
  ddl: "transactional",
  retries: [
    {
      sqlstate: "40001",
      words: "could not serialize access due to",
      meaning: "another transaction changed a row that this one read, at repeatable read and serializable",
    },
    { sqlstate: "40P01", words: "deadlock detected", meaning: "two transactions waited for each other" },
    { sqlstate: "55P03", words: "could not obtain lock on row", meaning: "nowait met a locked row" },
  ],
  ids: "uuidv7: keys in order of time fill index pages one after the other",
  statistics: ["pg_stat_activity", "pg_stat_database", "pg_stat_wal", "pg_stat_io", "pg_stat_statements"],
  sources: ["https://www.postgresql.org/docs/current/transaction-iso.html"],
};
