// Poolers at agents: each agent starts a pooler, and its clients use no other. If a pooler fails, the run reports it or
// goes on, and no pooler is left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import type { TrialResult } from "../../src/results/result-schema.js";
import { agentScenario, startAgent, startCoordinator, tokenFile, whereToJoin } from "../support/agents.js";
import { pgBouncerPath } from "../support/pgbouncers.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  MAIN,
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
  type Started,
} from "../support/train-sim.js";

const POOL = "pool: { strategy: pgbouncer, size: 3, placement: agent }\n";
const SCENARIO = agentScenario("warmUp: 1s, duration: 4s") + POOL;

vi.stubEnv("TRAIN_SIM_PGBOUNCER", pgBouncerPath());

interface Stage {
  readonly run: Started;
  readonly out: string;
  readonly start: (name: string, ...more: string[]) => Started;
}

async function stage(namespace: string, ...more: string[]): Promise<Stage> {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer(namespace));
  const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
  const run = startCoordinator([scenario, "--out", out, "--agents", "2", ...more], token);
  const url = await whereToJoin(run);
  return { run, out, start: (name, ...options) => startAgent({ name, url, token, more: options }) };
}

function trialsOf(out: string): TrialResult[] {
  return onlyResultIn(out).result.treatments.flatMap(({ trials }) => trials);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function processes(): Process[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return [{ pid: Number(pid), parent: Number(parent), command }];
    } catch {
      return []; // no process, or an ended one
    }
  });
}

/** Process ids of the PgBouncers that a process started. */
function poolersOf(parent: number | undefined): number[] {
  return processes().flatMap((each) =>
    each.command.includes("/pgbouncer") && each.parent === parent ? [each.pid] : [],
  );
}

/** Process ids of PgBouncers of agents with --again, which run in a separate process. */
function poolersAgainOf(parent: number | undefined): number[] {
  return processes().flatMap((each) => (each.parent === parent ? poolersOf(each.pid) : []));
}

/** Resolves when none of the processes is left. The reaper may need some seconds to end them. */
async function untilGone(pids: readonly number[]): Promise<void> {
  const remainingPids = (): number[] => pids.filter((pid) => processes().some((each) => each.pid === pid));
  await expect.poll(remainingPids, { timeout: 200_000 }).toEqual([]);
}

it("each agent starts a pooler for its clients, and faults restart, pause and stop these poolers", async () => {
  const faults = [
    "{ at: 1s, kind: pooler-restart, instance: 2 }",
    "{ at: 2s, kind: pooler-pause, for: 500ms, instance: 1 }",
    "{ at: 3s, kind: process-stop, process: pooler, for: 300ms }",
  ];
  const { run, out, start } = await stage("besideboth", `--set=faults=[${faults.join(", ")}]`);
  const agents = [start("a"), start("b")];
  await untilLogged(out, '"phase":"warm-up"');
  const poolers = agents.map(({ child }) => poolersOf(child.pid));
  expect(poolers.map(({ length }) => length)).toEqual([1, 1]);
  expect(poolersOf(run.child.pid)).toEqual([]);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  for (const { ended } of agents) expect((await ended).exitCode).toBe(0);
  const [trial] = trialsOf(out);
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0 } });
  expect(trial?.faults?.map(({ words }) => words)).toEqual([
    "stopped PgBouncer 2 and started it again",
    "paused PgBouncer 1",
    "stopped 2 processes of PgBouncer",
  ]);
  await untilGone(poolers.flat());
});

it("poolers at agents and a central pooler have evidence, as levels of one factor", async () => {
  const factor = "--set=factors={ pool.placement: [central, agent] }";
  const { run, out, start } = await stage(
    "besidefactor",
    factor,
    "--set=pool={ strategy: pgbouncer, size: 3 }",
  );
  for (const name of ["a", "b"]) start(name);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const { treatments, environment } = onlyResultIn(out).result;
  const rows = treatments.map(({ id, trials: [trial] }) => [
    id,
    trial?.database.pooler?.serversMax,
    trial?.integrity?.verdict,
  ]);
  expect(rows).toEqual([
    ["central", 3, "ok"],
    ["agent", 6, "ok"],
  ]);
  expect(environment.versions["PgBouncer"]).toMatch(/^\d[\d.]+$/);
  for (const { trials } of treatments) {
    const { pooler, poolerCpuSeconds } = trials[0]?.database ?? {};
    expect(pooler?.transactions).toBeGreaterThan(100);
    expect(poolerCpuSeconds).toBeGreaterThan(0);
  }
});

it("clients of each agent are spread over that agent's poolers", async () => {
  const pool = "--set=pool={ strategy: pgbouncer, size: 2, instances: 2, placement: agent }";
  const { run, out, start } = await stage("besidespread", pool);
  for (const name of ["a", "b"]) start(name);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const [trial] = trialsOf(out);
  expect(trial?.integrity?.verdict).toBe("ok");
  expect(trial?.endpoints?.map(({ endpoint }) => endpoint)).toEqual(["agents:1", "agents:2"]);
  for (const { connects } of trial?.endpoints ?? []) expect(connects).toBeGreaterThanOrEqual(6);
});

it("a fault that kills an agent ends its pooler, and a new pooler is started for the next trial", async () => {
  const faults = "--set=faults=[{ at: 1s, kind: agent-kill }]";
  const { run, out, start } = await stage("besidekill", faults, "--trials", "2");
  const agents = ["a", "b"].map((name) => start(name, "--again"));
  await untilLogged(out, '"phase":"measure"');
  const poolers = agents.flatMap(({ child }) => poolersAgainOf(child.pid));
  expect(poolers).toHaveLength(2);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  for (const trial of trialsOf(out)) {
    expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0 } });
    expect(trial.database.pooler?.transactions).toBeGreaterThan(0);
  }
  await untilGone(poolers);
});

it("a fault cuts an agent with its pooler off from the server", async () => {
  const faults = "--set=faults=[{ at: 1s, kind: agent-partition, for: 1s }]";
  const { run, out, start } = await stage("besidepartition", faults);
  for (const name of ["a", "b"]) start(name);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const [trial] = trialsOf(out);
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0 } });
  // The agent has more clients than its pooler has connections; only the connections are cut.
  expect(trial?.faults?.[0]?.words).toMatch(
    /^cut agent [ab] with .* off from the server: [123] connections? carried/,
  );
});

it("network faults act on an agent's clients and on its pooler's connections to the server", async () => {
  const faults = [
    "{ at: 1s, kind: network-latency, for: 500ms, latency: 20ms }",
    "{ at: 2s, kind: network-latency, for: 500ms, latency: 20ms, between: pooler }",
  ];
  const { run, out, start } = await stage("besidenetwork", `--set=faults=[${faults.join(", ")}]`);
  for (const name of ["a", "b"]) start(name);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const [trial] = trialsOf(out);
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0 } });
  const [clients, pooler] = trial?.faults ?? [];
  expect(clients?.words).toMatch(/^delayed \d+ connections of the clients by 20ms/);
  expect(pooler?.words).toMatch(/^delayed [1-6] connections? of PgBouncer to the server by 20ms/);
});

it("a pooler that is killed at an agent fails the trial with that agent's name", async () => {
  const { run, out, start } = await stage("besidecrash");
  const [a, b] = [start("a"), start("b")];
  await untilLogged(out, '"phase":"measure"');
  const [pooler] = poolersOf(b.child.pid);
  process.kill(pooler ?? 0, "SIGKILL");
  const { exitCode, stderr } = await run.ended;
  expect(exitCode).toBe(111);
  expect(stderr).toMatch(
    /the pooler went away: agent b: PgBouncer at 127\.0\.0\.1:\d+ ended on its own \(SIGKILL\)/,
  );
  for (const { ended } of [a, b]) expect((await ended).exitCode).toBe(0);
  expect(trialsOf(out)[0]?.integrity?.verdict).toBe("ok");
});

it.each(["agent", "coordinator"])("no pooler is left if the %s is killed", async (whose) => {
  const { run, out, start } = await stage(`besidekilled${whose}`);
  const agents = [start("a"), start("b")];
  await untilLogged(out, '"phase":"measure"');
  const poolers = agents.flatMap(({ child }) => poolersOf(child.pid));
  expect(poolers).toHaveLength(2);
  (whose === "agent" ? agents[0] : run)?.child.kill("SIGKILL");
  const ends = await Promise.all([run, ...agents].map(({ ended }) => ended));
  if (whose === "agent") expect(ends[0]?.stderr).toMatch(/agent a is lost: its connection closed/);
  await untilGone(poolers);
});

/** Starts an agent in a separate namespace of processes, so that it seems to run on another machine. */
function startElsewhere(name: string, url: string, token: string): Promise<unknown> {
  const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  const namespaces = [...asUser, "--pid", "--fork", "--kill-child", "--mount-proc"];
  const agent = ["agent", "--join", url, "--token-file", token, "--name", name, "--wait", "5s"];
  return once(spawn("unshare", [...namespaces, process.execPath, MAIN, ...agent]), "exit");
}

it.each(["agent", "central"])(
  "an agent on another machine may start a pooler but cannot use a central one: placement %s",
  async (placement) => {
    const scenario = writeScenarioFile(SCENARIO + onSuiteServer(`besidefar${placement}`));
    const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
    const set = `--set=pool.placement=${placement}`;
    const run = startCoordinator([scenario, "--out", out, "--agents", "2", set], token);
    const url = await whereToJoin(run);
    const agents = [startAgent({ name: "near", url, token }).ended, startElsewhere("far", url, token)];
    const { exitCode, stderr } = await run.ended;
    await Promise.all(agents);
    if (placement === "central") {
      expect(exitCode).toBe(104);
      expect(stderr).toMatch(
        /agent far is on another machine, and the PgBouncer that train-sim starts listens on this one only/,
      );
      return;
    }
    expect(exitCode, stderr).toBe(0);
    const [trial] = trialsOf(out);
    expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0 } });
    const { pooler, poolerCpuSeconds, skipped } = trial?.database ?? {};
    expect(pooler).toMatchObject({ serversMax: 6 });
    expect(poolerCpuSeconds).toBeUndefined();
    expect(skipped).toContainEqual({ source: "CPU of the pooler", reason: "1 of 2 run on other machines" });
  },
);

it("an agent whose PgBouncer is missing is named before the first trial", async () => {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("besidenone"));
  const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
  const run = startCoordinator([scenario, "--out", out, "--agents", "1"], token);
  const url = await whereToJoin(run);
  const agent = startTrainSim(["agent", "--join", url, "--token-file", token, "--name", "a"], {
    env: { ...process.env, TRAIN_SIM_PGBOUNCER: "/nowhere/pgbouncer" },
  });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode).toBe(111);
  expect(stderr).toMatch(/agent a: .*\/nowhere\/pgbouncer/);
  expect(existsSync(out)).toBe(false);
  await agent.ended;
});
