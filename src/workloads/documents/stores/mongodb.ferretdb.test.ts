// The store of documents on FerretDB, by the suite that every store of documents passes.
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { describeDocumentStore } from "../../../../test/support/audits/document-stores.js";
import { documents as family } from "../../../../test/support/audits/documents.js";
import { AuditedTrial, settingsOf } from "../../../../test/support/audits/trial.js";
import type { Mapping } from "../../../syntax/paths.js";
import { administer, type MongoAdmin } from "../../../database/mongodb/admin.js";
import { namespaces } from "../../../database/mongodb/namespaces.js";
import { MongoSession } from "../../../database/mongodb/session.js";
import { urls } from "../../../database/mongodb/url.js";
import { insertedKey, preloadedKey } from "../document.js";
import type { Treatment } from "../settings.js";
import { documents } from "../workload.js";
import { tablesMarked } from "../../tables.js";
import { mongodb } from "./mongodb.js";

const NAMESPACE = "documents_store";
const target = `mongodb://127.0.0.1:${inject("ferretDbPort")}/?w=1&journal=true`;
const endpoint = urls.read({ url: target });
const ON_MONGODB = { workload: "documents", dialect: "mongodb", target };

let admin: MongoAdmin;
let session: MongoSession;
beforeAll(async () => {
  admin = await administer(endpoint);
  session = new MongoSession({ endpoint, applicationName: "train-sim/test", prepared: false });
  await session.connect();
});
afterAll(async () => {
  await session.end();
  await namespaces.drop(admin, NAMESPACE, "mongodb", tablesMarked);
  await admin.close();
});

async function openStore(own: Mapping) {
  const settings = settingsOf(NAMESPACE, { ...ON_MONGODB, ...own }) as Treatment;
  const tables = { ...mongodb.tables(settings), names: documents.tables.names };
  await namespaces.reset(admin, { namespace: NAMESPACE, tables }, "mongodb", tablesMarked);
  return { store: mongodb, session, admin, settings };
}

// Two documents with one key need an index that permits them.
const SCENARIO = { ...family.scenario, ...ON_MONGODB, index: "none" };

describeDocumentStore("FerretDB", {
  open: openStore,
  unwrapped: ["array"],
  async runTrial(runOn) {
    await openStore({ index: "none" });
    const trial = await AuditedTrial.begin(admin, NAMESPACE, SCENARIO, { workload: documents, session });
    await trial.work(family.iterations, runOn);
    return trial;
  },
  async change(kind) {
    await admin.run(async (client) => {
      const rows = client.db(NAMESPACE).collection("documents");
      const inserted = { "data.id": insertedKey(1, 0) };
      if (kind === "deleted") await rows.deleteOne(inserted);
      if (kind === "invented") await rows.insertOne({ version: 0, data: { id: "x" } });
      if (kind === "changed") await rows.updateOne(inserted, { $set: { "data.field7": "x" } });
      if (kind !== "doubled") return;
      const { version, data } = (await rows.findOne(inserted)) ?? expect.fail("no such document");
      await rows.insertOne({ version: version as unknown, data: data as unknown });
    });
  },
});

it.each(["none", "btree-id", "expression", "multicolumn"])(
  "documents are found and updated with index: %s, and their indexes are made",
  async (index) => {
    const { settings } = await openStore({ index });
    const key = preloadedKey(0);
    await mongodb.fill(admin, settings, [[JSON.stringify({ id: key, field0: "a", field3: "b" })]]);
    const operations = mongodb.operations(settings);
    expect(await operations.read(key)(session)).toEqual([{ data: { id: key, field0: "a", field3: "b" } }]);
    expect(await operations.update(key, "c")(session)).toEqual([1]);
    expect(await operations.read(key)(session)).toEqual([{ data: { id: key, field0: "a", field3: "c" } }]);
    const indexes = await admin.run((client) =>
      client.db(NAMESPACE).collection("documents").listIndexes().toArray(),
    );
    const made: Record<string, unknown[]> = {
      expression: [{ "data.id": 1 }],
      multicolumn: [{ "data.id": 1, "data.field0": 1, "data.field1": 1 }],
    };
    expect(indexes.map((one) => (one as { key: unknown }).key)).toEqual([{ _id: 1 }, ...(made[index] ?? [])]);
  },
);

it.each(["btree-id", "expression"])(
  "a second insert of a document is refused with index: %s",
  async (index) => {
    const { settings } = await openStore({ index });
    const operations = mongodb.operations(settings);
    const key = insertedKey(0, 0);
    const document = { key, values: [], json: JSON.stringify({ id: key }) };
    expect(await operations.insert(document)(session)).toBe(true);
    await expect(operations.insert(document)(session)).rejects.toMatchObject({ sqlstate: "DuplicateKey" });
    expect(session.isBroken).toBe(false);
  },
);
