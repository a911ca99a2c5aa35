// Agents that a run starts over ssh: the machine's own ssh, a real sshd, and hosts of an ssh_config whose options would
// keep a connection for others, ask for a terminal and run another command. However a run ends, no ssh and no agent is
// left, and no list of processes has shown the token.
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { shellWord } from "../../src/foundation/shown.js";
import { agentScenario, tokenFile } from "../support/agents.js";
import { commandLines, startSshServer, type SshServer } from "../support/sshd.js";
import { onSuiteServer } from "../support/suite-server.js";
import {
  MAIN,
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
  type Started,
} from "../support/train-sim.js";

const SCENARIO = agentScenario("warmUp: 300ms, duration: 2s");
const [ONE, TWO] = ["one", `${userInfo().username}@two`];
const HOSTS = `ssh:${ONE},${TWO}`;
const COMMAND = [process.execPath, MAIN].map(shellWord).join(" ");

let server: SshServer;
beforeAll(async () => {
  const shared = ["ControlMaster auto", `ControlPath ${scratchDirectory()}/%C`, "ControlPersist 60"];
  server = await startSshServer(["one", "two"], [...shared, "RequestTTY force", "RemoteCommand sleep 60"]);
});
afterEach(async () => {
  await expect.poll(() => server.remainingProcesses(), { timeout: 200_000 }).toEqual([]);
});
afterAll(() => server.stop());

interface Stage {
  readonly run: Started;
  readonly out: string;
  readonly scenario: string;
}

function start(namespace: string, more: readonly string[], env = server.env): Stage {
  const out = join(scratchDirectory(), "results");
  const scenario = writeScenarioFile(SCENARIO + onSuiteServer(namespace));
  return { run: startTrainSim(["run", scenario, "--out", out, ...more], { env }), out, scenario };
}

const over = (hosts: string, command = COMMAND): string[] => ["--agents", hosts, "--agent-command", command];

it("a run over ssh uses both hosts, and no list of processes shows its token", async () => {
  const token = tokenFile();
  const secret = readFileSync(token, "utf8").trim();
  const { run, out } = start("sshboth", [...over(HOSTS), "--token-file", token]);
  await untilLogged(out, '"phase":"measure"');
  const commands = commandLines();
  expect(commands.filter((words) => words.includes("--token-file - ")).length).toBeGreaterThanOrEqual(4);
  expect(commands.filter((words) => words.includes(secret))).toEqual([]);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toMatch(/waiting for 2 agents on one, \S+@two\n/);
  expect(stderr).toMatch(/ one: agent one has joined ws:\/\/127\.0\.0\.1:\d+\n/);
  const trial = onlyResultIn(out).result.treatments[0]?.trials[0];
  expect(trial?.integrity?.verdict).toBe("ok");
  expect(trial?.agents?.map(({ name }) => name).sort()).toEqual([ONE, TWO].sort());
});

it("a run over ssh makes a token, leaves nothing after Ctrl-C, and prints how to continue", async () => {
  const longer = ["--set", "trial.duration=8s"];
  const { run, out, scenario } = start("sshresume", [...over(HOSTS), ...longer]);
  await untilLogged(out, '"phase":"measure"');
  run.child.kill("SIGINT");
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(105);
  await expect.poll(() => server.remainingProcesses(), { timeout: 200_000 }).toEqual([]);
  const { directory } = onlyResultIn(out);
  const words = `--resume ${directory} --agents ${HOSTS} --agent-command ${shellWord(COMMAND)}`;
  expect(stderr).toContain(words);
  const again = startTrainSim(["run", scenario, ...longer, "--resume", directory, ...over(HOSTS)], {
    env: server.env,
  });
  const resumed = await again.ended;
  expect(resumed.exitCode, resumed.stderr).toBe(0);
});

it("a run over ssh leaves nothing if it is stopped before its agents have joined", async () => {
  const { run } = start("sshearly", over(HOSTS, `sleep 2; ${COMMAND}`));
  await outputMatch(run, /waiting for 2 agents/);
  run.child.kill("SIGTERM");
  expect((await run.ended).exitCode).toBe(105);
});

it("a run over ssh leaves nothing if it is killed", async () => {
  const { run, out } = start("sshkilled", over(HOSTS));
  await untilLogged(out, '"phase":"measure"');
  run.child.kill("SIGKILL");
  await run.ended;
});

it.each([
  [[ONE, "stranger"], COMMAND, "stranger", /ssh ended with exit code 255: .*Permission denied/],
  [
    [ONE, TWO],
    "no-such-program",
    ".*",
    /ssh ended with exit code 127: .*no-such-program: (command )?not found/,
  ],
  [[ONE, TWO], "exit;", ".*", /ssh ended with exit code 0: it wrote nothing/],
])(
  "a run over ssh fails before its first trial if hosts %j cannot run %s",
  async (hosts, command, host, words) => {
    const { run, out } = start("sshfails", over(`ssh:${hosts.join(",")}`, command));
    const { exitCode, stderr } = await run.ended;
    expect(exitCode, stderr).toBe(111);
    expect(stderr).toMatch(new RegExp(`there is no agent on ${host}: ${words.source}`));
    expect(stderr).toMatch(/Try it yourself: ssh \S+ '.* --version'/);
    expect(() => onlyResultIn(out)).toThrow(/ENOENT/);
  },
);

it("a run over ssh names the hosts that have not joined in time", async () => {
  const { run } = start("sshlate", [...over(HOSTS, "exec sleep 4;"), "--agents-wait", "2s"]);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(111);
  expect(stderr).toMatch(/0 of 2 agents joined within 2 s\n {2}Try it yourself: ssh one /);
});

it("a run over ssh ends with 104 and a remedy if ssh is not installed", async () => {
  const { run } = start("sshnone", over(HOSTS), { ...process.env, PATH: scratchDirectory() });
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(104);
  expect(stderr).toMatch(/ssh cannot be started: spawn ssh ENOENT\n {2}Install OpenSSH's client/);
});

it("a run over ssh needs as many hosts as the treatment with most agents", async () => {
  const factor = ["--set", "factors.agents=[1,2]"];
  const { run, out } = start("sshfactor", [...over(HOSTS), ...factor]);
  const { exitCode, stderr } = await run.ended;
  expect(exitCode, stderr).toBe(0);
  const { treatments } = onlyResultIn(out).result;
  expect(treatments.map(({ trials }) => trials[0]?.agents?.length).sort()).toEqual([1, 2]);
  const other = await start("sshfactor", [...over("ssh:one"), ...factor]).run.ended;
  expect(other.exitCode).toBe(104);
  expect(other.stderr).toMatch(/asks for 2 agents, and --agents names 1 host/);
});
