// A database is a folder and one line of the registry, even without SQL: the program built with ToyDB loads documents into
// it, measures them and audits them.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { changedProgram, replaceIn } from "../support/changed-program.js";
import { startToyServer } from "../support/toy-database/server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const TOY = join(import.meta.dirname, "../support/toy-database");

/** Adds the database to a copy of the program's source. */
function addDatabase(directory: string): void {
  const place = (file: string, folder: string): void => {
    const text = readFileSync(join(TOY, file), "utf8");
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
  main = changedProgram(addDatabase);
  const started = await startToyServer();
  ({ server } = started);
  target = `toydb://u@127.0.0.1:${started.port}/d`;
});
afterAll(() => void server.close());

const scenario = (workload: string, more = ""): string =>
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
  const file = scenario(
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
  expect(await refusalOf(scenario("accounts"))).toContain("workload accounts has no store for ToyDB");
  expect(await refusalOf(scenario("documents", "pool: pg-pool\n"))).toContain(
    "pool pg-pool does not work with ToyDB",
  );
  const fault = "faults: [{ kind: checkpoint, at: 1s }]\n";
  expect(await refusalOf(scenario("documents", fault))).toContain("checkpoint: ToyDB has no faults");
});
