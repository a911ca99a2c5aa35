// One statement of DDL a transaction, indexes in the background; schemas take no comment, so a table's name is the mark.
import type { SamplerDialect } from "../../evidence/view.js";
import { statusCondition, type Dialect, type NamespaceMark } from "../dialect.js";
import { quoteIdentifier } from "../../quoting.js";
import { dsqlCapabilities } from "./capabilities.js";

/** Name of the table that marks a schema: the mark up to its colon, because a name has at most 63 characters. */
const markTableName = (schema: string, mark: string): string =>
  `${schema}.${quoteIdentifier(mark.slice(0, mark.indexOf(":") + 1))}`;

const TABLE_MARK: NamespaceMark = {
  statements: (schema, mark) => [`CREATE TABLE ${markTableName(schema, mark)} (id integer PRIMARY KEY)`],
  query: `SELECT c.relname::text AS mark FROM pg_namespace AS n
  LEFT JOIN pg_class AS c ON c.relnamespace = n.oid AND c.relname LIKE 'train-sim namespace, %'
WHERE n.nspname = $1`,
  removalStatements: (schema, mark) => [`DROP TABLE ${markTableName(schema, mark)}`],
};

/** Sampler that reads nothing: Aurora DSQL shows no statistics. */
const EMPTY_SAMPLER: SamplerDialect = {
  groups: [],
  preamble: "",
  installationStatements: [],
  survey: (_, workload) =>
    Promise.resolve({ ...workload, version: 0, extensions: new Map(), invertedIndexes: [] }),
};

export const dsql: Dialect = {
  name: "dsql",
  capabilities: dsqlCapabilities,
  supportsJsonbArrays: false,
  // False, because no page of Amazon promises the same text.
  writesJsonbAsPostgres: false,
  supportsTransactionalDdl: false,
  supportsLockTimeout: false,
  clockSkewMs: 1000,
  statusCondition,
  awaitJobStatement: "CALL sys.wait_for_job($1)",
  // The database has a single isolation level, which needs no name.
  begin: (_, access) => `BEGIN${access === "READ ONLY" ? " READ ONLY" : ""}`,
  documentLock: undefined,
  mark: TABLE_MARK,
  storages: { default: {} },
  quoteIdentifier,
  uuidBytes: (expression) => `uuid_send(${expression})`,
  refreshStatistics: (qualifiedTable) => `ANALYZE ${qualifiedTable}`,
  sampler: EMPTY_SAMPLER,
};
