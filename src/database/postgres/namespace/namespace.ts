// The one schema that train-sim creates, marks, resets and drops. A schema without the mark, and an object that others built on
// ours, are never touched. Each change is one transaction under a lock on the name.
import { codeOf, messageOf, UsageError } from "../../../foundation/errors.js";
import type { TablesOf } from "../../contract.js";
import type { SqlClient } from "../admin.js";
import { changeCatalogue } from "./catalogue.js";
import type { Dialect } from "../dialects/dialect.js";
import { postgres } from "../dialects/postgres/dialect.js";
import { LOCK_NOT_AVAILABLE_SQLSTATE, LOCK_TIMEOUT } from "../lock-timeout.js";
import { OTHER_NAMESPACE_ADVICE, requireNamespaceName } from "../../namespace-name.js";
import { tableStatements, type NamespaceTables } from "./schema-files.js";
import type { Storage } from "../../levels.js";

/** Version of train-sim's tables. A namespace of another version can be dropped, but not used. */
const SCHEMA_VERSION = 1;
/** Largest number of dependent objects that a refusal names. */
const NAMED_MAX = 3;
const MARK_PATTERN =
  /^train-sim namespace, version (\d+), ([a-z]+ [\w-]+)(?:, storage ([a-z-]+))?:[^;]*(?:; run (\w+))?(?:; made (.*))?/s;

export type NamespaceState =
  | { readonly kind: "absent" }
  | {
      readonly kind: "ours";
      readonly version: number;
      readonly variant: string;
      readonly storage: string;
      /** Name of the run that made the namespace, as in `NamespaceClaim`; undefined if it was made outside of a run. */
      readonly run: string | undefined;
      /** Objects that must be dropped, as the mark names them (`NamespaceTables.made`); undefined if it names none. */
      readonly made: readonly string[] | undefined;
      readonly mark: string;
    }
  /** A schema of that name exists and has no mark of train-sim. */
  | { readonly kind: "foreign" };

type OurNamespace = Extract<NamespaceState, { kind: "ours" }>;

export interface NamespaceSettings {
  readonly namespace: string;
  readonly tables: NamespaceTables;
  readonly storage?: Storage;
  readonly grantTo?: string;
  readonly run?: string | undefined;
}

function markOf({ tables, storage = "default", run }: NamespaceSettings): string {
  const stored = storage === "default" ? "" : `, storage ${storage}`;
  const runMarkText = run === undefined ? "" : `; run ${run}`;
  const madeMarkText =
    tables.made === undefined ? "" : `; made ${tables.made.join(", ").replaceAll("'", "''")}`;
  return `train-sim namespace, version ${SCHEMA_VERSION}, ${tables.variant}${stored}: created by train-sim and dropped by it${runMarkText}${madeMarkText}`;
}

function qualifiedNames(dialect: Dialect, namespace: string, names: readonly string[]): string[] {
  return names.map((name) => `${dialect.quoteIdentifier(namespace)}.${name}`);
}

function grantStatements(
  dialect: Dialect,
  { namespace, tables: { names, made } }: NamespaceSettings,
  role: string,
): string[] {
  const grantee = dialect.quoteIdentifier(role);
  const schema = dialect.quoteIdentifier(namespace);
  // Grants cover the whole schema: a user's own SQL also makes tables and sequences that no statement names.
  const tables = made
    ? `ALL TABLES IN SCHEMA ${schema}`
    : qualifiedNames(dialect, namespace, names).join(", ");
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${grantee}`,
    ...(tables === "" ? [] : [`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${grantee}`]),
    ...(made === undefined ? [] : [`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${grantee}`]),
  ];
}

/** All statements that make the namespace, in order, without semicolons. Throws a UsageError if its name is not valid. */
export function ddl(settings: NamespaceSettings, dialect: Dialect = postgres): string[] {
  const { namespace, tables, storage = "default", grantTo } = settings;
  requireNamespaceName(namespace);
  const schema = dialect.quoteIdentifier(namespace);
  return [
    `CREATE SCHEMA ${schema}`,
    ...dialect.mark.statements(schema, markOf(settings)),
    ...tableStatements(dialect, { ...tables, storage, namespace }),
    ...(grantTo === undefined ? [] : grantStatements(dialect, settings, grantTo)),
  ];
}

export async function namespaceState(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
): Promise<NamespaceState> {
  const [row] = await client.query(dialect.mark.query, [namespace]);
  if (!row) return { kind: "absent" };
  const mark = typeof row.mark === "string" ? row.mark : "";
  const match = MARK_PATTERN.exec(mark);
  if (!match) return { kind: "foreign" };
  const [, version, variant = "", storage = "default", run, made] = match;
  return {
    kind: "ours",
    version: Number(version),
    variant,
    storage,
    run,
    made: made?.split(", ").filter((each) => each !== ""),
    mark,
  };
}

/** Throws a UsageError if the schema exists and is not train-sim's. */
export async function requireOwnNamespace(
  client: SqlClient,
  namespace: string,
  dialect: Dialect = postgres,
): Promise<void> {
  refuseForeignNamespace(namespace, await namespaceState(client, namespace, dialect));
}

function refuseForeignNamespace(namespace: string, state: NamespaceState): void {
  if (state.kind !== "foreign") return;
  throw new UsageError(
    `schema "${namespace}" exists and was not made by train-sim, so it is not touched`,
    `${OTHER_NAMESPACE_ADVICE} Or drop that schema yourself.`,
  );
}

function usedByOthersError(namespace: string, detail: string, cause?: unknown): UsageError {
  return new UsageError(
    `schema "${namespace}" is used by objects that train-sim did not make, so it is not dropped: ${detail}`,
    "Drop or move those objects yourself, then try again.",
    { cause },
  );
}

/** Puts an error that a user can have caused into words; any other error stays as it is. */
function explainError(namespace: string, grantTo: string | undefined, error: unknown): unknown {
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
    return usedByOthersError(namespace, firstNamesText(dependantsIn(error)) || detail, error);
  if (code === LOCK_NOT_AVAILABLE_SQLSTATE)
    return new UsageError(
      `another session has used the tables of schema "${namespace}" for ${LOCK_TIMEOUT}: ${detail}`,
      "Wait for the other train-sim to end, or end the session that pg_stat_activity shows.",
      { cause: error },
    );
  return error;
}

/** Runs `change` while no other train-sim changes that namespace, in one transaction if the dialect supports that. */
async function changeNamespace<T>(
  client: SqlClient,
  dialect: Dialect,
  settings: Pick<NamespaceSettings, "namespace" | "grantTo">,
  change: (state: NamespaceState) => Promise<T>,
): Promise<T> {
  const { namespace, grantTo } = settings;
  requireNamespaceName(namespace);
  const isOne = dialect.supportsTransactionalDdl;
  try {
    if (isOne) await beginWithNamespaceLock(client, namespace);
    const state = await namespaceState(client, namespace, dialect);
    refuseForeignNamespace(namespace, state);
    const result = await change(state);
    if (isOne) await client.query("COMMIT");
    return result;
  } catch (error) {
    // An error here means a lost connection; the first error says more.
    if (isOne) await client.query("ROLLBACK").catch(() => undefined);
    throw explainError(namespace, grantTo, error);
  }
}

async function beginWithNamespaceLock(client: SqlClient, namespace: string): Promise<void> {
  // READ COMMITTED, even if the server has another default: the state must be read as it is after the wait for the lock.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  await client.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`train-sim/${namespace}`]);
}

/** Statement that drops one object; `object` is its kind and its name as SQL has it, such as `TABLE account`. */
function dropStatement(schema: string, object: string): string {
  const [, kind = "", name = ""] = /^(\w+(?: VIEW)?) (.+)$/s.exec(object) ?? [];
  return `DROP ${kind} IF EXISTS ${schema}.${name}`;
}

/** Objects that keep others from being dropped, in the server's words, one for each line of the error's detail. */
function dependantsIn(error: unknown): string[] {
  const { detail = "" } = error as { detail?: string };
  return detail.split("\n").filter((line) => line !== "");
}

function firstNamesText(names: readonly string[]): string {
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  return `${names.slice(0, NAMED_MAX).join(", ")}${more}`;
}

async function requireNoDependants(
  client: SqlClient,
  { dependantQueries }: Dialect,
  namespace: string,
  { made, variant }: OurNamespace,
  tablesOf: TablesOf,
): Promise<void> {
  if (dependantQueries === undefined) return;
  const rows = made
    ? await client.query(dependantQueries.schemaDependantsQuery, [namespace])
    : await client.query(dependantQueries.tableDependantsQuery, [namespace, tablesOf(variant).join("\n")]);
  if (rows.length > 0)
    throw usedByOthersError(namespace, firstNamesText(rows.map(({ name }) => String(name))));
}

/** Throws a UsageError if objects that train-sim did not make are in one of its namespaces, or depend on it. */
export async function requireDroppableNamespace(
  client: SqlClient,
  namespace: string,
  dialect: Dialect,
  tablesOf: TablesOf,
): Promise<void> {
  const state = await namespaceState(client, namespace, dialect);
  if (state.kind === "ours") await requireNoDependants(client, dialect, namespace, state, tablesOf);
}

/**
 * Drops the tables, then the mark, then the schema, in this order: a partly dropped namespace is still known as
 * train-sim's.
 */
async function dropTables(
  client: SqlClient,
  dialect: Dialect,
  namespace: string,
  state: OurNamespace,
  tablesOf: TablesOf,
): Promise<void> {
  const { mark, variant, made } = state;
  const schema = dialect.quoteIdentifier(namespace);
  await requireNoDependants(client, dialect, namespace, state, tablesOf);
  if (made && dialect.dependantQueries !== undefined) {
    await client.query(`DROP SCHEMA ${schema} CASCADE`);
    return;
  }
  // The other tables may refer to the first, so it goes last; later objects of a user's file may refer to earlier ones, so
  // they go first.
  const [first, ...others] = made ? [] : tablesOf(variant).map((table) => `TABLE ${table}`);
  const objects = made?.toReversed() ?? [...others, ...(first === undefined ? [] : [first])];
  const statements = [
    ...objects.map((object) => dropStatement(schema, object)),
    ...dialect.mark.removalStatements(schema, mark),
    `DROP SCHEMA ${schema}`,
  ];
  for (const statement of statements) await changeCatalogue(client, dialect, statement);
}

async function createNamespace(
  client: SqlClient,
  dialect: Dialect,
  settings: NamespaceSettings,
): Promise<void> {
  for (const statement of ddl(settings, dialect)) {
    const place = settings.tables.places?.get(statement);
    try {
      await changeCatalogue(client, dialect, statement);
    } catch (error) {
      if (place === undefined) throw error;
      throw new UsageError(`${place}: ${messageOf(error)}`, "Correct the statement.", { cause: error });
    }
  }
}

/** Makes the namespace. A namespace of the same version, variant and storage stays as it is, apart from grants. */
export async function ensureNamespace(
  client: SqlClient,
  settings: NamespaceSettings,
  dialect: Dialect = postgres,
): Promise<"created" | "unchanged"> {
  const { namespace, tables, storage = "default", grantTo } = settings;
  return changeNamespace(client, dialect, settings, async (state) => {
    if (state.kind !== "ours") {
      await createNamespace(client, dialect, settings);
      return "created";
    }
    if (state.variant !== tables.variant || state.storage !== storage || state.version !== SCHEMA_VERSION)
      throw new UsageError(
        `schema "${namespace}" holds train-sim's tables for ${state.variant}, storage ${state.storage}, version ${state.version}`,
        "Drop it first with `npx train-sim schema drop`.",
      );
    for (const statement of grantTo === undefined ? [] : grantStatements(dialect, settings, grantTo))
      await client.query(statement);
    return "unchanged";
  });
}

export async function dropNamespace(
  client: SqlClient,
  namespace: string,
  dialect: Dialect,
  tablesOf: TablesOf,
): Promise<boolean> {
  return changeNamespace(client, dialect, { namespace }, async (state) => {
    if (state.kind !== "ours") return false;
    await dropTables(client, dialect, namespace, state, tablesOf);
    return true;
  });
}

/** Makes an empty namespace; one that an earlier run of train-sim left is dropped first. */
export async function resetNamespace(
  client: SqlClient,
  settings: NamespaceSettings,
  dialect: Dialect,
  tablesOf: TablesOf,
): Promise<void> {
  await changeNamespace(client, dialect, settings, async (state) => {
    if (state.kind === "ours") await dropTables(client, dialect, settings.namespace, state, tablesOf);
    await createNamespace(client, dialect, settings);
  });
}
