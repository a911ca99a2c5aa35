// A workload family is two files and one line of the registry, even with its own connections. A database is a folder and one
// line of its registry, even without SQL. The program built with the toy family and ToyDB runs both and audits them.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { changedProgram, replaceIn } from "../support/changed-program.js";
import { onSuiteServer } from "../support/suite-server.js";
import { startToyServer } from "../support/toy-database/server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const SUPPORT = join(import.meta.dirname, "../support");

/** Adds the family to a copy of the program's source. */
function addFamily(directory: string): void {
  const folder = join(directory, "src/workloads/toy");
  mkdirSync(folder);
  for (const file of ["settings.ts", "workload.ts"]) {
    const text = readFileSync(join(SUPPORT, "toy", file), "utf8");
    writeFileSync(join(folder, file), text.replaceAll("../../../src/", "../../"));
  }
  const registry = join(directory, "src/workloads/registry.ts");
  replaceIn(registry, "calls, jobs]", "calls, jobs, toy]");
  replaceIn(registry, "import", 'import { toy } from "./toy/workload.js";\nimport');
  cpSync(join(directory, "src/workloads/toy"), join(directory, "dist/workloads/toy"), {
    recursive: true,
  });
}

/** Adds the database to a copy of the program's source. */
function addDatabase(directory: string): void {
  const place = (file: string, folder: string): void => {
    const text = readFileSync(join(SUPPORT, "toy-database", file), "utf8");
    const source = join(directory, "src", folder);
    mkdirSync(source, { recursive: true });
    const up = folder
      .split("/")
      .map(() => "..")
      .join("/");
    const own = text.replaceAll("../../../src", up).replace("./toydb.js", `${up}/database/toydb/toydb.js`);
    writeFileSync(join(source, file), own);
  };
  place("toydb.ts", "database/toydb");
  place("documents.ts", "workloads/documents/toy");
  const registry = join(directory, "src/database/registry.ts");
  replaceIn(registry, "[postgresql,", "[postgresql, toydb,");
  replaceIn(registry, "import", 'import { toydb } from "./toydb/toydb.js";\nimport');
  const workload = join(directory, "src/workloads/documents/workload.ts");
  replaceIn(workload, "{ PostgreSQL: postgres,", "{ PostgreSQL: postgres, ToyDB: toy,");
  replaceIn(workload, "import", 'import { toy } from "./toy/documents.js";\nimport');
  for (const folder of ["database/toydb", "workloads/documents/toy"])
    cpSync(join(directory, "src", folder), join(directory, "dist", folder), { recursive: true });
}

let main: string;
let server: Server;
let target: string;
beforeAll(async () => {
  main = changedProgram((directory) => {
    addFamily(directory);
    addDatabase(directory);
  });
  const started = await startToyServer();
  ({ server } = started);
  target = `toydb://u@127.0.0.1:${started.port}/d`;
});
afterAll(() => void server.close());

const toyScenario = (pool: string, more = ""): string =>
  writeScenarioFile(`name: toys
workload: toy
${onSuiteServer("toys")}
pool: ${pool}
trial: { warmUp: 0, drain: false }
trials: 1
actors: { producers: { workers: 2, load: { executor: per-client-iterations, clients: 5, iterations: 20 } } }
${more}`);

it("an added workload family opens its connections itself, which are counted, and passes its audit", async () => {
  const out = join(scratchDirectory(), "results");
  const file = toyScenario("{ strategy: own, size: 4 }", "factors: { batch: [one, ten] }");
  const ended = await trainSim(["run", file, "--out", out, "--quiet"], { main });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { treatments } = onlyResultIn(out).result;
  expect(treatments.map(({ trials }) => trials[0]?.operations["make"]?.events)).toEqual([100, 1000]);
  for (const { trials } of treatments) {
    const [trial = expect.fail("no trial")] = trials;
    expect(trial.operations["make"]).toMatchObject({ transactions: 100, failures: {} });
    expect(trial.operations["make"]?.serviceTimeMs?.mean).toBeGreaterThan(0);
    expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0 });
  }
  expect(treatments[0]?.trials[0]?.notAssessed).toContainEqual({
    what: "transactions of others on the server, in the load's database",
    reason: "the workload opens its own connections, whose transactions are not counted",
  });
});

it("an added workload family may use names of keys and roles that another family has", async () => {
  const wrong = await trainSim(
    ["validate", toyScenario("{ strategy: own, size: 4 }", "batch: { min: 1, max: 2 }")],
    {
      main,
    },
  );
  expect(wrong.stderr).toContain("expected one of one, ten");
  const events = "name: x\nbatch: { min: 1, max: 2 }\nactors: { producers: { clients: 4 } }\n";
  const right = await trainSim(["validate", writeScenarioFile(events)], { main });
  expect(right.exitCode, right.stderr).toBe(0);
  const { stdout } = await trainSim(["json-schema"], { main });
  const { properties } = JSON.parse(stdout) as { properties: Record<string, { description: string }> };
  expect(properties["batch"]?.description).toMatch(/train-events: .* toy: Toys of a batch, in words\./);
});

it("an added workload family refuses pools that lend connections, and other families refuse pool own", async () => {
  const refused = await trainSim(["validate", toyScenario("direct")], { main });
  expect(refused.stderr.replace(/\s+/g, " ")).toContain(
    "workload toy opens its connections itself; use pool own and state their number as pool.size",
  );
  const other = writeScenarioFile("name: x\npool: own\n");
  expect((await trainSim(["validate", other])).stderr.replace(/\s+/g, " ")).toContain(
    "workload train-events leases its connections, and own lends none; use another strategy",
  );
});

const toydbScenario = (workload: string, more = ""): string =>
  writeScenarioFile(`name: toys
workload: ${workload}
dialect: toy
target: ${target}
trial: { warmUp: 0, drain: false }
trials: 1
${more}`);

it("an added database runs a workload that has a store for this database, with evidence and audit", async () => {
  const out = join(scratchDirectory(), "results");
  const load = "{ executor: per-client-iterations, clients: 4, iterations: 50 }";
  const file = toydbScenario(
    "documents",
    `documents: 20\nupdate: whole\nactors: { clients: { workers: 2, load: ${load} } }\n`,
  );
  const ended = await trainSim(["run", file, "--out", out, "--quiet"], { main });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial = expect.fail("no trial")] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(Object.values(trial.operations).reduce((sum, { transactions }) => sum + transactions, 0)).toBe(200);
  expect(trial.operations["read"]?.serviceTimeMs?.mean).toBeGreaterThan(0);
  expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0 });
  expect(trial.database).toMatchObject({ rowsInserted: expect.any(Number) as number });
  expect(trial.notAssessed).toContainEqual({
    what: "plans of statements",
    reason: expect.any(String) as string,
  });
});

it("an added database refuses workloads, pools and faults that it lacks, each by name", async () => {
  const refusalOf = async (file: string): Promise<string> =>
    (await trainSim(["validate", file], { main })).stderr.replace(/\s+/g, " ");
  expect(await refusalOf(toydbScenario("accounts"))).toContain("workload accounts has no store for ToyDB");
  expect(await refusalOf(toydbScenario("documents", "pool: pg-pool\n"))).toContain(
    "pool pg-pool does not work with ToyDB",
  );
  const fault = "faults: [{ kind: checkpoint, at: 1s }]\n";
  expect(await refusalOf(toydbScenario("documents", fault))).toContain("checkpoint: ToyDB has no faults");
});
