// A recommendation on a real server with a known answer: eight clients hold their transactions open for 20 ms, so a pool of
// one connection serves them one after the other. The command finds this, and writes and names a scenario that can be run.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onSuiteServer } from "../support/suite-server.js";
import { scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const SCENARIO = `
name: planted
seed: 5
payload: text
topology: cycle
pool: { strategy: pg-pool }
actors: { cycle: { workers: 1, load: { clients: 8 } } }
appDelay: { add: 20ms, process: 20ms, archive: 0 }
trial: { warmUp: 0, duration: 1s, drain: false }
diagnosis: { ceiling: false }
factors:
  pool.size: [1, 8]
  batch: [10, 11]
`;

const recommendArguments = (scenario: string, out: string, ...more: string[]): string[] => [
  ...["recommend", scenario, "--objective", "maximise add.events/s", "--budget", "3m", "--quiet"],
  ...["--out", out, ...more],
];

it("recommend finds the planted pool size, and writes a valid scenario with this size", async () => {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("recommend"));
  const out = join(scratchDirectory(), "results");
  const { exitCode, stdout, stderr } = await trainSim(
    recommendArguments(scenario, out, "--subject-to", "add: p(99)<60000"),
  );
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toMatch(/^Change: pool\.size 1 -> 8/);
  expect(stdout).toMatch(/holds: add: p\(99\)<60000, seen \d/);
  const [made = ""] = readdirSync(out);
  const document = JSON.parse(readFileSync(join(out, made, "recommendation.json"), "utf8")) as {
    advice: string;
    holdouts: { ratio: number; ciLow: number }[];
  };
  expect(document.advice).toBe("change");
  expect(document.holdouts[0]?.ratio).toBeGreaterThan(2);
  expect(document.holdouts[0]?.ciLow).toBeGreaterThan(1);
  const recommended = join(out, made, "recommended.yaml");
  const checked = await trainSim(["validate", recommended]);
  expect(checked.stdout + checked.stderr).toMatch(/^ok: planted: 1 treatment/);
  expect(readFileSync(recommended, "utf8")).toMatch(/size: 8/);
});

it.each([
  [["--objective", "maximise"], /expected maximise or minimise/],
  [["--budget", "10s"], /too short: a trial takes about/],
  [["--also-at", "clientz=4"], /clientz/],
  [["--subject-to", "add: p(99)"], /--subject-to "add: p\(99\)"/],
])("recommend refuses %j before it measures anything", async (more, message) => {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("recommendbad"));
  const out = join(scratchDirectory(), "results");
  const { exitCode, stderr } = await trainSim(recommendArguments(scenario, out, ...more));
  expect(exitCode).toBe(104);
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("round 1");
});
