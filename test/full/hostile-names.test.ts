// Names that would end a quotation: roles, databases and namespaces with quotes, semicolons and more, through all code that
// writes SQL, a connection URL or PgBouncer's configuration. No name has any effect but to name its thing.
import { postgres } from "../../src/database/postgres/dialects/postgres/dialect.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../src/database/postgres/admin.js";
import { generateSecret } from "../../src/foundation/prng.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const own = generateSecret(4);
const OWNER = `o'wn"er; DROP TABLE canary; -- é ${own}`;
const LOADER = `lo"ad'er $1 \\ %s ${own}`;
const DATABASE = `d'b"; DROP TABLE canary; -- ü${own}`;
/**
 * Name of a schema that is a keyword of SQL. The scenario's namespace is lower-case, since PostgreSQL would fold an
 * unquoted name.
 */
const NAMESPACE = `select_${own}`;
const ODD_NAMESPACE = `Odd-$Name_${own}`;
const PASSWORD = generateSecret();
const quoteName = (name: string): string => postgres.quoteIdentifier(name);

let server: AdminClient;
let inside: AdminClient;
beforeAll(async () => {
  server = await connectAdmin(inject("adminEndpoint"));
  for (const role of [OWNER, LOADER])
    await server.query(`CREATE ROLE ${quoteName(role)} LOGIN PASSWORD '${PASSWORD}'`);
  await server.query(`CREATE DATABASE ${quoteName(DATABASE)} OWNER ${quoteName(OWNER)}`);
  inside = await connectAdmin({ ...inject("adminEndpoint"), database: DATABASE });
  await inside.query("CREATE TABLE public.canary (alive boolean)");
});
afterAll(async () => {
  await inside.close();
  await server.query(`DROP DATABASE ${quoteName(DATABASE)} WITH (FORCE)`);
  for (const role of [OWNER, LOADER]) await server.query(`DROP ROLE ${quoteName(role)}`);
  await server.close();
});

function urlFor(role: string): string {
  const { host, port } = inject("adminEndpoint");
  return `postgresql://${encodeURIComponent(role)}:${PASSWORD}@${host}:${port}/${encodeURIComponent(DATABASE)}`;
}

async function tablesOf(namespace: string): Promise<unknown[]> {
  const rows = await inside.query("SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY 1", [
    namespace,
  ]);
  return rows.map((row) => row["tablename"]);
}

describe("names with quotes and SQL", () => {
  it("work for role, database and namespace in a whole run and have no other effect", async () => {
    const yaml = `name: names
seed: 1
namespace: ${NAMESPACE}
target: { kind: url, urls: [${JSON.stringify(urlFor(LOADER))}], adminUrl: ${JSON.stringify(urlFor(OWNER))} }
factors: { pool: [direct, { strategy: pgbouncer, mode: transaction, size: 3 }] }
actors:
  producers: { load: { executor: constant-clients, clients: 2, thinkTime: 60ms } }
  consumers: { load: { executor: constant-clients, clients: 2, thinkTime: 15ms } }
  archivers: { load: { executor: constant-clients, clients: 1, thinkTime: 15ms } }
trial: { warmUp: 200ms, duration: 1s, drain: 10s }
trials: 1
diagnosis: { ceiling: false }
`;
    const out = scratchDirectory();
    const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], {
      env: pgBouncerEnv(),
    });
    expect(ended.stderr).toContain("trial 2/2");
    expect(ended.exitCode).toBe(0);
    const { directory, result } = onlyResultIn(out);
    const trials = result.treatments.flatMap((treatment) => treatment.trials);
    expect(trials.map(({ status }) => status)).toEqual(["complete", "complete"]);
    for (const { integrity, operations, database } of trials) {
      expect(integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0 });
      expect(operations.archive?.transactions).toBeGreaterThan(0);
      expect(operations.add?.failures).toEqual({});
      // The sampler reads the tables by their names too.
      expect(database.tableBytes).toBeGreaterThan(0);
    }
    expect(readFileSync(join(directory, "scenario.yaml"), "utf8")).toContain(NAMESPACE);
    expect(await tablesOf(NAMESPACE)).toEqual([]);
    expect(await tablesOf("public")).toEqual(["canary"]);
  });

  it("are quoted for namespace and grantee by schema apply and schema drop", async () => {
    const common = ["--url", urlFor(OWNER), "--namespace", ODD_NAMESPACE];
    const applied = await trainSim(["schema", "apply", ...common, "--grant", LOADER]);
    expect([applied.exitCode, applied.stderr]).toEqual([0, ""]);
    expect(await tablesOf(ODD_NAMESPACE)).toHaveLength(3);
    const [granted] = await inside.query(
      "SELECT has_table_privilege($1, format('%I.events', $2::text), 'INSERT') AS may",
      [LOADER, ODD_NAMESPACE],
    );
    expect(granted).toEqual({ may: true });
    expect((await trainSim(["schema", "drop", ...common])).exitCode).toBe(0);
    expect(await tablesOf(ODD_NAMESPACE)).toEqual([]);
    expect(await tablesOf("public")).toEqual(["canary"]);
  });

  it.each([
    `x"; DROP TABLE canary; --`,
    "a.b",
    "a'b",
    "a b",
    "é",
    "pg_catalog",
    "public",
    "x".repeat(64),
    "\u001b[2J",
  ])("are refused if no namespace can have such a name: %j", async (name) => {
    const file = writeScenarioFile(`name: x\nnamespace: ${JSON.stringify(name)}\n`);
    const answers = await Promise.all([
      trainSim(["validate", file]),
      trainSim(["schema", "apply", "--url", urlFor(OWNER), "--namespace", name]),
      trainSim(["schema", "print", "--namespace", name]),
    ]);
    for (const { exitCode, stdout, stderr } of answers) {
      expect([exitCode, stdout]).toEqual([104, ""]);
      expect(stderr).not.toContain("\u001b");
    }
    expect(await tablesOf("public")).toEqual(["canary"]);
  });
});
