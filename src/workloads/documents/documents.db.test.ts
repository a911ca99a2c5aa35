import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import type { Connection, StatementRow } from "../../database/sql.js";
import type { Mapping } from "../../syntax/paths.js";
import { PgConnection } from "../../database/postgres/connection.js";
import { describeDocumentStore } from "../../../test/support/audits/document-stores.js";
import { documents as family } from "../../../test/support/audits/documents.js";
import { AuditedTrial, doubtingOn, runningOn, SEED, type RunOn } from "../../../test/support/audits/trial.js";
import { testNamespace } from "../../../test/support/namespace.js";
import { onSuiteServer } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { DocumentMaker, preloadedKey, stampOf, UPDATED_VALUE_INDEX } from "./document.js";
import type { DocumentsSettings, Treatment } from "./settings.js";
import { keyValue, postgres, statementsOf } from "./stores/postgres.js";

const namespace = testNamespace("documents");

let admin: AdminClient;
beforeAll(async () => {
  admin = await connectAdmin(inject("adminEndpoint"));
});
const sessions: PgConnection[] = [];
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.end()));
  await admin.query(`DROP SCHEMA IF EXISTS ${namespace} CASCADE`);
});
afterAll(() => admin.close());

const begin = (own: Mapping): Promise<AuditedTrial> =>
  AuditedTrial.begin(admin, namespace, { ...family.scenario, ...own });

async function runTrial(own: Mapping, runOn?: RunOn): Promise<AuditedTrial> {
  const trial = await begin(own);
  await trial.work(family.iterations, runOn);
  return trial;
}

describeDocumentStore("PostgreSQL", {
  async open(own) {
    const trial = await begin(own);
    await trial.change("DELETE FROM documents");
    const { settings } = trial;
    const session = new PgConnection({
      endpoint: admin.endpoint,
      applicationName: "train-sim/test",
      prepared: true,
    });
    await session.connect();
    sessions.push(session);
    return { store: postgres, session, admin, settings: settings as Treatment };
  },
  runTrial: (runOn) => runTrial({}, runOn),
  change: (kind, trial) => trial.change(family.changes.find((each) => each.kind === kind)?.change ?? ""),
});

describe("workload documents", () => {
  const SCENARIO = `
seed: 5
workload: documents
documents: 30
retry: { attempts: 1 }
diagnosis: { ceiling: false }
actors: { clients: { workers: 2, load: { executor: per-client-iterations, clients: 6, iterations: 30 } } }
trial: { warmUp: 0, drain: false }
trials: 1
`;

  it("gives thresholds and published figures the document sizes of its audit", async () => {
    const out = join(scratchDirectory(), "results");
    const scenario = `name: sizes
${SCENARIO}mix: C
factors: { column: [jsonb, relational] }
thresholds:
  "audit{column:relational}": [documentBytes==1010, rowBytes>1010]
  "audit{column:relational} / audit{column:jsonb}": [documentBytes<1, documentBytes>1]
published:
  - { source: theirs, treatment: "{column:jsonb}", metric: audit documentBytes, value: 1200 }
  - { source: theirs, treatment: "{column:relational}", metric: audit documentBytes, value: 1000 }
${onSuiteServer("sizes")}`;
    const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
    expect(ended.exitCode, ended.stderr).toBe(99);
    const { treatments, thresholds, published } = onlyResultIn(out).result;
    const [jsonb = 0, relational = 0] = treatments.map(
      ({ trials }) => trials[0]?.integrity?.documentBytes ?? expect.fail("no size"),
    );
    expect(thresholds?.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    expect(thresholds?.[2]?.seen).toBeCloseTo(relational / jsonb);
    expect(published?.map(({ ours }) => ours?.median)).toEqual([jsonb, relational]);
  }, 60_000);

  fullIt("reads the documents from outside shared buffers with a cold cache", async () => {
    const out = join(scratchDirectory(), "results");
    // A session reports its reads once a second at most.
    const scenario = `
name: cold
workload: documents
documents: 30
bytes: 64kB
mix: C
diagnosis: { ceiling: false }
actors: { clients: { workers: 1, load: { clients: 2 } } }
trial: { warmUp: 0, duration: 3s, drain: false }
trials: 1
factors: { trial.coldCache: [false, true] }
target: { kind: embedded }
`;
    const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const read = onlyResultIn(out).result.treatments.map(
      ({ trials }) => trials[0]?.database.blocksRead ?? -1,
    );
    const [warm = -1, cold = -1] = read;
    // The 30 documents have 8 blocks each, in TOAST.
    expect(cold, read.join()).toBeGreaterThan(warm + 100);
  });

  it.each(
    casesOf(
      [
        [
          "documents of each type",
          3,
          `mix: { read: 1, insert: 1, update: 2, slice: 1 }
shape: large
bytes: 3kB
keys: zipfian
factors: { column: [jsonb, json, text] }
`,
        ],
        [
          "documents of each type and index",
          10,
          `mix: { read: 1, insert: 1, update: 2, slice: 1 }
shape: large
bytes: 3kB
factors: { column: [jsonb, json, text], index: [none, btree-id, expression, gin, gin-path-ops], keys: [zipfian] }
exclude:
  - { column: json, index: gin }
  - { column: json, index: gin-path-ops }
  - { column: text, index: expression }
  - { column: text, index: gin }
  - { column: text, index: gin-path-ops }
`,
        ],
        [
          "jsonb documents of other shapes, contents, TOAST settings and ways of parsing",
          10,
          `mix: { read: 1, insert: 1, update: 2, modify: 1, slice: 1, unwrap: 1 }
bytes: 12kB
keys: zipfian
factors: { shape: [large, complex, array], toast: [external, main], parse: [literal, build-object] }
exclude: [{ shape: array, toast: main }, { shape: large, toast: main, parse: build-object }]
include: [{ toast: main, parse: build-object, update: whole, content: words, shape: large, index: gin }]
`,
        ],
        [
          "YCSB's mixes",
          7,
          `keys: zipfian
factors: { mix: [A, B, C, E, F] }
include: [{ mix: D, keys: latest }, { mix: { read: 1, insert: 2, update: 1, modify: 1, scan: 1 }, keys: latest }]
`,
        ],
        [
          "relational documents",
          4,
          `mix: { read: 1, insert: 1, update: 2 }
column: relational
shape: large
bytes: 3kB
factors: { index: [none, btree-id], update: [column, whole] }
`,
        ],
      ],
      0,
    ),
  )(
    "loses and misreads nothing with %s",
    async (_, treatments, lines) => {
      const out = join(scratchDirectory(), "results");
      const scenario = `name: documents\n${SCENARIO}${lines}${onSuiteServer("documents")}`;
      const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
      expect(ended.exitCode, ended.stderr).toBe(0);
      const { result } = onlyResultIn(out);
      expect(result.treatments.length).toBe(treatments);
      for (const { levels, trials } of result.treatments) {
        const [{ operations, integrity, database } = expect.fail("no trial")] = trials;
        const done = Object.values(operations).map(({ transactions }) => transactions);
        expect(
          done.reduce((sum, each) => sum + each, 0),
          JSON.stringify(levels),
        ).toBe(180);
        const { insert, update, read, slice, modify, unwrap } = operations;
        if (levels["mix"] === undefined)
          for (const each of [insert, update, read]) expect(each?.transactions).toBeGreaterThan(0);
        if (levels.column !== undefined || levels.shape !== undefined)
          expect(slice?.transactions).toBeGreaterThan(0);
        else expect(slice).toBeUndefined();
        if (levels.shape !== undefined)
          for (const each of [modify, unwrap]) expect(each?.transactions).toBeGreaterThan(0);
        const writes = [insert, update, modify].map((each) => each?.transactions ?? 0);
        const written = writes.reduce((sum, each) => sum + each, 0);
        expect(integrity).toMatchObject({ verdict: "ok", published: written, misread: 0 });
        expect(integrity?.documentBytes).toBeGreaterThan(1000);
        if (written === 0) continue;
        expect(database.perEvent).toMatchObject({ events: written });
        expect(database.perEvent?.walBytes).toBeGreaterThan(0);
      }
    },
    120_000,
  );
});

describe("a look-up", () => {
  const COLUMNS: [DocumentsSettings["column"], DocumentsSettings["index"], string][] = [
    ["jsonb", "none", "Seq Scan"],
    ["jsonb", "btree-id", "documents_pkey"],
    ["jsonb", "expression", "documents_index"],
    ["jsonb", "multicolumn", "documents_index"],
    ["jsonb", "gin", "documents_index"],
    ["jsonb", "gin-path-ops", "documents_index"],
    ["json", "none", "Seq Scan"],
    ["json", "btree-id", "documents_pkey"],
    ["json", "expression", "documents_index"],
    ["json", "multicolumn", "documents_index"],
    ["text", "none", "Seq Scan"],
    ["text", "btree-id", "documents_pkey"],
    ["relational", "none", "Seq Scan"],
    ["relational", "btree-id", "documents_pkey"],
  ];
  it.each(COLUMNS)("finds a document in column %s with index %s by %s", async (column, index, plan) => {
    const trial = await begin({ column, index, shape: "large", bytes: "1800B", documents: 400 });
    const settings = trial.settings as Treatment;
    const { insert, scan, unwrap, ...others } = statementsOf(settings);
    expect(insert.text).toContain("INSERT");
    for (const { text } of [scan, unwrap])
      if (text !== "") {
        const rows = await admin.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
        expect(rows.map((row) => String(row["QUERY PLAN"])).join("\n")).toContain(plan);
      }
    const texts = Object.values(others).filter(({ text }) => text !== "");
    expect(texts).toHaveLength(column === "relational" ? 3 : 4);
    for (const { name, text } of texts) {
      const rows = await admin.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
      expect(rows.map((row) => String(row["QUERY PLAN"])).join("\n"), name).toContain(plan);
      const values = text.includes("$2") ? [""] : [];
      if (values.length > 0) continue;
      const key = keyValue(settings, preloadedKey(7));
      const seen = await admin.query(`EXPLAIN (ANALYZE) ${text}`, [key]);
      const words = seen.map((row) => String(row["QUERY PLAN"])).join("\n");
      expect(words, name).toContain(plan);
      expect(words, name).toMatch(/rows=1(\.00)? loops=1/);
    }
  });
});

describe("the stored size of a document", () => {
  const sizesOf = async (own: Mapping) => {
    const found = await (await begin(own)).audit();
    const [toast] = await admin.query(
      `SELECT pg_relation_size(reltoastrelid) AS bytes FROM pg_class WHERE oid = '${namespace}.documents'::regclass`,
    );
    return { ...found, toast: Number(toast?.["bytes"]) };
  };

  it("is its size plus a header, since its values cannot be compressed", async () => {
    for (const toast of ["extended", "external", "main"] as const) {
      const found = await sizesOf({ column: "text", toast, bytes: "1024B" });
      expect(found).toMatchObject({ verdict: "ok", documentBytes: 1028, toast: 0 });
    }
  });

  it("is in TOAST above the limit", async () => {
    expect(await sizesOf({ column: "text", bytes: "1945B" })).toMatchObject({ toast: 0 });
    const found = await sizesOf({ column: "text", bytes: "2150B" });
    expect(found).toMatchObject({ documentBytes: 2150 });
    expect(found.toast).toBeGreaterThan(20 * 2150);
    // The text stays in the row while it fits into a page.
    expect(await sizesOf({ column: "text", bytes: "2150B", toast: "main" })).toMatchObject({ toast: 0 });
  });

  it("is smaller with words, unless they are stored uncompressed", async () => {
    const words = { column: "text", content: "words", bytes: "16kB" };
    const { documentBytes } = (await sizesOf(words)) as { readonly documentBytes?: number };
    expect(documentBytes).toBeLessThan(8 * 1024);
    expect(await sizesOf({ ...words, toast: "external" })).toMatchObject({
      verdict: "ok",
      documentBytes: 16 * 1024,
    });
  });

  it("is the sum over its columns", async () => {
    const found = await sizesOf({ column: "relational", documents: 7 });
    expect(found).toMatchObject({ verdict: "ok", documentBytes: 10 * 101 });
  });
});

describe("the audit of documents", () => {
  const COLUMNS = ["jsonb", "json", "text", "relational"] as const;

  it.each(COLUMNS)("accepts all operations of clients on column %s", async (column) => {
    for (const update of [{}, { update: "whole" }]) {
      const found = await (await runTrial({ column, ...update })).audit();
      expect(found).toMatchObject({ verdict: "ok", violations: [], inDoubt: 0, misread: 0 });
      expect(found.published).toBeGreaterThan(40);
    }
  });

  it.each(COLUMNS)("finds a document in column %s whose updates were reverted", async (column) => {
    const trial = await runTrial({ column });
    const maker = new DocumentMaker(trial.settings as Treatment, SEED);
    const [row] = await admin.query(`SELECT min(id) AS id FROM ${namespace}.documents WHERE version > 0`);
    const key = String(row?.["id"]);
    const before = maker.values(key);
    const set = column === "relational" ? "field3 = $2" : "data = $2";
    const value = column === "relational" ? before[UPDATED_VALUE_INDEX] : maker.json(key, before);
    await admin.query(`UPDATE ${namespace}.documents SET ${set} WHERE id = $1`, [key, value]);
    expect(await trial.audit()).toMatchObject({ verdict: "violated", changed: 1, undone: 0 });
  });

  type Execute = Connection["execute"];
  /** Returns a `runOn` that replaces the third execution of the statement `name`. */
  const third =
    (
      name: string,
      wrong: (plainly: Execute, ...call: Parameters<Execute>) => Promise<StatementRow[]>,
    ): RunOn =>
    (connection) => {
      const plainly: Execute = (statement, values) => connection.execute(statement, values);
      let calls = 0;
      const execute: Execute = (statement, values) =>
        statement.name === name && ++calls === 3
          ? wrong(plainly, statement, values)
          : plainly(statement, values);
      return runningOn({ execute, isBroken: false } as unknown as Connection);
    };
  const executeNothing = async (): Promise<StatementRow[]> => [];
  const twice = async (plainly: Execute, ...call: Parameters<Execute>): Promise<StatementRow[]> => {
    await plainly(...call);
    return plainly(...call);
  };
  const keyIn = (values: Parameters<Execute>[1]): unknown => (values as unknown[])[0];
  const versionOf = async (key: unknown): Promise<number> => {
    const [row] = await admin.query(`SELECT version FROM ${namespace}.documents WHERE id = $1`, [key]);
    return Number(row?.["version"]);
  };
  it.each([
    ["an acknowledged insert that is missing", third("insert", executeNothing), { lost: 1 }],
    [
      "an acknowledged update that did not happen",
      third("update", async (_plainly, _statement, values) => [[(await versionOf(keyIn(values))) + 1]]),
      { undone: 1 },
    ],
    ["an update that happened twice", third("update", twice), { changed: 1 }],
    [
      "an update with another update's value",
      third("update", async (plainly, statement, values) => {
        const answer = await plainly(statement, values);
        const set = `data = jsonb_set(data, '{field3}', '"other"')`;
        await admin.query(`UPDATE ${namespace}.documents SET ${set} WHERE id = $1`, [keyIn(values)]);
        return answer;
      }),
      { changed: 1 },
    ],
    [
      "an update of another document",
      third("update", async (plainly, statement, values) => {
        const [key, ...rest] = values as string[];
        const other = key === preloadedKey(1) ? preloadedKey(2) : preloadedKey(1);
        return plainly(statement, [other, ...rest]);
      }),
      {},
    ],
    [
      "a read that finds nothing",
      third("read", executeNothing),
      {
        misread: 1,
        named: [{ kind: "misread", id: preloadedKey(117), words: "read found 0 rows" }],
      },
    ],
    [
      "a scan that finds too few documents",
      third("scan", executeNothing),
      { misread: 1 },
      { scan: 1, insert: 1 },
    ],
    ["an unwrap that finds no document", third("unwrap", executeNothing), { misread: 1 }, { unwrap: 1 }],
    ["a modification that did not happen", third("update", executeNothing), { misread: 1 }, { modify: 1 }],
    ["a modification that was sent twice", third("update", twice), { changed: 1 }, { modify: 1 }],
  ])("finds %s", async (_, runOn, expected, mix = family.scenario["mix"]) => {
    // A later update of the document would hide the error, so there are more documents than updates.
    const found = await (await runTrial({ documents: 500, mix }, runOn)).audit();
    expect(found).toMatchObject({ verdict: "violated", ...expected });
  });

  it("finds a duplicated row if no unique index prevents duplicates", async () => {
    for (const index of ["none", "gin", "gin-path-ops"] as const) {
      const found = await (await runTrial({ index }, third("insert", twice))).audit();
      expect(found).toMatchObject({ verdict: "violated", duplicated: 1 });
    }
  });

  it("finds two updates that overwrote each other", async () => {
    // Without a lock between reading and writing, two clients that read at the same time make the same version.
    const trial = await begin({ documents: 1, mix: { update: 1 } });
    const none = { inserts: [], misread: 0, misreads: [] };
    const update = { document: preloadedKey(0), acknowledged: 1, versions: 1, inDoubt: [], unsettled: 0 };
    const workerAccounts = [stampOf(0, 0), stampOf(1, 0)].map((stamp) => {
      return { ...none, updates: [{ ...update, last: { version: 1, stamp } }] };
    });
    for (const version of [1, 2]) {
      await trial.change(`UPDATE documents SET version = ${version}`);
      expect(await trial.audit({ workerAccounts })).toMatchObject({ verdict: "violated", undone: 1 });
    }
  });

  it("does not accept a changed value as a write in doubt", async () => {
    const trial = await runTrial({ documents: 5 }, (connection) => doubtingOn(connection, true));
    await trial.change(`UPDATE documents SET data = jsonb_set(data, '{field3}', '"x"') WHERE version > 0`);
    expect(await trial.audit()).toMatchObject({ verdict: "violated" });
  });

  it("finds lost documents although a worker ended without closing its ledger", async () => {
    const trial = await runTrial({ documents: 5 });
    await trial.change(`DELETE FROM documents WHERE id = '${preloadedKey(1)}'`);
    expect(await trial.audit({ workerAccounts: [], unclosed: ["clients/0"] })).toMatchObject({ lost: 1 });
    const known = await trial.audit({ workerAccounts: [] });
    expect(known.verdict).toBe("violated");
    expect(known["unexpected"]).toBeGreaterThan(5);
  });
});
