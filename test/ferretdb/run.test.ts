// The built program on FerretDB: a run from its plan to its audit, and refusals before anything starts.
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { MAIN, onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const url = `mongodb://127.0.0.1:${inject("ferretDbPort")}/?w=1&journal=true`;

const scenario = (namespace: string, more = "", workload = "documents", duration = ""): string =>
  writeScenarioFile(`name: mongo
workload: ${workload}
dialect: mongodb
namespace: ${namespace}
target: { url: "${url}", checkpoint: false }
trial: { warmUp: 0, drain: false${duration} }
trials: 1
${more}`);

const clients = (count: number, workers: number): string =>
  `documents: 50
actors: { clients: { workers: ${workers}, load: { executor: per-client-iterations, clients: ${count}, iterations: 50 } } }
`;

it("a scenario is validated, planned, examined by doctor, run and audited", async () => {
  const file = scenario("run_whole", `${clients(1, 1)}factors: { index: [btree-id, expression] }\n`);
  for (const command of [
    ["validate", file],
    ["run", "--plan", file],
    ["doctor", file],
  ]) {
    const ended = await trainSim(command);
    expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  }
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", file, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  for (const { trials } of result.treatments) {
    const [trial = expect.fail("no trial")] = trials;
    expect(Object.values(trial.operations).reduce((sum, one) => sum + one.transactions, 0)).toBe(50);
    expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0 });
    expect(trial.database.tableBytes).toBeGreaterThan(0);
  }
  expect(JSON.stringify(result)).toContain("w=1 journal=true");
  const after = await trainSim([
    "schema",
    "drop",
    "--url",
    url,
    "--dialect",
    "mongodb",
    "--namespace",
    "run_whole",
  ]);
  expect(after.stdout).toContain("was not there");
});

// FerretDB loses an update of a document that another client updates at the same time, so that a crowd only inserts.
it("a crowd of clients in two threads is audited", async () => {
  const pools = "factors: { pool: [direct, { strategy: direct, reconnect: per-transaction }] }";
  const file = scenario("run_crowd", `${clients(8, 2)}mix: { read: 1, insert: 1 }\n${pools}\n`);
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", file, "--out", out, "--quiet"]);
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(0);
  const { treatments } = onlyResultIn(out).result;
  expect(treatments).toHaveLength(2);
  for (const { trials } of treatments) {
    const [trial = expect.fail("no trial")] = trials;
    expect(trial.operations["insert"]?.transactions).toBeGreaterThan(100);
    expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0 });
  }
});

it("connections that are reset leave writes in doubt, and the audit holds", async () => {
  const file = scenario(
    "run_resets",
    `documents: 50
mix: { read: 1, insert: 2 }
retry: { attempts: 50 }
actors: { clients: { clients: 4 } }
faults: [{ kind: network-reset, at: 1s }, { kind: network-blackhole, at: 2s, for: 500ms }]
`,
    "documents",
    ", duration: 4s",
  );
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", file, "--out", out, "--quiet"]);
  expect([0, 112], ended.stdout + ended.stderr).toContain(ended.exitCode);
  const [trial = expect.fail("no trial")] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial.faults?.length).toBe(2);
  expect(trial.integrity?.verdict).toBe("ok");
});

it("other workloads, pools, faults and levels are refused by name before anything starts", async () => {
  const refusalOf = async (file: string): Promise<string> => {
    const ended = await trainSim(["run", "--plan", file]);
    expect(ended.exitCode).toBe(104);
    return ended.stderr.replace(/\s+/g, " ");
  };
  for (const workload of ["train-events", "accounts", "connections", "calls"])
    expect(await refusalOf(scenario("refused", "", workload))).toContain(
      `workload ${workload} has no store for MongoDB`,
    );
  expect(await refusalOf(scenario("refused", "pool: pgbouncer\n"))).toContain(
    "pool pgbouncer does not work with MongoDB",
  );
  const fault = "faults: [{ kind: backend-terminate, at: 1s }]\n";
  expect(await refusalOf(scenario("refused", fault))).toContain(
    "backend-terminate: MongoDB ends operations by killOp",
  );
});

it("a missing driver is refused in one sentence with the command that installs it", async () => {
  const bare = scratchDirectory();
  for (const name of ["dist", "schema", "package.json"])
    cpSync(join(dirname(MAIN), "../..", name), join(bare, name), { recursive: true });
  const ended = await trainSim(["doctor", scenario("no_driver", clients(1, 1))], {
    main: join(bare, "dist/cli/main.js"),
    cwd: bare,
  });
  const text = ended.stdout + ended.stderr;
  expect(ended.exitCode, text).toBe(104);
  expect(text).toContain("target.url mongodb:// needs the package mongodb, which is not installed");
  expect(text).toContain("Run: npm install mongodb@7");
});
