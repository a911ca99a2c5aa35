// Runs with workers in other processes: the built program, real agents, a real server. Two processors cannot show that
// several machines do more; they can show that several machines do exactly the same.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { monotonicMs } from "../../src/foundation/clock.js";
import { readTrialHistograms } from "../../src/results/reader.js";
import type { ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import { startAgent, startCoordinator, tokenFile, whereToJoin } from "../support/agents.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  writeScenarioFile,
} from "../support/train-sim.js";

const SCENARIO = `
name: agents
seed: 11
trials: 1
actors:
  producers: { workers: 2, load: { executor: constant-arrival-rate, rate: 40, maxClients: 8 } }
  consumers: { workers: 2, load: { clients: 4, thinkTime: 10ms } }
  archivers: { load: { clients: 2, thinkTime: 10ms } }
batch: { min: 5, max: 10 }
appDelay: 0
trial: { warmUp: 300ms, duration: 1s, drain: 20s }
diagnosis: { ceiling: false }
`;

function onlyTrial({ treatments }: ResultDocument): TrialResult {
  return treatments[0]?.trials[0] as TrialResult;
}

it("a run on two agents passes its audit, and its times are right although one agent's clock is 5 s ahead", async () => {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("agents"));
  const token = tokenFile();
  const there = join(scratchDirectory(), "results");
  const run = startCoordinator([scenario, "--out", there, "--agents", "2"], token);
  const url = await whereToJoin(run);
  const agents = [
    startAgent({ name: "a", url, token }),
    startAgent({ name: "b", url, token, clock: { aheadMs: 5_000, ppm: 200 } }),
  ];
  const [ended, ...agentsEnded] = await Promise.all([run, ...agents].map(({ ended }) => ended));
  expect(ended?.exitCode, ended?.stderr).toBe(0);
  expect(agentsEnded.map(({ exitCode }) => exitCode)).toEqual([0, 0]);

  const { directory, result } = onlyResultIn(there);
  const trial = onlyTrial(result);
  expect(trial.integrity?.verdict).toBe("ok");
  expect(trial.agents?.map(({ name, workers }) => [name, workers]).sort()).toEqual([
    ["a", 3],
    ["b", 3],
  ]);
  const clocks = Object.fromEntries((trial.agents ?? []).map(({ name, clock }) => [name, clock]));
  // The shifted clock runs 200 ppm fast since the machine's start. Since the last comparison at most 20 s have passed.
  const aheadMs = 5_000 + 200e-6 * monotonicMs();
  expect(Math.abs((clocks["b"]?.offsetMs ?? Number.NaN) + aheadMs)).toBeLessThan(
    4 + (clocks["b"]?.errorMs ?? 0),
  );
  expect(Math.abs(clocks["a"]?.offsetMs ?? Number.NaN)).toBeLessThan(clocks["a"]?.errorMs ?? 0);
  // Every transaction of the audit is in the files that the agents sent.
  expect(
    readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".bin")),
  ).not.toEqual([]);

  // All archived events have a latency, whichever agent added them.
  const histograms = await readTrialHistograms(directory, trial.number, result.treatments[0]?.id ?? "");
  expect(histograms.get("lifecycle.archived")?.totalCount).toBe(trial.operations["archive"]?.events);
  expect(histograms.get("lifecycle.completed")?.totalCount).toBeGreaterThan(0);

  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
});

it("a coordinator refuses agents with another token, with a name in use or with too few workers", async () => {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("agentsjoin"));
  const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
  const run = startCoordinator([scenario, "--out", out, "--agents", "2"], token);
  const url = await whereToJoin(run);
  const stranger = await startAgent({
    name: "x",
    url,
    token: tokenFile("some other token of the right length"),
  }).ended;
  expect(stranger).toMatchObject({
    exitCode: 104,
    stderr: expect.stringMatching(/refuses this agent: it has another token/) as string,
  });
  const first = startAgent({ name: "a", url, token });
  await new Promise<void>((resolve) => first.child.stderr?.once("data", () => resolve()));
  const twin = await startAgent({ name: "a", url, token }).ended;
  expect(twin).toMatchObject({
    exitCode: 104,
    stderr: expect.stringMatching(/called a has joined already; give this one another --name/) as string,
  });
  const small = startAgent({ name: "b", url, token, more: ["--workers", "1"] });
  const ended = await run.ended;
  expect(ended.exitCode).toBe(104);
  expect(ended.stderr).toMatch(/agent b has room for 1 worker thread and would get [23]/);
  expect((await first.ended).exitCode).toBe(0);
  expect((await small.ended).exitCode).toBe(0);
});

it("a coordinator refuses a run whose clients need more open files than an agent may open, and names the agent", async () => {
  const clients = SCENARIO.replace(
    /^actors:[^]*?^(?=\w)/m,
    "topology: cycle\nactors: { cycle: { workers: 2, load: { clients: 300 } } }\n",
  );
  const scenario = writeScenarioFile(clients + onSuiteServer("agentsfiles"));
  const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
  const run = startCoordinator([scenario, "--out", out, "--agents", "2"], token, {
    shellPrefix: "ulimit -n 160",
  });
  const url = await whereToJoin(run);
  const agents = [
    startAgent({ name: "a", url, token }),
    startAgent({ name: "b", url, token, shellPrefix: "ulimit -n 160" }),
  ];
  const ended = await run.ended;
  expect(ended.stderr).toMatch(/150 clients need about \d+ open files, but the limit of agent b is 160/);
  expect(ended.exitCode).toBe(104);
  for (const { exitCode } of await Promise.all(agents.map(({ ended }) => ended))) expect(exitCode).toBe(0);
});

it.each([
  [["--agents", "2"], /asks for 2 agents, and there is no token/],
  [["--agents", "9", "--token-file", tokenFile()], /9 agents for \d+ worker threads/],
  [["--agents", "2", "--token-file", tokenFile("short")], /has 5 characters; at least 16/],
  [["--agents", "2", "--token-file", tokenFile(), "--listen", "0.0.0.0:0"], /in the open/],
  [
    ["--agents", "2", "--token-file", tokenFile(), "--listen", "127.0.0.1:0", "--agents-wait", "1s"],
    /0 of 2 agents joined within 1 s/,
  ],
])("`run` with the options %j ends with an explanation", async (args, words) => {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("agentsbad"));
  const out = join(scratchDirectory(), "results");
  const { exitCode, stderr } = await trainSim(["run", scenario, "--out", out, ...args]);
  expect(stderr).toMatch(words);
  expect([104, 111]).toContain(exitCode);
});

it("an agent refuses to send its token over an unencrypted network", async () => {
  const { exitCode, stderr } = await startTrainSim([
    "agent",
    "--join",
    "ws://192.0.2.1:5670",
    "--token-file",
    tokenFile(),
  ]).ended;
  expect(exitCode).toBe(104);
  expect(stderr).toMatch(/in the open/);
});
