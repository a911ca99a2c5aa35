// Remainders after train-sim and its reaper are killed together: `doctor` and the next run name each server with its
// process, its directory and a command that ends it, which the test runs unchanged. A directory without a process is
// removed; a directory whose owner may still exist is not touched.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import {
  waitUntilEnded,
  makeInstallation,
  processesIn,
  type Installation,
  type Running,
} from "../support/installation.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";
import { findOrphans, OWNER_FILE, ownerRecord, sweepOrphans } from "../../src/foundation/process/orphans.js";

const SCRIPT = `
import { startEmbedded } from "./dist/targets/embedded/embedded.js";
import { startPoolers } from "./dist/pools/managed.js";
import { pgbouncerKind } from "./dist/pools/pgbouncer/pgbouncer.js";
import { reaperPid } from "./dist/foundation/process/reaper.js";
const server = await startEmbedded({}, { maxConnectionsNeeded: 20 });
const pooler = await startPoolers(
  pgbouncerKind,
  { mode: "transaction", size: 2, instances: 1, maxPreparedStatements: 0, maxClientConnections: 10 },
  [server.admin],
);
console.log(JSON.stringify({ server: server.serverPid, pooler: pooler.pids[0], reaper: reaperPid() }));
setInterval(() => {}, 1000);
`;
interface Pids {
  readonly server: number;
  readonly pooler: number;
  readonly reaper: number;
}

let installation: Installation;
beforeAll(async () => {
  installation = await makeInstallation();
});
afterAll(async () => installation.remove());

async function start(): Promise<{ running: Running; pids: Pids }> {
  const running = await installation.run(SCRIPT, { env: pgBouncerEnv() });
  const pids = JSON.parse(await running.line()) as Pids;
  vi.stubEnv("TMPDIR", running.temporary);
  return { running, pids };
}

const orphaned: number[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  // Ends the processes that a failed test left.
  for (const pid of orphaned.splice(0)) if (ownerRecord([pid]) !== undefined) process.kill(pid, "SIGQUIT");
});

/** Kills train-sim and its reaper at once, so that neither has the time to clean up. */
async function killBoth({ running, pids }: Awaited<ReturnType<typeof start>>): Promise<void> {
  orphaned.push(pids.server, pids.pooler);
  process.kill(pids.reaper, "SIGSTOP");
  running.child.kill("SIGKILL");
  await waitUntilEnded(running);
  process.kill(pids.reaper, "SIGKILL");
  await reaperEnded(pids);
}

/** Resolves when the reaper has ended. A zombie has ended too. */
const reaperEnded = ({ reaper }: Pids): Promise<void> =>
  expect.poll(() => ownerRecord([reaper])).toBeUndefined();

const QUICK = `
name: quick
seed: 1
actors: { producers: { load: { clients: 1, thinkTime: 15ms } }, consumers: { load: { clients: 1, thinkTime: 15ms } }, archivers: false }
trial: { warmUp: 0, duration: 300ms, drain: false }
trials: 1
diagnosis: { ceiling: false }
evidence: { every: "off" }
`;

it("doctor and run name servers that outlived train-sim and its reaper; the printed command ends these", async () => {
  const args = ["run", writeScenarioFile(QUICK), "--out", scratchDirectory()];
  const started = await start();
  const { running, pids } = started;
  const { temporary } = running;
  expect(await findOrphans()).toEqual([]);
  await killBoth(started);

  const env = { ...process.env, TMPDIR: temporary };
  const doctor = await trainSim(["doctor", "--json"], { env });
  expect(doctor.exitCode).toBe(0);
  const findings = JSON.parse(doctor.stdout) as { what: string; detail: string; remedy: string }[];
  const left = findings.filter(({ what }) => what === "left behind");
  expect(left.map(({ detail }) => detail).sort()).toEqual([
    expect.stringContaining(
      `PgBouncer of a train-sim that was killed still runs (process ${pids.pooler}) in ${temporary}`,
    ),
    expect.stringContaining(
      `PostgreSQL of a train-sim that was killed still runs (process ${pids.server}) in ${temporary}`,
    ),
  ]);
  const run = await trainSim(args, { env });
  expect(run.exitCode, run.stderr).toBe(0);
  for (const pid of [pids.server, pids.pooler])
    expect(run.stderr).toMatch(
      new RegExp(`still runs \\(process ${pid}\\) in \\S+\\. End it with: kill -QUIT ${pid};`),
    );
  expect(await processesIn(temporary)).toContain(pids.server);

  for (const { remedy } of left) execFileSync("sh", ["-c", remedy.replace("Remove it with: ", "")]);
  await running.nothingLeft();
  expect(await findOrphans()).toEqual([]);
});

it("a clean-up in progress is not reported, and a directory without a process is removed", async () => {
  const started = await start();
  const { running, pids } = started;
  const [name = ""] = readdirSync(running.temporary).filter((each) => each.includes("postgres"));
  const record = readFileSync(join(running.temporary, name, OWNER_FILE), "utf8");
  process.kill(pids.reaper, "SIGSTOP");
  running.child.kill("SIGKILL");
  await waitUntilEnded(running);
  expect(await findOrphans()).toEqual([]);
  process.kill(pids.reaper, "SIGCONT");
  await running.nothingLeft();
  await reaperEnded(pids); // the reaper removes the directory before it ends, and nothing counts as left while it exists

  const path = join(running.temporary, name);
  mkdirSync(path);
  writeFileSync(join(path, OWNER_FILE), record);
  expect(await sweepOrphans()).toEqual([
    `PostgreSQL of a train-sim that was killed has left ${path}, which is removed now`,
  ]);
  expect(readdirSync(running.temporary)).toEqual([]);
});

it("a directory counts as left only if its owner has surely ended, even if the process id is in use again", async () => {
  const temporary = scratchDirectory();
  chmodSync(temporary, 0o755);
  vi.stubEnv("TMPDIR", temporary);
  const own = ownerRecord([process.pid]) ?? "";
  const leave = (name: string, record: string | undefined): void => {
    mkdirSync(join(temporary, name));
    if (record !== undefined) writeFileSync(join(temporary, name, OWNER_FILE), record);
  };
  const earlier = own.replace(/"startTicks":\d+/, '"startTicks":1');
  leave("train-sim-postgres-1-aa", own);
  leave("train-sim-postgres-1-bb", earlier);
  leave("train-sim-postgres-1-cc", earlier.replace(/"place":"/, '"place":"another boot '));
  leave("train-sim-postgres-1-dd", undefined);
  leave("train-sim-postgres-1-ee", "{}");
  leave("somebody-elses", earlier);
  expect((await findOrphans()).map(({ path }) => path)).toEqual([join(temporary, "train-sim-postgres-1-bb")]);
});
