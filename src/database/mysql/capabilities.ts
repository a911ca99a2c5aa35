import { lacking, type DialectCapabilities, type RetryRule } from "../capabilities.js";
import { STORAGES } from "../levels.js";

const RETRIES: readonly RetryRule[] = [
  {
    sqlstate: "1213",
    words: "Deadlock found when trying to get lock",
    meaning: "two transactions waited for each other; the server rolled this one back",
  },
  {
    sqlstate: "1205",
    words: "Lock wait timeout exceeded",
    meaning: "a row stayed locked for innodb_lock_wait_timeout; train-sim rolls the transaction back",
  },
];

const COMMON = {
  unsupportedLevels: {
    storage: lacking(
      "rows are in InnoDB's clustered index",
      "default",
      STORAGES.filter((storage) => storage !== "default"),
    ),
    isolation: {},
    lock: lacking("LOCK TABLES knows READ, as share, and WRITE, as access exclusive", "access exclusive", [
      "share update exclusive",
      "share row exclusive",
      "exclusive",
    ]),
  },
  documentIndex: "none",
  generatedColumns: "stored",
  foreignKeys: "enforced",
  ddl: "each statement alone",
  ids: "InnoDB keeps rows in the order of the primary key: random keys touch a page each",
} as const;

const UNSUPPORTED_FAULTS = {
  checkpoint: "InnoDB flushes pages by itself, and no statement requests a checkpoint",
  "disk-full": "train-sim fills the log disk of PostgreSQL only",
};

export const CAPABILITIES_BY_DIALECT: Readonly<Record<"mysql" | "mariadb", DialectCapabilities>> = {
  mysql: {
    label: "MySQL",
    ...COMMON,
    unsupportedFaults: UNSUPPORTED_FAULTS,
    retries: [
      ...RETRIES,
      {
        sqlstate: "3572",
        words: "Statement aborted because lock(s) could not be acquired immediately",
        meaning: "nowait met a locked row",
      },
    ],
    statistics: [
      "SHOW GLOBAL STATUS",
      "information_schema.innodb_metrics",
      "information_schema.processlist",
      "information_schema.innodb_trx",
      "performance_schema.table_io_waits_summary_by_table",
      "performance_schema.events_statements_summary_by_digest",
    ],
    sources: [
      "https://dev.mysql.com/doc/refman/9.7/en/innodb-transaction-isolation-levels.html",
      "https://dev.mysql.com/doc/mysql-errors/9.7/en/server-error-reference.html",
    ],
  },
  mariadb: {
    label: "MariaDB",
    ...COMMON,
    unsupportedFaults: UNSUPPORTED_FAULTS,
    retries: RETRIES,
    statistics: [
      "SHOW GLOBAL STATUS",
      "information_schema.processlist",
      "information_schema.innodb_trx",
      "performance_schema.table_io_waits_summary_by_table",
      "performance_schema.events_statements_summary_by_digest",
    ],
    sources: ["https://mariadb.com/docs/server/reference/error-codes/mariadb-error-code-reference"],
  },
};

export type MySqlDialect = keyof typeof CAPABILITIES_BY_DIALECT;
