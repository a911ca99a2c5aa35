// PostgreSQL 13 to 18, and products that are PostgreSQL inside.
import type { DialectCapabilities } from "../../../capabilities.js";

const OTHERS = { reason: "PostgreSQL stores tables as heaps", nearest: "default" } as const;

export const postgresCapabilities: DialectCapabilities = {
  label: "PostgreSQL",
  lacks: {
    payload: {},
    storage: {
      "hash-sharded": OTHERS,
      "ao-row": OTHERS,
      "ao-column": OTHERS,
      pax: OTHERS,
      "pax-no-cluster": OTHERS,
    },
    locking: {},
    isolation: {},
    statementShape: {},
  },
  lacksFaults: {},
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
