// A workload family is two files and one line of the registry, even with its own connections: the program built with the
// toy family runs it, audits it, and counts its connections.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { changedProgram, replaceIn } from "../support/changed-program.js";
import { onSuiteServer } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const TOY = join(import.meta.dirname, "../support/toy");

/** Adds the family to a copy of the program's source. */
function addFamily(directory: string): void {
  const folder = join(directory, "src/workloads/toy");
  mkdirSync(folder);
  for (const file of ["settings.ts", "workload.ts"]) {
    const text = readFileSync(join(TOY, file), "utf8");
    writeFileSync(join(folder, file), text.replaceAll("../../../src/", "../../"));
  }
  const registry = join(directory, "src/workloads/registry.ts");
  replaceIn(registry, "calls, jobs]", "calls, jobs, toy]");
  replaceIn(registry, "import", 'import { toy } from "./toy/workload.js";\nimport');
  cpSync(join(directory, "src/workloads/toy"), join(directory, "dist/workloads/toy"), {
    recursive: true,
  });
}

let main: string;
beforeAll(() => {
  main = changedProgram(addFamily);
});

const scenario = (pool: string, more = ""): string =>
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
  const file = scenario("{ strategy: own, size: 4 }", "factors: { batch: [one, ten] }");
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
    ["validate", scenario("{ strategy: own, size: 4 }", "batch: { min: 1, max: 2 }")],
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
  const refused = await trainSim(["validate", scenario("direct")], { main });
  expect(refused.stderr.replace(/\s+/g, " ")).toContain(
    "workload toy opens its connections itself; use pool own and state their number as pool.size",
  );
  const other = writeScenarioFile("name: x\npool: own\n");
  expect((await trainSim(["validate", other])).stderr.replace(/\s+/g, " ")).toContain(
    "workload train-events leases its connections, and own lends none; use another strategy",
  );
});
