// Agents that get lost, join late, lie or lag: the run ends with the agent's name and the right exit code, acknowledged
// events are accounted for, and nothing is left.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { packageVersion } from "../../src/cli/package-info.js";
import {
  decode,
  encode,
  INTRODUCTION_HEADER,
  ToAgent,
  type FromAgent,
} from "../../src/engine/agents/agent-protocol.js";
import { bearerAuthorization } from "../../src/engine/agents/token.js";
import { TcpProxy } from "../../src/faults/means/tcp-proxy.js";
import { systemClock } from "../../src/foundation/clock.js";
import { Prng } from "../../src/foundation/prng.js";
import { readTrialHistograms } from "../../src/results/reader.js";
import type { ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import { agentScenario, startAgent, startCoordinator, tokenFile, whereToJoin } from "../support/agents.js";
import { makeCertificate } from "../support/certificates.js";
import { secondsIn } from "../support/fault-runs.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  trainSim,
  untilLogged,
  writeScenarioFile,
  type Started,
} from "../support/train-sim.js";

const SCENARIO = agentScenario("warmUp: 2s, duration: 3s");

function onlyTrial({ treatments }: ResultDocument): TrialResult {
  return treatments[0]?.trials[0] as TrialResult;
}

interface Stage {
  readonly run: Started;
  readonly out: string;
  readonly url: string;
  readonly token: string;
  readonly scenario: string;
}

async function stage(namespace: string, ...more: string[]): Promise<Stage> {
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer(namespace));
  const [token, out] = [tokenFile(), join(scratchDirectory(), "results")];
  const run = startCoordinator([scenario, "--out", out, "--agents", "2", ...more], token);
  return { run, out, url: await whereToJoin(run), token, scenario };
}

function directoriesOfAgents(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("train-sim-agent-"));
}

/** Resumes with the same number of agents, and repeats the trial. */
async function resume(scenario: string, directory: string, token: string): Promise<void> {
  const again = startCoordinator([scenario, "--resume", directory, "--agents", "2"], token);
  const url = await whereToJoin(again);
  for (const name of ["a", "b"]) startAgent({ name, url, token });
  const { exitCode, stderr } = await again.ended;
  expect(exitCode, stderr).toBe(0);
  expect(readFileSync(join(directory, "summary.txt"), "utf8")).toContain("1 of 1 trial complete");
}

/** Connects as a program that knows the token but is no agent of the run. */
function intruder({ url, token }: Stage, introduction: object): WebSocket {
  const limits = { openFiles: null, localPorts: null };
  const version = packageVersion();
  const who = { name: "intruder", version, workers: null, pid: 1, machine: "elsewhere", limits };
  return new WebSocket(url, {
    headers: {
      authorization: bearerAuthorization(readFileSync(token, "utf8").trim()),
      [INTRODUCTION_HEADER]: JSON.stringify({ ...who, ...introduction }),
    },
  });
}

it.each(["warm-up", "measure", "drain"])(
  "a run names an agent that is killed in %s, audits its work, and repeats the trial with --resume",
  async (phase) => {
    const { run, out, url, token, scenario } = await stage("agentskilled");
    const survivor = startAgent({ name: "a", url, token });
    const victim = startAgent({ name: "b", url, token });
    await untilLogged(out, `"phase":"${phase}"`);
    victim.child.kill("SIGKILL");
    const [ended, left] = await Promise.all([run.ended, survivor.ended]);
    expect(ended.exitCode, ended.stderr).toBe(111);
    expect(ended.stderr).toMatch(/agent b is lost: its connection closed/);
    expect(ended.stderr).toMatch(
      /Continue with: .*--resume \S+ --token-file \S+ --listen 127\.0\.0\.1:0 --agents-wait 40s\n/,
    );
    expect(left.exitCode, left.stderr).toBe(0);
    const { directory, result } = onlyResultIn(out);
    expect(onlyTrial(result).status).toBe("failed");
    expect(onlyTrial(result).integrity?.verdict).toBe("ok");
    await resume(scenario, directory, token);
  },
);

it("a run names an agent whose clock steps in the window, and repeats the trial with --resume", async () => {
  const before = directoriesOfAgents();
  const { run, out, url, token, scenario } = await stage("agentsstep");
  const stepFile = join(scratchDirectory(), "step");
  const steady = startAgent({ name: "a", url, token });
  const stepping = startAgent({ name: "b", url, token, clock: { aheadMs: 0, ppm: 0, stepFile } });
  await untilLogged(out, '"phase":"measure"');
  writeFileSync(stepFile, "50");
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(111);
  const [, steppedMs] =
    /agent b is lost: its monotonic clock stepped by (\d+) ms, as when a machine is paused/.exec(stderr) ??
    [];
  expect(Math.abs(Number(steppedMs) - 50), stderr).toBeLessThan(5);
  expect((await steady.ended).exitCode).toBe(0);
  expect(await stepping.ended).toMatchObject({
    exitCode: 111,
    stderr: expect.stringMatching(/the coordinator is gone/) as string,
  });
  const { directory, result } = onlyResultIn(out);
  expect(onlyTrial(result)).toMatchObject({ status: "failed", integrity: { verdict: "ok", lost: 0 } });
  expect(directoriesOfAgents().filter((name) => !before.includes(name))).toEqual([]);
  await resume(scenario, directory, token);
});

it("a run fails its trial if an agent is lost before the trial begins", async () => {
  const { run, out, url, token } = await stage("agentsfewer");
  const survivor = startAgent({ name: "a", url, token });
  const victim = startAgent({ name: "b", url, token });
  await outputMatch(run, /agent 2 of 2/);
  victim.child.kill("SIGKILL");
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(111);
  expect(stderr).toMatch(/agent b is lost/);
  expect(onlyTrial(onlyResultIn(out).result).status).toBe("failed");
  expect((await survivor.ended).exitCode).toBe(0);
});

it("agents whose coordinator is killed end with 111 and leave no directory", async () => {
  const before = directoriesOfAgents();
  const { run, out, url, token } = await stage("agentsalone");
  const agents = ["a", "b"].map((name) => startAgent({ name, url, token }));
  await untilLogged(out, '"phase":"measure"');
  run.child.kill("SIGKILL");
  for (const { ended } of agents) {
    const { exitCode, stderr } = await ended;
    expect(exitCode, stderr).toBe(111);
    expect(stderr).toMatch(/the coordinator is gone: the connection closed/);
  }
  expect(directoriesOfAgents().filter((name) => !before.includes(name))).toEqual([]);
});

it("an agent that is stopped by a signal fails the trial and leaves no directory", async () => {
  const before = directoriesOfAgents();
  const { run, out, url, token } = await stage("agentsstopped");
  const [survivor, stopped] = ["a", "b"].map((name) => startAgent({ name, url, token }));
  await untilLogged(out, '"phase":"measure"');
  stopped?.child.kill("SIGTERM");
  expect(await stopped?.ended).toMatchObject({ exitCode: 105 });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode).toBe(111);
  expect(stderr).toMatch(/agent b is lost: its connection closed \(stopped by SIGTERM\)/);
  expect((await survivor?.ended)?.exitCode).toBe(0);
  expect(directoriesOfAgents().filter((name) => !before.includes(name))).toEqual([]);
});

it("a run with an agent on a slow network succeeds with a caveat about the agent's clock", async () => {
  const { run, out, url, token } = await stage("agentsslow");
  const upstream = { host: "127.0.0.1", port: Number(new URL(url).port) };
  const proxy = await TcpProxy.open(upstream, systemClock, new Prng(1));
  await proxy.apply({ kind: "latency", latencyMs: 20, jitterMs: 0 });
  const slow = startAgent({ name: "slow", url: `ws://127.0.0.1:${proxy.port}`, token });
  const fast = startAgent({ name: "fast", url, token });
  const { exitCode, stderr } = await run.ended;
  await Promise.all([slow.ended, fast.ended]);
  await proxy.close();
  expect(exitCode, stderr).toBe(0);
  const { agents = [], diagnosis = [], integrity } = onlyTrial(onlyResultIn(out).result);
  expect(integrity?.verdict).toBe("ok");
  expect(agents.find(({ name }) => name === "slow")?.clock.errorMs).toBeGreaterThan(10);
  expect(diagnosis.map(({ check }) => check)).toContain("agent-clock");
});

it("agents join over TLS, and an agent refuses a coordinator whose certificate it does not trust", async () => {
  const { cert, key } = await makeCertificate("localhost");
  const directory = scratchDirectory();
  const [certFile, keyFile] = [join(directory, "cert.pem"), join(directory, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const { run, url: agentRecords, token } = await stage("agentstls", "--cert", certFile, "--key", keyFile);
  const url = agentRecords.replace("127.0.0.1", "localhost");
  expect(url).toMatch(/^wss:/);
  const stranger = await startAgent({ name: "x", url, token, more: ["--wait", "1s"] }).ended;
  expect(stranger.exitCode).toBe(111);
  expect(stranger.stderr).toMatch(/self-signed certificate/);
  for (const name of ["a", "b"]) startAgent({ name, url, token, more: ["--ca", certFile] });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
});

it("a coordinator refuses an agent of another version, and drops one that sends a malformed message", async () => {
  const here = await stage("agentsintruder", "--agents-wait", "4s");
  const other = intruder(here, { version: "0.0.1", limits: undefined });
  const refused = await new Promise<string>((resolve) =>
    other.once("error", ({ message }) => resolve(message)),
  );
  expect(refused).toMatch(/400/);

  const outside = encode({ kind: "file", name: "../x.bin", bytes: Buffer.alloc(1) } satisfies FromAgent);
  for (const sent of [Buffer.from("hello"), Buffer.alloc(70_000_000), outside]) {
    const socket = intruder(here, {});
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send(sent);
    await new Promise((resolve) => socket.once("close", resolve));
  }
  const { exitCode, stderr } = await here.run.ended;
  expect(stderr).toMatch(/it is train-sim 0\.0\.1, and the coordinator/);
  expect(stderr.match(/agent intruder is lost: a message cannot be read/g)).toHaveLength(2);
  expect(stderr).toMatch(/agent intruder is lost: Max payload size exceeded/);
  expect(stderr).toMatch(/0 of 2 agents joined within 4 s/);
  expect(exitCode).toBe(111);
});

it("roles have separate agents, and event lifecycles between agents have latencies", async () => {
  const place = "agents={ count: 3, place: { producers: 1, consumers: 1 } }";
  const sets = [`--set=${place}`, "--set=trial.drain=false", "--set=preload=0", "--set=trial.duration=4s"];
  const { run, out, url, token } = await stage("agentsplace", "--agents", "3", ...sets);
  for (const name of ["a", "b", "c"]) startAgent({ name, url, token });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const trial = onlyTrial(result);
  expect(trial.agents?.map(({ workers }) => workers)).toEqual([1, 1, 1]);
  const histograms = await readTrialHistograms(directory, trial.number, result.treatments[0]?.id ?? "");
  const archived = trial.operations["archive"]?.events ?? 0;
  expect(archived).toBeGreaterThan(100);
  expect(histograms.get("lifecycle.archived")?.totalCount).toBe(archived);
  expect(histograms.get("lifecycle.completed")?.totalCount).toBeGreaterThan(100);
  expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0 });
});

it("a trial goes on if its fault kills an agent, which joins again for the next trial", async () => {
  const faults = "--set=faults=[{ at: 1s, kind: agent-kill }]";
  const { run, out, url, token } = await stage("agentskill", faults, "--trials", "2");
  const agents = ["a", "b"].map((name) => startAgent({ name, url, token, more: ["--again"] }));
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  for (const { ended } of agents) expect((await ended).exitCode).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const trials = result.treatments[0]?.trials ?? [];
  expect(trials.map(({ status, integrity }) => [status, integrity?.verdict, integrity?.lost])).toEqual([
    ["complete", "ok", 0],
    ["complete", "ok", 0],
  ]);
  for (const { faults: records, agents: agentRecords, windowSeconds, diagnosis, notAssessed } of trials) {
    expect(records?.[0]?.words).toMatch(/^killed agent [ab] with \d workers? and \d+ clients$/);
    expect(agentRecords?.map(({ cpuSeconds }) => cpuSeconds === undefined).sort()).toEqual([false, true]);
    expect(windowSeconds).toBeCloseTo(3, 1);
    expect((diagnosis ?? []).map(({ check }) => check)).not.toContain("closure");
    // CPU time and I/O that the killed agent used before the window must not be attributed to other programs in the
    // window.
    expect(notAssessed).toContainEqual({
      what: "CPU time of other programs, I/O of other programs",
      reason: "an agent's process ended within the window",
    });
  }
  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
  const leftOver = (): string[] =>
    directoriesOfAgents().filter((name) => !existsSync(`/proc/${name.split("-")[3]}`));
  await expect.poll(leftOver, { timeout: 200_000 }).toEqual([]); // reapers remove the directories of killed agents
});

it("network faults delay all agents or cut off a single agent, and no event is lost", async () => {
  const faults = [
    "{ at: 500ms, kind: network-latency, for: 500ms, latency: 20ms }",
    "{ at: 1200ms, kind: agent-partition, for: 1500ms }",
  ];
  const sets = [`--set=faults=[${faults.join(", ")}]`, "--set=trial.duration=4s"];
  const { run, out, url, token } = await stage("agentspartition", ...sets);
  for (const name of ["a", "b"]) startAgent({ name, url, token });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const trial = onlyTrial(result);
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0, duplicated: 0 } });
  const [slow, cut] = trial.faults ?? [];
  const connections = Number(slow?.words.match(/^delayed (\d+) connections of the clients by 20ms/)?.[1]);
  const [, ofOne] =
    cut?.words.match(/^cut agent [ab] with .* off from the server: (\d+) connections? carried nothing$/) ??
    [];
  expect(Number(ofOne), cut?.words).toBeGreaterThan(0);
  expect(Number(ofOne)).toBeLessThan(connections);
  // A transaction of the cut agent's clients waited for as long as the fault; the other agent's transactions went on.
  const histograms = await readTrialHistograms(directory, trial.number, result.treatments[0]?.id ?? "");
  const responses = ["add", "process", "archive"].map((each) => histograms.get(`${each}.response`)?.maxValue);
  expect(Math.max(...responses.map((each) => each ?? 0))).toBeGreaterThan(1_400_000);
  expect(secondsIn(directory)(2).transactions).toBeGreaterThan(0);
});

it("the next trial fails if no agent replaces the one that a fault killed", async () => {
  const faults = "--set=faults=[{ at: 1s, kind: agent-kill }]";
  const { run, url, token } = await stage("agentsgone", faults, "--trials", "2", "--agents-wait", "6s");
  for (const name of ["a", "b"]) startAgent({ name, url, token });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode).toBe(111);
  expect(stderr).toMatch(
    /1 of 2 agents joined within 6 s: [ab]\s+A fault killed the others: start agents with --again/,
  );
});

it("an agent on another machine is refused if the server listens on loopback only", async () => {
  const out = join(scratchDirectory(), "results");
  const token = tokenFile();
  const run = startCoordinator([writeScenarioFile(SCENARIO), "--out", out, "--agents", "1"], token);
  const url = await whereToJoin(run);
  const other = intruder({ run, out, url, token, scenario: "" }, {});
  other.on("message", (bytes: Buffer) => {
    const message = decode(bytes, ToAgent);
    if (message.kind !== "clock") return;
    const { askedMs } = message;
    other.send(encode({ ...message, heardMs: askedMs, repliedMs: askedMs, correctionMs: 0 }));
  });
  const { exitCode, stderr } = await run.ended;
  expect(stderr).toMatch(
    /agent intruder is on another machine, and the server that train-sim starts listens on this/,
  );
  expect(exitCode).toBe(104);
});

it("a run whose port for agents is in use ends with 104 and names --listen", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer("agentsport"));
  const out = join(scratchDirectory(), "results");
  const agents = ["--agents", "2", "--token-file", tokenFile(), "--listen", `127.0.0.1:${port}`];
  const { exitCode, stderr } = await trainSim(["run", scenario, "--out", out, ...agents]);
  server.close();
  expect(exitCode).toBe(104);
  expect(stderr).toMatch(/EADDRINUSE[\s\S]*give another one with --listen/);
});
