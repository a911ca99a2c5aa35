// `run --find-capacity` of the built program on a real server. The threshold's capacity does not depend on the machine
// (fewer than 30 transactions per second), so that the answer is known.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { packageVersion } from "../../src/cli/package-info.js";
import { verifyResult } from "#program/verify/verify.js";
import { ownDatabase } from "../support/own-database.js";
import { onSuiteServer, urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const SCENARIO = `
name: capacity
seed: 1
batch: 2
actors:
  producers: { load: { executor: constant-arrival-rate, rate: 50, maxClients: 4, distribution: uniform } }
  consumers: { load: { clients: 1, thinkTime: 5ms } }
  archivers: { load: { clients: 1, thinkTime: 5ms } }
trial: { warmUp: 0, duration: 1s, drain: 10s }
trials: 2
diagnosis: { ceiling: false }
${onSuiteServer("capacity")}`;

it("a capacity search finds and confirms the highest rate that holds, and its curve can be verified", async () => {
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim([
    "run",
    writeScenarioFile(SCENARIO),
    "--out",
    out,
    "--find-capacity",
    "add: rate<30",
  ]);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const [capacity] = result.capacity ?? [];
  expect(capacity).toMatchObject({
    outcome: "found",
    metric: "add",
    expression: "rate<30",
    confirmations: 2,
  });
  const rate = capacity?.ratePerSecond ?? 0;
  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(30.5);
  expect(rate).toBeGreaterThanOrEqual(capacity?.ciLow ?? Number.POSITIVE_INFINITY);
  expect(capacity?.probes.slice(0, 3)).toMatchObject([
    { ratePerSecond: 50, purpose: "bracket", discarded: true },
    { ratePerSecond: 50, purpose: "bracket", held: false },
    { ratePerSecond: 25, purpose: "bracket" },
  ]);
  for (const probe of capacity?.probes ?? []) {
    expect(Math.abs(probe.offeredPerSecond - probe.ratePerSecond)).toBeLessThan(1.01);
    if (!probe.held) expect(probe.reason).toMatch(/rate<30 was |not done in the window/);
  }
  expect(readdirSync(join(directory, "trials"))).toHaveLength(capacity?.probes.length ?? 0);
  expect(result.treatments[0]?.trials.map(({ index, status }) => [index, status])).toEqual([
    [0, "complete"],
    [1, "complete"],
  ]);
  expect(ended.stdout.replaceAll("\n", " ")).toContain(
    `add: rate<30 holds up to ${rate} arrivals/s (95 % CI [`,
  );
  const summary = readFileSync(join(directory, "summary.txt"), "utf8");
  expect((await trainSim(["report", "--verbose", directory])).stdout.startsWith(summary)).toBe(true);

  const verification = await verifyResult(directory, packageVersion());
  expect(verification.differences).toEqual([]);
  expect(verification.figures.find(({ kind }) => kind === "capacity")?.recomputed).toBeGreaterThan(20);
  if (capacity) capacity.ratePerSecond = 100;
  writeFileSync(join(directory, "result.json"), JSON.stringify(result));
  const forged = await verifyResult(directory, packageVersion());
  expect(forged.differences.map(({ path }) => path)).toContainEqual(
    expect.stringMatching(/^capacity\[.+\]\.ratePerSecond$/),
  );

  const resumed = await trainSim(["run", "--resume", directory]);
  expect(resumed).toMatchObject({ exitCode: 104, stdout: "" });
  expect(resumed.stderr).toContain("holds a search for capacity, which cannot be continued");
}, 180_000);

const SCENARIOS = fileURLToPath(new URL("../../scenarios/", import.meta.url));
const own = ownDatabase("capacity_own");

it.each([
  ["a file of SQL", `${SCENARIOS}bank.sql`, "look"],
  ["a module", `${SCENARIOS}orders.mjs`, "look"],
  [
    "pgbench scripts",
    `{ pgbench: ["builtin:select-only", "builtin:simple-update"], scale: 1 }`,
    "select-only",
  ],
])(
  "a capacity search with %s finds the total rate up to which a threshold on one operation holds",
  async (_, workload, operation) => {
    const out = join(scratchDirectory(), "results");
    const scenario = `
name: own
seed: 1
workload: ${workload}
target: { url: "${urlOf(own.endpoint)}" }
namespace: own_capacity
retry: { attempts: 100 }
actors:
  clients: { load: { executor: constant-arrival-rate, rate: 50, maxClients: 4, distribution: uniform } }
trial: { warmUp: 0, duration: 1s, drain: false }
trials: 2
diagnosis: { ceiling: false }
`;
    const search = ["--find-capacity", `${operation}: rate<20`, "--quiet"];
    const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, ...search]);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { directory, result } = onlyResultIn(out);
    const [{ outcome, ratePerSecond, metric } = expect.fail("no search")] = result.capacity ?? [];
    expect({ outcome, metric }).toEqual({ outcome: "found", metric: operation });
    // The rate counts arrivals of all operations, of which this one is a part.
    expect(ratePerSecond).toBeGreaterThan(20);
    for (const { trials } of result.treatments)
      for (const { integrity } of trials) expect(integrity?.verdict).toBe("ok");
    expect((await verifyResult(directory, packageVersion())).differences).toEqual([]);
  },
  180_000,
);

it("a capacity search ends with 99 if no rate holds, and with 104 for an invalid threshold", async () => {
  const out = join(scratchDirectory(), "results");
  const scenario = writeScenarioFile(
    SCENARIO.replace("rate: 50", "rate: 1").replace("trials: 2", "trials: 1"),
  );
  const hopeless = await trainSim(["run", scenario, "--out", out, "--find-capacity", "add: max<0.001"]);
  expect(hopeless.exitCode, hopeless.stderr).toBe(99);
  expect(onlyResultIn(out).result.capacity).toMatchObject([{ outcome: "none", ratePerSecond: null }]);
  const wrong = await trainSim(["run", scenario, "--find-capacity", "ad: p(99)<5"]);
  expect(wrong).toMatchObject({ exitCode: 104, stdout: "" });
  expect(wrong.stderr).toContain("no metric ad");
});
