// Documents on MySQL and MariaDB: each column, key, update and shape.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { describeDocumentStore } from "../../../test/support/audits/document-stores.js";
import { documents as family } from "../../../test/support/audits/documents.js";
import { AuditedTrial, type RunOn } from "../../../test/support/audits/trial.js";
import { casesOf } from "../../../test/support/lanes.js";
import { mySqlUrlOf, useMySqlServer, type MySqlServerName } from "../../../test/support/mysql-servers.js";
import { dropNamespace, testNamespace } from "../../../test/support/namespace.js";
import { connectMySqlAdmin, type MySqlAdmin } from "../../database/mysql/admin.js";
import { MySqlSession } from "../../database/mysql/session.js";
import type { Mapping } from "../../syntax/paths.js";
import { preloadedKey } from "./document.js";
import type { DocumentsSettings, Treatment } from "./settings.js";
import { mysql, statementsOf } from "./stores/mysql.js";

describe.each<MySqlServerName>(casesOf(["mysql", "mariadb"], 1))("on %s", (dialect) => {
  const server = useMySqlServer(dialect);
  const namespace = testNamespace("documents");
  const sessions: MySqlSession[] = [];
  let admin: MySqlAdmin;
  beforeAll(async () => {
    admin = await connectMySqlAdmin(server().endpoint);
  });
  afterEach(async () => {
    await Promise.all(sessions.splice(0).map((session) => session.end()));
    await dropNamespace(admin, namespace, dialect);
  });
  afterAll(() => admin.close());

  const begin = (own: Mapping): Promise<AuditedTrial> => {
    const target = mySqlUrlOf(server().endpoint);
    return AuditedTrial.begin(admin, namespace, { ...family.scenario, dialect, target, ...own });
  };
  async function runTrial(own: Mapping, runOn?: RunOn): Promise<AuditedTrial> {
    const trial = await begin(own);
    await trial.work(family.iterations, runOn);
    return trial;
  }

  describeDocumentStore(dialect, {
    async open({ update, ...own }) {
      const trial = await begin({ ...own, ...(update === "whole" && { update }) });
      await trial.change("DELETE FROM documents");
      const { endpoint } = server();
      const session = new MySqlSession({ endpoint, applicationName: "train-sim/test", prepared: true });
      sessions.push(await session.connect());
      return { store: mysql, session, admin, settings: trial.settings as Treatment };
    },
    runTrial: (runOn) => runTrial({}, runOn),
    change(kind, trial) {
      const { change, mysql: other = change } = family.changes.find((each) => each.kind === kind) ?? {};
      return trial.change(String(other));
    },
  });

  const KEYS: [DocumentsSettings["column"], DocumentsSettings["index"], string | null][] = [
    ["json", "none", null],
    ["json", "btree-id", "PRIMARY"],
    ["json", "generated-stored", dialect === "mysql" ? "PRIMARY" : "id"],
    ["json", "generated-virtual", "id"],
    ["text", "none", null],
    ["text", "btree-id", "PRIMARY"],
    ["relational", "none", null],
    ["relational", "btree-id", "PRIMARY"],
  ];
  if (dialect === "mysql")
    KEYS.push(["json", "expression", "documents_index"], ["json", "multicolumn", "documents_index"]);

  it.each(KEYS)(
    "a document in column %s with index %s is found by the key %s",
    async (column, index, key) => {
      const trial = await runTrial({ column, index, documents: 100 });
      const settings = trial.settings as Treatment;
      const { read, isThere, scan } = statementsOf(settings);
      if (dialect === "mysql") await admin.query("SET SESSION explain_format = 'TRADITIONAL'");
      for (const { text } of [read, isThere]) {
        const [step] = await admin.query(`EXPLAIN ${text}`, [preloadedKey(7)]);
        expect(step, text).toMatchObject({ key });
        expect(Number(step?.["rows"]) === 1, text).toBe(key !== null);
      }
      const [step] = await admin.query(`EXPLAIN ${scan.text}`, [preloadedKey(95), 9]);
      expect(step).toMatchObject({ key });
      const found = await trial.audit();
      expect(found).toMatchObject({ verdict: "ok", violations: [], misread: 0 });
      expect(found.published).toBeGreaterThan(40);
    },
  );

  it.each([
    { shape: "complex" },
    { shape: "array", content: "words" },
    { shape: "large", slice: "record", update: "whole", bytes: "3kB" },
    { keys: "latest", mix: { read: 1, insert: 2, update: 1, modify: 1, scan: 1, unwrap: 1 } },
    { column: "relational", update: "whole" },
  ])("no operation loses or misreads a document with %j", async (own) => {
    const slice = "shape" in own ? 1 : 0;
    const mix = { read: 1, insert: 1, update: 2, modify: 1, scan: 1, slice, unwrap: "column" in own ? 0 : 1 };
    const found = await (await runTrial({ mix, ...own })).audit();
    expect(found).toMatchObject({ verdict: "ok", violations: [], misread: 0 });
    expect((found as { readonly documentBytes?: number }).documentBytes).toBeGreaterThan(900);
  });
});
