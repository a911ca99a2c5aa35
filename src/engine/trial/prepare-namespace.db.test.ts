import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { generateSecret } from "../../foundation/prng.js";
import { UNCLAIMED_NAMESPACE } from "../../database/contract.js";
import { parseScenario } from "../../scenario/loader.js";
import { startEmbedded } from "../../targets/embedded/embedded.js";
import { dropNamespace, testNamespace } from "../../../test/support/namespace.js";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { prepareNamespace } from "./prepare-namespace.js";

function trialOf(seed: number, text: string) {
  const [treatment] = parseScenario(`name: prepare\nseed: 1\n${text}`, "scenario.yaml").treatments;
  if (!treatment) throw new Error("the scenario has a treatment");
  return { trial: { seed }, treatment, directory: scratchDirectory() };
}

/** The position of the last checkpoint in the write-ahead log, and the number of requested checkpoints so far. */
async function checkpoints(admin: AdminClient): Promise<unknown> {
  const [row] = await admin.query(
    "SELECT checkpoint_lsn::text AS place, num_requested FROM pg_control_checkpoint(), pg_stat_checkpointer",
  );
  return row;
}

async function numberOf(admin: AdminClient, query: string, ...values: string[]): Promise<number> {
  const [row] = await admin.query(query, values);
  return Number(row?.["value"]);
}

it("each trial gets a new namespace with vacuumed tables, vacuumed catalogues and a checkpoint", async () => {
  const namespace = testNamespace("prepare");
  const admin = await connectAdmin(inject("adminEndpoint"));
  const host = { admin, claim: UNCLAIMED_NAMESPACE };
  // Read from the control file, because CHECKPOINT returns a moment before pg_stat_checkpointer counts it.
  const checkpointAfter = (position: string): Promise<number> =>
    numberOf(admin, "SELECT redo_lsn - $1::pg_lsn AS value FROM pg_control_checkpoint()", position);
  const events = (): Promise<number> => numberOf(admin, `SELECT count(*) AS value FROM ${namespace}.events`);
  try {
    await prepareNamespace(host, trialOf(1, `namespace: ${namespace}\npayload: jsonb\npreload: 2000`), []);
    await admin.query(`DELETE FROM ${namespace}.event_status`);

    const [before] = await admin.query("SELECT pg_current_wal_lsn()::text AS position");
    const second = trialOf(2, `namespace: ${namespace}\npayload: text\npreload: 3000`);
    expect(await prepareNamespace(host, second, [])).toMatchObject({ ledger: { published: 3000 } });
    expect(await checkpointAfter(String(before?.["position"]))).toBeGreaterThan(0);
    expect(await events()).toBe(3000);
    // Without relallvisible: another test's open transaction on this server may keep pages from being all-visible.
    const backlog = `SELECT count(*) AS value FROM pg_stat_user_tables
      WHERE relid = $1::regclass AND last_vacuum IS NOT NULL AND last_analyze IS NOT NULL`;
    expect(await numberOf(admin, backlog, `${namespace}.events`)).toBe(1);
    const vacuumed = `SELECT count(*) AS value FROM pg_stat_sys_tables
      WHERE relname IN ('pg_class', 'pg_attribute') AND last_vacuum > now() - interval '1 minute'`;
    expect(await numberOf(admin, vacuumed)).toBe(2);

    expect(await prepareNamespace(host, trialOf(3, `namespace: ${namespace}`), [])).toMatchObject({
      ledger: { published: 0 },
    });
    expect(await events()).toBe(0);
  } finally {
    await dropNamespace(admin, namespace);
    await admin.close();
  }
});

it("a load role is granted all tables of a SQL workload, also tables of its functions and its preload", async () => {
  const [directory, namespace] = [scratchDirectory(), testNamespace("prepare")];
  writeFileSync(
    join(directory, "own.sql"),
    `-- schema
CREATE TABLE jobs (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION more(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('CREATE TABLE %I (n int)', name); END $$;
SELECT more('early');
-- preload
SELECT more('late');
CREATE TABLE copied AS SELECT n FROM generate_series(1, 9) n;
-- name: add
INSERT INTO jobs (n) SELECT n FROM copied;
-- invariant: none is negative
SELECT bool_and(n > 0) FROM jobs;
`,
  );
  const text = `name: prepare\nseed: 1\nnamespace: ${namespace}\nworkload: ./own.sql`;
  const [treatment] = parseScenario(text, join(directory, "scenario.yaml")).treatments;
  if (!treatment) throw new Error("the scenario has a treatment");
  const admin = await connectAdmin(inject("adminEndpoint"));
  const [user, password] = [`load_${generateSecret(4)}`, generateSecret()];
  await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
  const endpoint = { ...inject("adminEndpoint"), user, password };
  try {
    const inputs = { trial: { seed: 1 }, treatment, directory };
    await prepareNamespace({ admin, claim: UNCLAIMED_NAMESPACE }, inputs, [endpoint]);
    const load = await connectAdmin(endpoint);
    for (const statement of [
      `INSERT INTO ${namespace}.jobs (n) SELECT n FROM ${namespace}.copied`,
      `INSERT INTO ${namespace}.early VALUES (1)`,
      `UPDATE ${namespace}.late SET n = 2`,
    ])
      await load.query(statement);
    await load.close();
    expect(await numberOf(admin, `SELECT count(*) AS value FROM ${namespace}.jobs`)).toBe(9);
  } finally {
    await dropNamespace(admin, namespace);
    await admin.query(`DROP ROLE ${user}`);
    await admin.close();
  }
});

it("target.checkpoint false requests no checkpoint", async () => {
  // A separate server: other tests request checkpoints of the shared one.
  const server = await startEmbedded({}, { maxConnectionsNeeded: 10 });
  const admin = await connectAdmin(server.admin);
  const prepare = (target: string): Promise<unknown> =>
    prepareNamespace(
      { admin, claim: UNCLAIMED_NAMESPACE },
      trialOf(1, `target: ${target}\npreload: 2000`),
      [],
    );
  try {
    // Waits for the checkpoint that the server requested at its start.
    await admin.query("CHECKPOINT");
    await prepare("{ checkpoint: false }");
    const before = await checkpoints(admin);
    await prepare("{ checkpoint: false }");
    expect(await checkpoints(admin)).toEqual(before);
    await prepare("{ checkpoint: true }");
    expect(await checkpoints(admin)).not.toEqual(before);
  } finally {
    await admin.close();
    await server.stop();
  }
});
