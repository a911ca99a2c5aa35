// A pooler that goes away during a run and stays away, on the built program with real PgBouncers: the run ends early, and
// names it by its address and its answer, for poolers of train-sim and for external ones.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { addressOf } from "../../src/database/endpoint.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { onSuiteServer, urlOf } from "../support/suite-server.js";
import { startPgBouncers } from "../support/pgbouncers.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";
import type { PoolSettings } from "../../src/pools/registry.js";
import type { RunningPooler } from "../../src/pools/running-pooler.js";

const POOL = { mode: "transaction", size: 4, instances: 1 } as const satisfies Partial<PoolSettings>;

/** Starts a run with the pool, calls `takeAway` once the window has begun, and waits for the end of the run. */
async function runUntilGone(pool: string, duration: string, takeAway: (temporary: string) => unknown) {
  const out = join(scratchDirectory(), "results");
  const scenario = `
name: gone
seed: 3
${onSuiteServer("gone")}
payload: text
batch: 2
appDelay: 0
pool: { strategy: pgbouncer, mode: transaction, ${pool} }
actors: { producers: { load: { clients: 3, thinkTime: 30ms } }, consumers: { load: { clients: 2, thinkTime: 30ms } }, archivers: false }
trial: { warmUp: 0, duration: ${duration}, drain: false }
trials: 1
diagnosis: { ceiling: false }
`;
  const started = startTrainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"], {
    env: pgBouncerEnv(),
  });
  await untilLogged(out, '"event":"summary","phase":"measure","operation":"add"');
  await takeAway(out);
  const ended = await started.ended;
  expect(ended.exitCode, ended.stderr).toBe(111);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "failed" });
  // The measurements from before the loss are kept.
  expect(trial?.operations.add?.transactions).toBeGreaterThan(0);
  expect(ended.stderr).not.toMatch(/locks/);
  return ended.stderr;
}

async function external(): Promise<{ pooler: RunningPooler; pool: string; address: string }> {
  const settings = { ...POOL, maxPreparedStatements: 0, maxClientConnections: 20 };
  const pooler = await startPgBouncers(settings, inject("adminEndpoint"), pgBouncerEnv());
  const [endpoint] = pooler.endpoints;
  if (!endpoint) return expect.unreachable("a pooler has an endpoint");
  return { pooler, pool: `urls: ["${urlOf(endpoint)}"]`, address: addressOf(endpoint) };
}

it("a run whose external pooler is killed says how often it refused connections, and since when", async () => {
  const { pooler, pool, address } = await external();
  const stderr = await runUntilGone(pool, "600s", () => pooler.instances[0]?.shutDown("kill"));
  await pooler.stop();
  expect(stderr).toMatch(
    new RegExp(
      `the pooler went away: PgBouncer at ${address} refused \\d{2,} connections \\(ECONNREFUSED\\) since second \\d+`,
    ),
  );
});

// Other runs of the suite work in the same database: the wait may go on for their sessions.
it("a run whose external pooler hangs says that it does not answer", async () => {
  const { pooler, pool, address } = await external();
  const [pid = 0] = pooler.pids;
  const stderr = await runUntilGone(pool, "4s", () => process.kill(pid, "SIGSTOP"));
  process.kill(pid, "SIGCONT");
  await pooler.stop();
  expect(stderr).toMatch(
    new RegExp(`did not end within \\d+ s: PgBouncer at ${address}: .*it did not answer`),
  );
});

it("a run whose managed pooler is killed ends at once and names the pooler", async () => {
  const stderr = await runUntilGone("size: 4", "600s", (out) => {
    // Other programs' poolers are among the processes, so only this run's child counts.
    const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
    const run = lines
      .find((line) => line.includes(`--out ${out} `))
      ?.trim()
      .split(/\s+/)[0];
    const line = lines.find((each) => each.includes("pgbouncer.ini") && each.trim().split(/\s+/)[1] === run);
    process.kill(Number(line?.trim().split(/\s+/)[0]), "SIGKILL");
  });
  expect(stderr).toMatch(/the pooler went away: PgBouncer at 127\.0\.0\.1:\d+ ended on its own \(SIGKILL\)/);
});
