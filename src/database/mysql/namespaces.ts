// A namespace is a database of the server that holds train-sim's mark: a table whose comment is the mark. A database without it
// is never touched.
import { createHash } from "node:crypto";
import { codeOf, messageOf, UsageError } from "../../foundation/errors.js";
import type {
  ClaimEvents,
  Database,
  NamespaceClaim,
  NamespaceSettings,
  NamespaceState,
  TableSet,
  TablesOf,
} from "../contract.js";
import { changeWithAlternatives, type Endpoint } from "../endpoint.js";
import { APPLICATION_NAME } from "../contract.js";
import { HeldClaim, namespaceInUseError } from "../held-claim.js";
import { OTHER_NAMESPACE_ADVICE, requireNamespaceName } from "../namespace-name.js";
import { connectMySqlAdmin, type MySqlAdmin } from "./admin.js";
import { CONNECT_TIMEOUT_MS } from "./connection-options.js";
import { failureCodeOf } from "./error-codes.js";
import { quoteIdentifier } from "./quoting.js";

/** Tables of a workload, as its store for MySQL defines them. */
export interface MySqlTableSet extends TableSet {
  /** Statements that make the tables; `{{namespace}}` stands for the quoted namespace. */
  readonly statements: readonly string[];
  /** Objects that a user's statements make, such as `TABLE account`. */
  readonly made?: readonly string[];
  /** Places of statements in the user's file, such as `bank.sql:3:1`, by the text of the statement. */
  readonly places?: ReadonlyMap<string, string>;
}

type Settings = NamespaceSettings & { readonly tables: MySqlTableSet & NamespaceSettings["tables"] };

const MARK_TABLE = "train_sim_mark";
const MARK_PATTERN = /^train-sim namespace, ([a-z]+ [\w-]+): [^;]*(?:; run (\w+))?(; all objects)?$/;

/** Seconds for which a changed or claimed namespace's lock is waited for. */
const CHANGE_LOCK_TIMEOUT_SECONDS = 15;
/** The server may need this time to notice that the lock's holder has just been killed. */
const CLAIM_LOCK_TIMEOUT_SECONDS = 2;
/** Largest number of foreign objects that a refusal names. */
const NAMED_MAX = 3;

const ACCESS_DENIED = ["1044", "1142", "1227"];

/** Name of a lock of the server, which has at most 64 characters. */
function lockName(purpose: "change" | "claim", namespace: string): string {
  return `train-sim/${purpose}/${createHash("sha1").update(namespace).digest("hex")}`;
}

function markOf({ tables: { variant, made }, run }: Settings): string {
  const runText = run === undefined ? "" : `; run ${run}`;
  // A user's statements may make any object.
  const madeText = made === undefined ? "" : "; all objects";
  return `train-sim namespace, ${variant}: created by train-sim and dropped by it${runText}${madeText}`;
}

function ddl(settings: Settings): string[] {
  const { namespace, tables, grantTo } = settings;
  requireNamespaceName(namespace);
  const schema = quoteIdentifier(namespace);
  return [
    `CREATE DATABASE ${schema} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    `CREATE TABLE ${schema}.${MARK_TABLE} (mark int) COMMENT = '${markOf(settings)}'`,
    ...tables.statements.map((statement) => statement.replaceAll("{{namespace}}", schema)),
    ...(grantTo === undefined ? [] : [grantStatement(settings, grantTo)]),
  ];
}

/** Accounts of the user from any host: the load's own host is not known to the server's administrator. */
const grantStatement = ({ namespace }: Pick<Settings, "namespace">, user: string): string =>
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ${quoteIdentifier(namespace)}.* TO ${quoteIdentifier(user)}`;

interface MarkedState {
  readonly state: NamespaceState;
  readonly variant: string;
  /** True if all objects of the namespace are train-sim's. */
  readonly isWhole: boolean;
}

async function markedState(admin: MySqlAdmin, namespace: string): Promise<MarkedState> {
  const [row] = await admin.query(
    `SELECT (SELECT table_comment FROM information_schema.tables
              WHERE table_schema = schema_name AND table_name = '${MARK_TABLE}') AS mark
       FROM information_schema.schemata WHERE schema_name = ?`,
    [namespace],
  );
  if (!row) return { state: { kind: "absent" }, variant: "", isWhole: false };
  const mark = typeof row["mark"] === "string" ? row["mark"] : "";
  const [, variant, run, all] = MARK_PATTERN.exec(mark) ?? [];
  if (variant === undefined) return { state: { kind: "foreign" }, variant: "", isWhole: false };
  return { state: { kind: "ours", run }, variant, isWhole: all !== undefined };
}

const namespaceState = async (admin: MySqlAdmin, namespace: string): Promise<NamespaceState> =>
  (await markedState(admin, namespace)).state;

function refuseForeignNamespace(namespace: string, { kind }: NamespaceState): void {
  if (kind !== "foreign") return;
  throw new UsageError(
    `database "${namespace}" exists and was not made by train-sim, so it is not touched`,
    `${OTHER_NAMESPACE_ADVICE} Or drop that database yourself.`,
  );
}

/** Throws a UsageError if tables that train-sim did not make are in its namespace, or refer to it from another database. */
export async function requireDroppableNamespace(
  admin: MySqlAdmin,
  namespace: string,
  tablesOf: TablesOf,
): Promise<void> {
  const { state, variant, isWhole } = await markedState(admin, namespace);
  if (state.kind !== "ours") return;
  const own = isWhole ? undefined : tablesOf(variant);
  const rows = await admin.query(
    `SELECT CONCAT(table_name) AS name FROM information_schema.tables WHERE table_schema = ?
     UNION ALL SELECT DISTINCT CONCAT(table_schema, '.', table_name) FROM information_schema.key_column_usage
      WHERE referenced_table_schema = ? AND table_schema <> referenced_table_schema`,
    [namespace, namespace],
  );
  const names = rows.map(({ name }) => String(name)).filter((name) => name !== MARK_TABLE);
  const foreign = names.filter((name) => name.includes(".") || own?.includes(name) === false);
  if (foreign.length === 0) return;
  const more = foreign.length > NAMED_MAX ? ` and ${foreign.length - NAMED_MAX} more` : "";
  throw new UsageError(
    `database "${namespace}" is used by objects that train-sim did not make, so it is not dropped: ${foreign.slice(0, NAMED_MAX).join(", ")}${more}`,
    "Drop or move those objects yourself, then try again.",
  );
}

/** Runs `change` while no other train-sim changes that namespace. */
async function changeNamespace<T>(
  admin: MySqlAdmin,
  namespace: string,
  change: (marked: MarkedState) => Promise<T>,
): Promise<T> {
  requireNamespaceName(namespace);
  const lock = lockName("change", namespace);
  const [row] = await admin.query("SELECT GET_LOCK(?, ?) AS taken", [lock, CHANGE_LOCK_TIMEOUT_SECONDS]);
  if (row?.["taken"] !== 1) throw namespaceInUseError(namespace, undefined);
  try {
    const marked = await markedState(admin, namespace);
    refuseForeignNamespace(namespace, marked.state);
    return await change(marked);
  } catch (error) {
    if (!ACCESS_DENIED.includes(failureCodeOf(error) ?? "")) throw error;
    throw new UsageError(
      `not allowed to change database "${namespace}": ${messageOf(error)}`,
      `Grant the user the right: GRANT ALL ON ${quoteIdentifier(namespace)}.* TO ...`,
      { cause: error },
    );
  } finally {
    await admin.query("SELECT RELEASE_LOCK(?)", [lock]).catch(() => undefined);
  }
}

async function create(admin: MySqlAdmin, settings: Settings): Promise<void> {
  for (const statement of ddl(settings)) {
    try {
      await admin.query(statement);
    } catch (error) {
      const place = settings.tables.places?.get(statement);
      if (place === undefined) throw error;
      throw new UsageError(`${place}: ${messageOf(error)}`, "Correct the statement.", { cause: error });
    }
  }
}

const drop = async (admin: MySqlAdmin, namespace: string, tablesOf: TablesOf): Promise<void> => {
  await requireDroppableNamespace(admin, namespace, tablesOf);
  await admin.query(`DROP DATABASE ${quoteIdentifier(namespace)}`);
};

/** Number of the session that holds the namespace's claim. */
async function claimHolder(admin: MySqlAdmin, namespace: string): Promise<number | undefined> {
  const [row] = await admin.query("SELECT IS_USED_LOCK(?) AS holder", [lockName("claim", namespace)]);
  return row?.["holder"] === null ? undefined : Number(row?.["holder"]);
}

/** Number of a session whose name contains that run; undefined if there is none, or if the server shows no names. */
async function runSession(admin: MySqlAdmin, run: string): Promise<number | undefined> {
  const [row] = await admin
    .query(
      `SELECT processlist_id AS id FROM performance_schema.session_connect_attrs
      WHERE attr_name = 'program_name' AND attr_value LIKE ? LIMIT 1`,
      [`${APPLICATION_NAME}/%/${run}`],
    )
    .catch((error: unknown) => {
      if (failureCodeOf(error) === undefined || codeOf(error) === undefined) throw error;
      return [];
    });
  return row && Number(row["id"]);
}

async function claim(
  endpoint: Endpoint,
  namespace: string,
  events: ClaimEvents = {},
): Promise<NamespaceClaim> {
  const lock = lockName("claim", namespace);
  const held = new HeldClaim<MySqlAdmin>(namespace, events, {
    connect: (options) => connectMySqlAdmin(endpoint, options),
    async lock(session) {
      const [row] = await session.query("SELECT GET_LOCK(?, ?) AS taken", [lock, CLAIM_LOCK_TIMEOUT_SECONDS]);
      if (row?.["taken"] !== 1) throw namespaceInUseError(namespace, await claimHolder(session, namespace));
    },
    state: (session) => namespaceState(session, namespace),
    sessionOf: runSession,
    unlock: (session) => session.query("SELECT RELEASE_LOCK(?)", [lock]),
  });
  await held.take(CONNECT_TIMEOUT_MS);
  return held;
}

export const namespaces: Database<MySqlAdmin>["namespaces"] = {
  ddl: (settings: Settings) => ddl(settings),
  qualifiedNames: (namespace, tables) =>
    Object.fromEntries(
      tables.map((name) => [name, `${quoteIdentifier(namespace)}.${quoteIdentifier(name)}`]),
    ),
  endpointIn: (endpoint, namespace) =>
    changeWithAlternatives(endpoint, (server) => ({ ...server, database: namespace })),
  claim: (endpoint, namespace, _, events) => claim(endpoint, namespace, events),
  supportsClaims: () => true,
  state: namespaceState,
  isRunActive: async (admin, namespace, run) =>
    [await claimHolder(admin, namespace), await runSession(admin, run)].some((id) => id !== undefined),
  requireOwnNamespace: async (admin, namespace) =>
    refuseForeignNamespace(namespace, await namespaceState(admin, namespace)),
  apply: (admin, settings: Settings) =>
    changeNamespace(admin, settings.namespace, async ({ state, variant }) => {
      if (state.kind !== "ours") {
        await create(admin, settings);
        return "created";
      }
      if (variant !== settings.tables.variant)
        throw new UsageError(
          `database "${settings.namespace}" holds train-sim's tables for ${variant}`,
          "Drop it first with `npx train-sim schema drop`.",
        );
      if (settings.grantTo !== undefined) await admin.query(grantStatement(settings, settings.grantTo));
      return "unchanged";
    }),
  reset: (admin, settings: Settings, _, tablesOf) =>
    changeNamespace(admin, settings.namespace, async ({ state }) => {
      if (state.kind === "ours") await drop(admin, settings.namespace, tablesOf);
      await create(admin, settings);
    }),
  drop: (admin, namespace, _, tablesOf) =>
    changeNamespace(admin, namespace, async ({ state }) => {
      if (state.kind !== "ours") return false;
      await drop(admin, namespace, tablesOf);
      return true;
    }),
  // InnoDB purges and flushes by itself. Only a restart empties its buffer pool.
  settle: () => Promise.resolve(),
  async refreshStatistics(admin, namespace, tables) {
    for (const table of tables)
      await admin.query(`ANALYZE TABLE ${quoteIdentifier(namespace)}.${quoteIdentifier(table)}`);
  },
};
