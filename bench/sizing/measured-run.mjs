// Measures one run of the built program over agents on this machine: processor time of agents and coordinator, and bytes
// between them, which a relay counts.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const WARM_UP_SECONDS = 10;
const TOKEN = "a token of the bench that sizes agents";

function start(args) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (output.stderr += text));
  const ended = new Promise((resolve) => child.on("close", (status) => resolve({ status, ...output })));
  return { child, ended };
}

/** Resolves to the address at which the run's coordinator listens. */
function waitUntilListening({ child, ended }) {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stderr.on("data", (text) => {
      seen += text;
      const [, port] = /--join ws:\/\/127\.0\.0\.1:(\d+) /.exec(seen) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    void ended.then(({ stderr }) => reject(new Error(stderr)));
  });
}

/** Opens a relay that counts bytes in each direction between agents and the coordinator. */
async function openRelay(port) {
  const bytes = { in: 0, out: 0 };
  const server = createServer((agent) => {
    const coordinator = connect(port, "127.0.0.1");
    agent.on("data", ({ length }) => (bytes.in += length)).pipe(coordinator);
    coordinator.on("data", ({ length }) => (bytes.out += length)).pipe(agent);
    for (const side of [agent, coordinator]) side.on("error", () => undefined);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { port: address.port, bytes, close: () => server.close() };
}

const scenario = ({ threads, clients, connections, thinkMs, seconds }) => ({
  ...{ name: "sizing", seed: 42, trials: 1, topology: "cycle", payload: "text", appDelay: 0 },
  ...{ batch: { min: 10, max: 100 }, diagnosis: { ceiling: false } },
  pool: { strategy: "pgbouncer", mode: "transaction", size: connections },
  actors: {
    cycle: {
      workers: threads,
      load: { executor: "constant-clients", clients, thinkTime: `${thinkMs}ms` },
    },
  },
  trial: { warmUp: `${WARM_UP_SECONDS}s`, duration: `${seconds}s`, drain: false },
});

/** Runs the load. Figures are per second of the window; bytes are per second of warm-up and window. */
export async function measureRun(load) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const [file, tokenFile] = ["scenario.yaml", "token"].map((name) => join(directory, name));
  writeFileSync(file, JSON.stringify(scenario(load)));
  writeFileSync(tokenFile, TOKEN);
  const token = ["--token-file", tokenFile];
  const run = start([
    ...["run", file, "--out", join(directory, "out"), "--json", "--listen", "127.0.0.1:0"],
    ...["--agents", String(load.agents), ...token],
  ]);
  const relay = await openRelay(await waitUntilListening(run));
  const agents = Array.from({ length: load.agents }, (_, i) =>
    start(["agent", "--join", `ws://127.0.0.1:${relay.port}`, "--name", `agent${i}`, ...token]),
  );
  const { status, stdout, stderr } = await run.ended;
  await Promise.all(agents.map(({ ended }) => ended));
  relay.close();
  rmSync(directory, { recursive: true, force: true });
  if (status !== 0) throw new Error(stderr);
  return figures(load, JSON.parse(stdout).treatments[0].trials[0], relay.bytes);
}

function figures(
  { agents: count, threads },
  { client, agents, operations, windowSeconds, integrity },
  bytes,
) {
  if (integrity.verdict !== "ok") throw new Error(`integrity ${integrity.verdict}`);
  const agentSeconds = agents.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const cycle = operations.__cycle__;
  return {
    ...{ agents: count, threads },
    cyclesPerSecond: cycle.transactions / windowSeconds,
    cycleMs: cycle.responseTimeMs.mean,
    agentCpuMs: (agentSeconds / windowSeconds) * 1000,
    coordinatorCpuMs: ((client.cpuSeconds - agentSeconds) / windowSeconds) * 1000,
    loopUtilization: client.workerUtilization,
    bytesIn: bytes.in / (WARM_UP_SECONDS + windowSeconds),
    bytesOut: bytes.out / (WARM_UP_SECONDS + windowSeconds),
  };
}
