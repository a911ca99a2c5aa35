// Apache Cloudberry and Greenplum 7, from their documentation: no cluster was at hand when this was written.
import type { DialectCapabilities } from "../../../capabilities.js";
import { UNTESTED_DOCUMENT_PLACES } from "../untested-levels.js";

export const cloudberryCapabilities: DialectCapabilities = {
  label: "Cloudberry",
  unsupportedLevels: {
    documentPlace: UNTESTED_DOCUMENT_PLACES,
    payload: {},
    storage: {
      "hash-sharded": { reason: "Cloudberry distributes by hash anyway", nearest: "default" },
    },
    locking: {},
    isolation: {
      serializable: {
        reason: "Cloudberry and Greenplum run it as repeatable read",
        nearest: "repeatable read",
      },
    },
    statementShape: {
      "single-statement": {
        reason:
          "Cloudberry and Greenplum allow one data-modifying WITH in a statement, which must then be a SELECT",
        nearest: "set-based",
      },
    },
    archiveDelete: {
      cascade: { reason: "Cloudberry and Greenplum do not enforce foreign keys", nearest: "explicit" },
    },
  },
  lockingCaveat:
    "Cloudberry and Greenplum lock the whole table for each claim, because it uses the extended protocol: `skip-locked` waits, `nowait` meets no locked row, and levels of `locking` cannot be compared",
  unsupportedFaults: {},
  documentIndex: "GIN",
  generatedColumns: "stored",
  foreignKeys: "declared, not enforced",
  ddl: "transactional",
  retries: [
    {
      sqlstate: "40001",
      words: "could not serialize access due to",
      meaning: "another transaction changed a row that this one read, at repeatable read",
    },
    {
      sqlstate: "40P01",
      words: "deadlock detected",
      meaning: "found on one segment, or over segments by its global detector",
    },
  ],
  ids: "either: rows are distributed by a hash of the key",
  statistics: ["pg_stat_activity", "pg_stat_database (of the coordinator)", "pg_stat_statements"],
  sources: [
    "https://cloudberry.apache.org/docs/",
    "https://github.com/greenplum-db/gpdb/pull/8565",
    "https://github.com/greenplum-db/gpdb/pull/14985",
    "https://techdocs.broadcom.com/us/en/vmware-tanzu/data-solutions/tanzu-greenplum/7/greenplum-database/ref_guide-sql_commands-SELECT.html",
  ],
};
