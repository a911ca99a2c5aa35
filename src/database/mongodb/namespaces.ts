// A namespace is a database of MongoDB that train-sim makes, marks by a document and drops. A database without the mark, and
// a collection that others made in a marked one, are never touched.
import type { Db, IndexDirection } from "mongodb";
import { UsageError } from "../../foundation/errors.js";
import type { Namespaces, NamespaceSettings, TableSet, TablesOf } from "../contract.js";
import type { MongoAdmin } from "./admin.js";
import { claimNamespace, isClaimFresh, type Claim } from "./claim.js";
import { serverCodeOf } from "./error-codes.js";
import { STATE_COLLECTION } from "./state-collection.js";

/** Version of train-sim's collections. A namespace of another version can be dropped, but not used. */
const SCHEMA_VERSION = 1;
const NAME_BYTES_MAX = 63;
const RESERVED_NAMES = ["admin", "local", "config"];
const OTHER_NAMESPACE_ADVICE =
  "Choose another name: --set namespace=NAME with run, or --namespace NAME with schema.";
/** Codes of servers that cannot be asked for a checkpoint, or do not let this user ask. */
const CANNOT_CHECKPOINT = [13, 59, 238];

export interface IndexSpecification {
  /** Paths of the indexed values, each ascending. */
  readonly paths: readonly string[];
  readonly isUnique: boolean;
}

/** Collections of a workload: their indexes besides that on `_id`, by the names of the workload's tables. */
export interface CollectionSet extends TableSet {
  readonly indexes: Readonly<Record<string, readonly IndexSpecification[]>>;
}

interface Mark {
  readonly _id: "mark";
  readonly version: number;
  readonly variant: string;
  readonly run?: string;
}

type State = { readonly kind: "absent" | "foreign" } | { readonly kind: "ours"; readonly mark: Mark };

const keysOf = ({ paths }: IndexSpecification): Record<string, IndexDirection> =>
  Object.fromEntries(paths.map((path) => [path, 1]));

function requireName(name: string): void {
  const problem =
    Buffer.byteLength(name) > NAME_BYTES_MAX
      ? `is longer than ${NAME_BYTES_MAX} bytes`
      : !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)
        ? "must be letters, digits, _ and -, not starting with a digit"
        : RESERVED_NAMES.includes(name)
          ? "belongs to the server"
          : undefined;
  if (problem === undefined) return;
  throw new UsageError(
    `namespace ${JSON.stringify(name)} ${problem}`,
    "Name a database for train-sim alone, such as train_sim: it is created, and dropped again.",
  );
}

const inDatabase = <T>(admin: MongoAdmin, name: string, work: (db: Db) => Promise<T>): Promise<T> =>
  admin.run((client) => work(client.db(name)));

async function collectionNames(db: Db): Promise<string[]> {
  const listed = await db.listCollections({}, { nameOnly: true }).toArray();
  return listed.map(({ name }) => name).filter((name) => !name.startsWith("system."));
}

async function stateIn(db: Db): Promise<State> {
  const names = await collectionNames(db);
  const mark = names.includes(STATE_COLLECTION)
    ? await db.collection<Mark>(STATE_COLLECTION).findOne({ _id: "mark" })
    : undefined;
  if (mark) return { kind: "ours", mark };
  return { kind: names.some((name) => name !== STATE_COLLECTION) ? "foreign" : "absent" };
}

const stateOf = (admin: MongoAdmin, namespace: string): Promise<State> =>
  inDatabase(admin, namespace, stateIn);

function refuseForeign(namespace: string, { kind }: State): void {
  if (kind !== "foreign") return;
  throw new UsageError(
    `database "${namespace}" exists and was not made by train-sim, so it is not touched`,
    `${OTHER_NAMESPACE_ADVICE} Or drop that database yourself.`,
  );
}

/** Throws a UsageError if the namespace has collections that train-sim did not make. */
export function requireDroppable(admin: MongoAdmin, namespace: string, tablesOf: TablesOf): Promise<void> {
  return inDatabase(admin, namespace, async (db) => {
    const state = await stateIn(db);
    refuseForeign(namespace, state);
    if (state.kind !== "ours") return;
    const own = [STATE_COLLECTION, ...tablesOf(state.mark.variant)];
    const others = (await collectionNames(db)).filter((name) => !own.includes(name));
    if (others.length === 0) return;
    throw new UsageError(
      `database "${namespace}" has collections that train-sim did not make, so it is not dropped: ${others.join(", ")}`,
      "Drop or move them yourself, then try again.",
    );
  });
}

/** Drops the collections, then the mark, so that a partly dropped namespace is still known as train-sim's. */
async function dropCollections(db: Db, tables: readonly string[]): Promise<void> {
  for (const table of tables) await db.dropCollection(table);
  await db.collection<Mark>(STATE_COLLECTION).deleteOne({ _id: "mark" });
}

async function create(db: Db, { tables, run }: NamespaceSettings): Promise<void> {
  const { names, variant, indexes = {} } = tables as NamespaceSettings["tables"] & Partial<CollectionSet>;
  const mark: Mark = {
    _id: "mark",
    version: SCHEMA_VERSION,
    variant,
    ...(run !== undefined && { run }),
  };
  await db.collection<Mark>(STATE_COLLECTION).insertOne(mark);
  for (const name of names) {
    const collection = await db.createCollection(name);
    const made = (indexes[name] ?? []).map((index) => ({ key: keysOf(index), unique: index.isUnique }));
    if (made.length > 0) await collection.createIndexes(made);
  }
}

async function drop(admin: MongoAdmin, namespace: string, tablesOf: TablesOf): Promise<boolean> {
  requireName(namespace);
  const state = await stateOf(admin, namespace);
  if (state.kind === "absent") return false;
  await requireDroppable(admin, namespace, tablesOf);
  if (state.kind === "ours")
    await inDatabase(admin, namespace, (db) => dropCollections(db, tablesOf(state.mark.variant)));
  return true;
}

export const namespaces: Namespaces<MongoAdmin> = {
  ddl({ namespace, tables }) {
    requireName(namespace);
    const { names, indexes = {} } = tables as NamespaceSettings["tables"] & Partial<CollectionSet>;
    const db = `db.getSiblingDB(${JSON.stringify(namespace)})`;
    return names.flatMap((name) => [
      `${db}.createCollection(${JSON.stringify(name)})`,
      ...(indexes[name] ?? []).map(
        (index) =>
          `${db}.${name}.createIndex(${JSON.stringify(keysOf(index))}${index.isUnique ? ', {"unique":true}' : ""})`,
      ),
    ]);
  },
  qualifiedNames: (namespace, tables) =>
    Object.fromEntries(tables.map((name) => [name, `${namespace}.${name}`])),
  endpointIn: (endpoint) => endpoint,
  async claim(endpoint, namespace, _, events) {
    requireName(namespace);
    return claimNamespace(endpoint, namespace, events, async (admin) => {
      const state = await stateOf(admin, namespace);
      refuseForeign(namespace, state);
      return state.kind === "ours" ? state.mark.run : undefined;
    });
  },
  supportsClaims: () => true,
  async state(admin, namespace) {
    const state = await stateOf(admin, namespace);
    return state.kind === "ours" ? { kind: "ours", run: state.mark.run } : state;
  },
  isRunActive: (admin, namespace, run) =>
    inDatabase(admin, namespace, async (db) => {
      const claim = await db.collection<Claim>(STATE_COLLECTION).findOne({ _id: "claim" });
      return claim?.run === run && (await isClaimFresh(admin, claim));
    }),
  async requireOwnNamespace(admin, namespace) {
    refuseForeign(namespace, await stateOf(admin, namespace));
  },
  async apply(admin, settings) {
    const { namespace, tables, grantTo } = settings;
    requireName(namespace);
    if (grantTo !== undefined)
      throw new UsageError(
        `train-sim grants no roles on MongoDB, and the load is another user: ${grantTo}`,
        "Use one user for target.urls and target.adminUrl.",
      );
    const state = await stateOf(admin, namespace);
    refuseForeign(namespace, state);
    if (state.kind !== "ours") {
      await inDatabase(admin, namespace, (db) => create(db, settings));
      return "created";
    }
    const { variant, version } = state.mark;
    if (variant !== tables.variant || version !== SCHEMA_VERSION)
      throw new UsageError(
        `database "${namespace}" holds train-sim's collections for ${variant}, version ${version}`,
        "Drop it first with `npx train-sim schema drop`.",
      );
    return "unchanged";
  },
  async reset(admin, settings, _, tablesOf) {
    await drop(admin, settings.namespace, tablesOf);
    await inDatabase(admin, settings.namespace, (db) => create(db, settings));
  },
  drop: (admin, namespace, _, tablesOf) => drop(admin, namespace, tablesOf),
  async settle(admin, _, { writesPages, emptiesBuffers }) {
    if (emptiesBuffers)
      throw new UsageError(
        "trial.coldCache does not work with MongoDB, which cannot empty its cache",
        "Leave it out.",
      );
    if (!writesPages) return;
    await admin.command({ fsync: 1 }).catch((error: unknown) => {
      if (!CANNOT_CHECKPOINT.includes(serverCodeOf(error) ?? 0)) throw error;
    });
  },
  refreshStatistics: () => Promise.resolve(),
};
