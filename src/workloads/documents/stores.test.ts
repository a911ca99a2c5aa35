// The workload documents on a store in memory: it passes the suite that PostgreSQL's store passes.
import { expect, it } from "vitest";
import { describeDocumentStore } from "../../../test/support/audits/document-stores.js";
import { documents as family } from "../../../test/support/audits/documents.js";
import { AuditedTrial, settingsOf } from "../../../test/support/audits/trial.js";
import { MemoryDocuments } from "../../../test/support/memory-documents.js";
import { parseKey } from "./document.js";
import { storeProblem } from "../stores.js";
import type { Treatment } from "./settings.js";
import { documents } from "./workload.js";

let store = new MemoryDocuments();

describeDocumentStore("memory", {
  open(own) {
    store = new MemoryDocuments();
    const { session, admin } = store;
    const settings = settingsOf("n", { workload: "documents", ...own }) as Treatment;
    return Promise.resolve({ store, session, admin, settings });
  },
  async runTrial(runOn) {
    store = new MemoryDocuments();
    const { admin, session } = store;
    const workload = { ...documents, stores: { PostgreSQL: store } };
    const trial = await AuditedTrial.begin(admin, "n", family.scenario, { workload, session });
    await trial.work(family.iterations, runOn);
    return trial;
  },
  change(kind) {
    const { rows } = store;
    const [first] = rows;
    if (!first) throw new Error("the store is empty");
    if (kind === "deleted") rows.shift();
    if (kind === "doubled") rows.push({ ...first });
    if (kind === "invented") rows.push({ ...first, id: "x", json: JSON.stringify({ id: "x" }) });
    if (kind === "changed") first.json = first.json.replace(/"field7":".*?"/, '"field7":"x"');
    return Promise.resolve();
  },
});

it.each(["latest", "zipfian"])(
  "clients read inserted documents only with keys: latest, tried with %s",
  async (keys) => {
    store = new MemoryDocuments();
    const { admin, session } = store;
    const operations = store.operations.bind(store);
    const readKeys: string[] = [];
    store.operations = (settings) => {
      const all = operations(settings);
      return {
        ...all,
        read(key) {
          readKeys.push(key);
          return all.read(key);
        },
      };
    };
    const workload = { ...documents, stores: { PostgreSQL: store } };
    const scenario = { ...family.scenario, keys, mix: { read: 3, insert: 1, update: 1 } };
    const trial = await AuditedTrial.begin(admin, "n", scenario, { workload, session });
    await trial.work(family.iterations);
    expect(await trial.audit()).toMatchObject({ verdict: "ok", misread: 0 });
    const inserted = readKeys.filter((key) => parseKey(key)?.client !== undefined);
    if (keys === "latest") expect(inserted.length).toBeGreaterThan(readKeys.length / 3);
    else expect(inserted).toEqual([]);
  },
);

it("a workload without a store for a database is refused with the name of the database", () => {
  expect(storeProblem(documents, "PostgreSQL")).toBeUndefined();
  expect(storeProblem(documents, "NoDB")).toBe(
    `workload documents has no store for NoDB; it has one for ${Object.keys(documents.stores).join(" and ")}`,
  );
});
