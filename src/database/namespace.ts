// The namespace: the one schema that train-sim creates, marks as its own with a comment, resets and drops. A schema
// without the mark is never touched, and neither is what others put into ours or built on it: nothing is dropped
// with CASCADE. Each change is one transaction under a lock on the name, so nothing half-made stays behind and two
// train-sims do not trip over each other.
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import type { Payload } from "../scenario/settings.js";
import type { SqlClient } from "./admin.js";
import type { Dialect } from "./dialects/dialect.js";
import { postgres } from "./dialects/postgres.js";
import { requireNamespaceName } from "./namespace-name.js";
import { tableStatements } from "./schema-files.js";
import { tablesOf } from "./tables.js";

/** Version of the tables; a namespace of another version can be dropped, not used. */
const SCHEMA_VERSION = 1;
const MARK = /^train-sim namespace, version (\d+), payload ([a-z-]+):/;
/** How long a change waits for somebody who still uses the tables. */
const LOCK_TIMEOUT = "15s";

export type NamespaceState =
  | { readonly kind: "absent" }
  | { readonly kind: "ours"; readonly version: number; readonly payload: string }
  /** Exists without our mark. */
  | { readonly kind: "foreign" };

/** What a namespace is made for. */
export interface NamespaceSettings {
  readonly namespace: string;
  readonly payload: Payload;
  /** A role, other than the owner, that is to run the load. */
  readonly grantTo?: string;
}

function markOf(payload: Payload): string {
  return `train-sim namespace, version ${SCHEMA_VERSION}, payload ${payload}: created by train-sim and dropped by it`;
}

function grantStatements(dialect: Dialect, namespace: string, role: string): string[] {
  const grantee = dialect.quoteIdentifier(role);
  const tables = Object.values(tablesOf(dialect, namespace)).join(", ");
  return [
    `GRANT USAGE ON SCHEMA ${dialect.quoteIdentifier(namespace)} TO ${grantee}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${grantee}`,
  ];
}

/** Every statement that makes the namespace, in order, without semicolons. Throws a UsageError for a bad name. */
export function ddl(settings: NamespaceSettings, dialect: Dialect = postgres): string[] {
  const { namespace, payload, grantTo } = settings;
  requireNamespaceName(namespace);
  const schema = dialect.quoteIdentifier(namespace);
  return [
    `CREATE SCHEMA ${schema}`,
    `COMMENT ON SCHEMA ${schema} IS '${markOf(payload)}'`,
    ...tableStatements(dialect, payload, namespace),
    ...(grantTo === undefined ? [] : grantStatements(dialect, namespace, grantTo)),
  ];
}

export async function namespaceState(client: SqlClient, namespace: string): Promise<NamespaceState> {
  const [row] = await client.query(
    "SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = $1",
    [namespace],
  );
  if (!row) return { kind: "absent" };
  const match = typeof row.mark === "string" ? MARK.exec(row.mark) : null;
  return match ? { kind: "ours", version: Number(match[1]), payload: match[2] ?? "" } : { kind: "foreign" };
}

/** Throws a UsageError when that schema exists and is not train-sim's. */
export async function requireOwnNamespace(client: SqlClient, namespace: string): Promise<void> {
  refuseForeign(namespace, await namespaceState(client, namespace));
}

function refuseForeign(namespace: string, state: NamespaceState): void {
  if (state.kind !== "foreign") return;
  throw new UsageError(
    `schema "${namespace}" exists and was not made by train-sim, so it is not touched`,
    "Choose another name with `namespace:` (or --namespace), or drop that schema yourself.",
  );
}

/** What a user can cause, said in their words; any other error as it is. */
function explained(namespace: string, grantTo: string | undefined, error: unknown): unknown {
  const code = codeOf(error);
  const detail = messageOf(error);
  if (code === "42501")
    return new UsageError(
      `not allowed to change schema "${namespace}": ${detail}`,
      "Connect as its owner, or as a role with CREATE on the database.",
      { cause: error },
    );
  if (code === "42704" && grantTo !== undefined)
    return new UsageError(`cannot grant to "${grantTo}": ${detail}`, "Create that role first.", {
      cause: error,
    });
  if (code === "2BP01")
    return new UsageError(
      `schema "${namespace}" is used by objects that train-sim did not make, so it is not dropped: ${detail}`,
      "Drop or move those objects yourself, then try again.",
      { cause: error },
    );
  if (code === "55P03")
    return new UsageError(
      `somebody has used the tables of schema "${namespace}" for ${LOCK_TIMEOUT}: ${detail}`,
      "Wait for the other train-sim to end, or end the session that pg_stat_activity shows.",
      { cause: error },
    );
  return error;
}

/** Runs `change` in a transaction of its own, alone on that namespace. */
async function changing<T>(
  client: SqlClient,
  dialect: Dialect,
  settings: Pick<NamespaceSettings, "namespace" | "grantTo">,
  change: (state: NamespaceState) => Promise<T>,
): Promise<T> {
  const { namespace, grantTo } = settings;
  requireNamespaceName(namespace);
  // Read committed whatever the server's default is: the state must be read as it is after the lock was waited for.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    if (dialect.supportsAdvisoryLocks) {
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`train-sim/${namespace}`]);
    }
    const state = await namespaceState(client, namespace);
    refuseForeign(namespace, state);
    const result = await change(state);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    // The first error says more than that the connection went as well.
    await client.query("ROLLBACK").catch(() => undefined);
    throw explained(namespace, grantTo, error);
  }
}

async function dropTables(client: SqlClient, dialect: Dialect, namespace: string): Promise<void> {
  const { events, status, archive } = tablesOf(dialect, namespace);
  await client.query(`DROP TABLE IF EXISTS ${status}, ${archive}, ${events}`);
  await client.query(`DROP SCHEMA ${dialect.quoteIdentifier(namespace)}`);
}

async function create(client: SqlClient, dialect: Dialect, settings: NamespaceSettings): Promise<void> {
  for (const statement of ddl(settings, dialect)) await client.query(statement);
}

/** Makes the namespace; one of the same version and payload level is left as it is, apart from grants. */
export async function applyNamespace(
  client: SqlClient,
  settings: NamespaceSettings,
  dialect: Dialect = postgres,
): Promise<"created" | "unchanged"> {
  const { namespace, payload, grantTo } = settings;
  return changing(client, dialect, settings, async (state) => {
    if (state.kind !== "ours") {
      await create(client, dialect, settings);
      return "created";
    }
    if (state.payload !== payload || state.version !== SCHEMA_VERSION)
      throw new UsageError(
        `schema "${namespace}" holds train-sim's tables for payload ${state.payload}, version ${state.version}`,
        "Drop it first with `train-sim schema drop`.",
      );
    for (const statement of grantTo === undefined ? [] : grantStatements(dialect, namespace, grantTo))
      await client.query(statement);
    return "unchanged";
  });
}

/** Drops the namespace; false when there was none. */
export async function dropNamespace(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
): Promise<boolean> {
  return changing(client, dialect, { namespace }, async (state) => {
    if (state.kind === "absent") return false;
    await dropTables(client, dialect, namespace);
    return true;
  });
}

/** A fresh, empty namespace, whatever ours held before. */
export async function resetNamespace(
  client: SqlClient,
  settings: NamespaceSettings,
  dialect: Dialect = postgres,
): Promise<void> {
  await changing(client, dialect, settings, async (state) => {
    if (state.kind === "ours") await dropTables(client, dialect, settings.namespace);
    await create(client, dialect, settings);
  });
}
