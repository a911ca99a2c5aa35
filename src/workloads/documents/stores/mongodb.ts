// A document of the workload is the member `data` of a document of MongoDB, which also has its version. Each write is one operation
// on one document, which MongoDB makes atomic without a transaction.
import type { Collection, Document as Stored, MongoClient, ObjectId, UpdateFilter } from "mongodb";
import { lacking } from "../../../database/capabilities.js";
import type { MongoAdmin } from "../../../database/mongodb/admin.js";
import { driver } from "../../../database/mongodb/driver.js";
import type { CollectionSet, IndexSpecification } from "../../../database/mongodb/namespaces.js";
import type { MongoSession } from "../../../database/mongodb/session.js";
import { ARRAY_NAME, pathsOf, UPDATED_VALUE_INDEX } from "../document.js";
import type { DocumentsSettings, Treatment } from "../settings.js";
import type { DocumentOperations, DocumentStore, StoredDocument } from "../store.js";

/** Step between the values of a slice: it has every tenth value, 10 of 100. */
const SLICE_STEP = 10;
/** Number of leading values that an index of level `multicolumn` has besides the id. */
const INDEXED_VALUES = 2;
const COLLECTION = "documents";
const ID_PATH = "data.id";

const NO_OTHER_COLUMN = "MongoDB stores documents as BSON, which jsonb stands for";
const UNSUPPORTED_LEVELS = {
  column: lacking(NO_OTHER_COLUMN, "jsonb", ["json", "text", "relational"]),
  index: {
    ...lacking("MongoDB indexes paths, by B-trees", "expression", ["gin", "gin-path-ops"]),
    ...lacking("MongoDB has no generated keys", "expression", ["generated-stored", "generated-virtual"]),
  },
  toast: lacking("MongoDB has no TOAST", "extended", ["external", "main"]),
  update: lacking("$set changes one value", "jsonb_set", ["json_set", "column"]),
  parse: lacking("the driver sends documents as BSON", "literal", ["build-object"]),
  slice: lacking("MongoDB reads values by a projection of paths", "paths", ["record"]),
};

interface Row {
  /** Key of the document if `index` is btree-id, else a value that the driver makes. */
  _id?: ObjectId;
  version: number;
  data: Stored;
}

const pathText = (path: readonly string[]): string => ["data", ...path].join(".");
const isById = ({ index }: DocumentsSettings): boolean => index === "btree-id";
const keyPathOf = (settings: DocumentsSettings): string => (isById(settings) ? "_id" : ID_PATH);

function indexesOf({ index, shape }: DocumentsSettings): IndexSpecification[] {
  if (index === "expression") return [{ paths: [ID_PATH], isUnique: true }];
  if (index !== "multicolumn") return [];
  const values = pathsOf(shape).slice(0, INDEXED_VALUES).map(pathText);
  return [{ paths: [ID_PATH, ...values], isUnique: false }];
}

const rowsIn = (client: MongoClient, { namespace }: Pick<Treatment, "namespace">): Collection<Row> =>
  client.db(namespace).collection<Row>(COLLECTION);

function rowOf(settings: Treatment, json: string): Row {
  const data = JSON.parse(json) as Stored;
  // The driver's types know only the keys that it makes.
  return { ...(isById(settings) && { _id: data["id"] as ObjectId }), version: 0, data };
}

/** The change of an update: of the whole document, or of the value whose text is given. */
function changeOf(
  { shape }: Treatment,
  change: Parameters<DocumentOperations["update"]>[1],
): UpdateFilter<Row> {
  const set =
    typeof change === "string"
      ? { [pathText(pathsOf(shape)[UPDATED_VALUE_INDEX] ?? [])]: change }
      : { data: JSON.parse(change.json) as Stored };
  return { $set: set, $inc: { version: 1 } };
}

function sliceProjection({ shape }: DocumentsSettings): Stored {
  const sliced = pathsOf(shape).filter((_, i) => i % SLICE_STEP === 0);
  return { _id: 0, ...Object.fromEntries(sliced.map((path) => [pathText(path), 1])) };
}

const DOCUMENT = { _id: 0, data: 1 };
const VERSION = { _id: 0, version: 1 };

function operationsOf(settings: Treatment): DocumentOperations {
  const keyPath = keyPathOf(settings);
  const find = (name: string, key: string, projection: Stored) => (session: MongoSession) =>
    session.read(name, (client) =>
      rowsIn(client, settings)
        .find({ [keyPath]: key }, { projection })
        .toArray(),
    );
  const slice = sliceProjection(settings);
  const update: DocumentOperations["update"] = (key, change) => {
    const [filter, changes] = [{ [keyPath]: key }, changeOf(settings, change)];
    return (session: MongoSession) =>
      session.write("update", async (client) => {
        const options = { returnDocument: "after", projection: VERSION } as const;
        const row = await rowsIn(client, settings).findOneAndUpdate(filter, changes, options);
        return row ? [row.version] : [];
      });
  };
  return {
    insert({ json }) {
      const row = rowOf(settings, json);
      return (session: MongoSession) =>
        session.write("insert", async (client) => {
          await rowsIn(client, settings).insertOne({ ...row });
          return true as const;
        });
    },
    read: (key) => find("read", key, DOCUMENT),
    slice: (key) => find("slice", key, slice),
    unwrap(key) {
      const stages = [{ $match: { [keyPath]: key } }, { $unwind: `$${pathText([ARRAY_NAME])}` }];
      return (session: MongoSession) =>
        session.read("unwrap", (client) => rowsIn(client, settings).aggregate(stages).toArray());
    },
    scan: (key, length) => (session: MongoSession) =>
      session.read("scan", (client) =>
        rowsIn(client, settings)
          .find({ [keyPath]: { $gte: key } }, { projection: DOCUMENT })
          .sort({ [keyPath]: 1 })
          .limit(length)
          .toArray(),
      ),
    update,
    modify(key, change) {
      const [runRead, runUpdate] = [find("read", key, DOCUMENT), update(key, change)];
      return async (session: MongoSession) => {
        await runRead(session);
        return runUpdate(session);
      };
    },
    isThere(key) {
      const run = find("insert.settle", key, VERSION);
      return async (session: MongoSession) => (await run(session)).length > 0;
    },
  };
}

/** The documents in one cursor: after the drain nothing changes them. */
async function* scan(admin: MongoAdmin, settings: Treatment): AsyncGenerator<StoredDocument> {
  const { calculateObjectSize } = driver().BSON;
  const cursor = await admin.run((client) => Promise.resolve(rowsIn(client, settings).find()));
  try {
    for (;;) {
      const row = await admin.run(() => cursor.next());
      if (!row) return;
      yield {
        id: isById(settings) ? String(row._id) : undefined,
        version: row.version,
        text: JSON.stringify(row.data),
        documentBytes: calculateObjectSize(row.data),
        rowBytes: calculateObjectSize(row),
      };
    }
  } finally {
    await cursor.close();
  }
}

export const mongodb: DocumentStore = {
  tables: (settings): CollectionSet => ({
    variant: "workload documents",
    indexes: { [COLLECTION]: indexesOf(settings) },
  }),
  statements: () => [],
  unsupportedLevels: () => UNSUPPORTED_LEVELS,
  problems({ shape, mix }) {
    const refuse = (message: string) => [{ path: ["mix"], message }];
    if (mix.unwrap > 0 && shape !== "array")
      return refuse("on MongoDB a document is unwrapped by $unwind, which takes an array; use shape: array");
    if (mix.slice > 0 && shape === "array")
      return refuse("on MongoDB a projection cannot name elements of an array; use shape: large or complex");
    return [];
  },
  operations: operationsOf,
  async fill(admin: MongoAdmin, settings, portions) {
    for (const portion of portions)
      await admin.run((client) =>
        rowsIn(client, settings).insertMany(portion.map((json) => rowOf(settings, json))),
      );
  },
  scan,
};
