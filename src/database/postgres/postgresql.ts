import { join } from "node:path";
import { codeOf } from "../../foundation/errors.js";
import { findProcess } from "../../foundation/find-process.js";
import { requireConnections } from "../connection-budget.js";
import type { Database } from "../contract.js";
import { withSearchPath } from "../endpoint.js";
import { connectAdmin, controlTransactions, type AdminClient } from "./admin.js";
import { isUnavailableError, isStandbyError } from "./connect-failure.js";
import { PgConnection } from "./connection.js";
import { CAPABILITIES_BY_DIALECT, dialectOf } from "./dialects/registry.js";
import {
  URL_SCHEMES,
  tlsKeysOf,
  URL_EXAMPLE,
  urlRefusal,
  changeFilePaths,
  addTlsParameters,
} from "./endpoint/connection-url.js";
import { completeUrl, ignoredVariables } from "./endpoint/libpq-variables.js";
import { endpointAt } from "./endpoint/parse-url.js";
import { FOREIGN_SOURCES } from "./evidence/postgres-foreign.js";
import { DatabaseSampler, type SamplerOptions } from "./evidence/sampler.js";
import { failurePlaceFinder } from "../failure-place.js";
import { claimNamespace, isRunActive } from "./namespace/claim-session.js";
import * as namespaces from "./namespace/namespace.js";
import { obstacleOf, obstaclesOf } from "./obstacles.js";
import { poolerRefusal } from "./pooling.js";
import { explain, remedyOf } from "./remedies.js";
import { readServerIdentity } from "./server-identity.js";
import { serverFacts } from "./server-facts.js";
import { readServerInfo } from "./server-info.js";
import { sessions } from "./sessions.js";
import type { DialectName } from "./settings.js";
import { classifyFailure, isConflict } from "./sqlstates.js";
import { refreshStatistics } from "./statistics.js";

const INSUFFICIENT_PRIVILEGE = "42501";
/**
 * SQLSTATE classes "data exception" and "access rule violation", without the syntax error, which a change of tables never
 * causes.
 */
const UNREADABLE_TABLE = /^(22|42(?!601))/;
const UNIQUE_VIOLATION = "23505";

const failures: Database["failures"] = {
  classify: classifyFailure,
  placesOf: failurePlaceFinder,
  remedyOf,
  obstacleOf,
  explain,
  isConflict,
  isDuplicate: ({ sqlstate }) => sqlstate === UNIQUE_VIOLATION,
  isUnreadableTable: (error) => UNREADABLE_TABLE.test(codeOf(error) ?? ""),
  isStandbyError,
  isUnavailableError,
};

const server: Database<AdminClient>["server"] = {
  info: readServerInfo,
  identity: readServerIdentity,
  async clockMs(admin) {
    const [row] = await admin.query("SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms");
    return Number(row?.["ms"]);
  },
  async serverProcessOf(admin) {
    const [row] = await admin.query(
      "SELECT pid, extract(epoch FROM backend_start)::float8 AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()",
    );
    return row && findProcess(Number(row["pid"]), Number(row["began"]))?.parent;
  },
  requireConnections,
  obstacles: obstaclesOf,
  facts: serverFacts,
  poolerRefusal,
  controlTransactions,
};

type Settings = namespaces.NamespaceSettings;

const postgresNamespaces: Database<AdminClient>["namespaces"] = {
  ddl: (settings: Settings, dialect: DialectName) => namespaces.ddl(settings, dialectOf(dialect)),
  qualifiedNames(namespace, tables, dialect: DialectName) {
    const schema = dialectOf(dialect).quoteIdentifier(namespace);
    return Object.fromEntries(tables.map((name) => [name, `${schema}.${name}`]));
  },
  endpointIn: (endpoint, namespace, dialect: DialectName) =>
    withSearchPath(endpoint, dialectOf(dialect).quoteIdentifier(namespace)),
  supportsClaims: (dialect: DialectName) => dialectOf(dialect).supportsTransactionalDdl,
  claim: (endpoint, namespace, dialect: DialectName, events) =>
    claimNamespace(endpoint, namespace, dialectOf(dialect), events),
  state: (admin, namespace, dialect: DialectName) =>
    namespaces.namespaceState(admin, namespace, dialectOf(dialect)),
  isRunActive: isRunActive,
  requireOwnNamespace: (admin, namespace, dialect: DialectName) =>
    namespaces.requireOwnNamespace(admin, namespace, dialectOf(dialect)),
  apply: (admin, settings: Settings, dialect: DialectName) =>
    namespaces.ensureNamespace(admin, settings, dialectOf(dialect)),
  reset: (admin, settings: Settings, dialect: DialectName, tablesOf) =>
    namespaces.resetNamespace(admin, settings, dialectOf(dialect), tablesOf),
  drop: (admin, namespace, dialect: DialectName, tablesOf) =>
    namespaces.dropNamespace(admin, namespace, dialectOf(dialect), tablesOf),
  async settle(admin, name: DialectName, { cleansCatalogues, writesPages, emptiesBuffers }) {
    const { vacuumCataloguesStatement, checkpoint } = dialectOf(name);
    if (cleansCatalogues && vacuumCataloguesStatement) await admin.query(vacuumCataloguesStatement);
    if (writesPages && checkpoint !== undefined)
      await admin.query(checkpoint).catch((error: unknown) => {
        // A role without pg_checkpoint cannot ask for a checkpoint, so checkpoints follow the server's schedule.
        if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
      });
    if (!emptiesBuffers) return;
    await admin.query("CREATE EXTENSION IF NOT EXISTS pg_buffercache");
    await admin.query("SELECT pg_buffercache_evict_all()");
  },
  refreshStatistics: (admin, namespace, tables, dialect: DialectName) =>
    refreshStatistics(admin, { namespace, tables }, dialectOf(dialect)),
};

const plans: Database<AdminClient>["plans"] = {
  async obstacle(_, name: DialectName) {
    const { sampler, capabilities } = dialectOf(name);
    return sampler.plans ? undefined : `train-sim reads no plans of ${capabilities.label}`;
  },
  async read(admin, text, name: DialectName, within) {
    const dialect = dialectOf(name);
    const { plans: source } = dialect.sampler;
    if (!source) throw new RangeError(`${name} shows no plans`);
    const searchPath = within === undefined ? undefined : dialect.quoteIdentifier(within);
    return source.explain(admin, text, searchPath);
  },
};

export const postgresql = {
  name: "PostgreSQL",
  dialects: CAPABILITIES_BY_DIALECT,
  urls: {
    schemes: URL_SCHEMES,
    example: URL_EXAMPLE,
    refusal: urlRefusal,
    read: endpointAt,
    tlsKeysOf,
    addTlsParameters,
    changeFilePaths,
    complete: completeUrl,
    ignoredVariables,
  },
  socketOf: ({ host, port }) =>
    host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port },
  session: (options) => new PgConnection(options),
  administer: connectAdmin,
  failures,
  server,
  namespaces: postgresNamespaces,
  sessions,
  plans,
  evidence: {
    reader: ({ dialect, ...options }: Omit<SamplerOptions, "dialect"> & { readonly dialect: DialectName }) =>
      new DatabaseSampler({ ...options, dialect: dialectOf(dialect) }),
    foreignSources: FOREIGN_SOURCES,
  },
} satisfies Database<AdminClient>;
