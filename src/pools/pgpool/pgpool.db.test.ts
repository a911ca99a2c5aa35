// Real Pgpool-IIs: the end of their processes and directories, their statistics, and whole runs through managed and
// external ones.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, expect, inject, it, vi } from "vitest";
import { fullIt } from "../../../test/support/lanes.js";
import type { Endpoint } from "../../database/endpoint.js";
import { connectAdmin } from "../../database/postgres/admin.js";
import { processTree } from "../../foundation/machine-usage.js";
import { POOLER_SESSION_KEY } from "../../engine/evidence/evidence-source.js";
import { PoolerSource } from "../../engine/evidence/pooler-evidence.js";
import { ownDatabase } from "../../../test/support/own-database.js";
import { poolerEnv } from "../../../test/support/poolers.js";
import { urlOf } from "../../../test/support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  trainSim,
  writeScenarioFile,
} from "../../../test/support/train-sim.js";
import { pgpoolKind } from "./pgpool.js";
import { externalPooler, startPoolers } from "../managed.js";
import type { RunningPooler } from "../running-pooler.js";

const POOL = { strategy: "pgpool", reconnect: "never", size: 3, instances: 1, urls: [] } as const;
const kind = pgpoolKind;
const own = ownDatabase("pgpool");

const started: RunningPooler[] = [];
async function start(upstreams: readonly Endpoint[] = [own.endpoint]): Promise<RunningPooler> {
  const pooler = await startPoolers(
    kind,
    { ...POOL, maxClientConnections: 9 },
    upstreams,
    poolerEnv("pgpool"),
  );
  started.push(pooler);
  return pooler;
}
const ownDirectories = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`train-sim-pgpool-${process.pid}-`));

afterEach(async () => {
  for (const pooler of started.splice(0)) await pooler.stop();
  expect((await ownDirectories()).length).toBe(0);
});

it("Pgpool-II stops at once while a client is connected, and leaves no process or directory", async () => {
  const pooler = await start();
  expect(pooler.version).toMatch(/^4\./);
  expect(await pooler.askVersion()).toBe(pooler.version);
  const client = await connectAdmin(pooler.endpoints[0] as Endpoint, { purpose: "control" });
  expect(await ownDirectories()).toHaveLength(1);
  await pooler.stop();
  await client.close();
  await expect(connectAdmin(pooler.endpoints[0] as Endpoint, { purpose: "control" })).rejects.toThrow(
    /nothing listens/,
  );
});

it("Pgpool-II is reported when it ends on its own, and its child processes end too", async () => {
  const pooler = await start();
  const [pid = 0] = pooler.pids;
  const processes = processTree(pid);
  expect(processes.length).toBeGreaterThan(3);
  process.kill(pid, "SIGKILL");
  await expect(pooler.lost).resolves.toMatch(/Pgpool-II at 127.0.0.1:\d+ ended on its own \(SIGKILL\)/);
  await vi.waitFor(() => expect(processes.flatMap(processTree)).toEqual([]), { timeout: 200_000 });
});

it("Pgpool-II refuses a wrong password", async () => {
  const [endpoint] = (await start()).endpoints as [Endpoint];
  await expect(connectAdmin({ ...endpoint, password: "wrong" }, { purpose: "control" })).rejects.toThrow();
});

it("Pgpool-II reports its processes without its own session", async () => {
  const pooler = await start();
  const source = new PoolerSource(pooler);
  try {
    await source.prepare();
    expect(source.skipped).toEqual([]);
    const client = await connectAdmin(pooler.endpoints[0] as Endpoint, { purpose: "control" });
    await client.query("BEGIN");
    expect(await source.sample()).toEqual({
      "pooler.clientsActive": 1,
      "pooler.serversActive": 1,
      "pooler.serversIdle": 0,
      [POOLER_SESSION_KEY]: 1,
    });
    await client.query("COMMIT");
    const idle = { "pooler.clientsActive": 1, "pooler.serversActive": 0 };
    await expect.poll(() => source.sample(), { timeout: 200_000 }).toMatchObject(idle); // the pooler notices a moment later
    await client.close();
    const statistics = await pooler.statistics(1000);
    expect(await statistics.serversMax()).toBe(POOL.size);
    await statistics.close();
  } finally {
    await source.close();
  }
});

fullIt("carries whole trials, managed and as one of the user's own, and says which it was", async () => {
  const { endpoints } = await start();
  const [mine] = endpoints as [Endpoint];
  const yaml = `name: pgpool
target: ${urlOf(own.endpoint)}
namespace: pgpool_runs
topology: cycle
actors: { cycle: { clients: 3 } }
trials: 1
trial: { warmUp: 0s, duration: 2s, drain: 5s }
factors:
  pool:
    - { strategy: pgpool, size: 3 }
    - { strategy: pgpool, size: 2, reconnect: per-transaction }
    - { strategy: pgpool, size: 3, url: ${urlOf(mine)}, adminUrl: ${urlOf(mine)} }
`;
  const out = scratchDirectory();
  const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], { env: poolerEnv("pgpool") });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  expect(result.environment.versions["Pgpool-II"]).toMatch(/^4\./);
  expect(result.treatments).toHaveLength(3);
  for (const { trials } of result.treatments) {
    expect(trials[0]?.status).toBe("complete");
    expect(trials[0]?.database.pooler).toMatchObject({ product: "Pgpool-II" });
  }
});

fullIt("suffers the faults of a pooler, with its clients and without loss", async () => {
  const yaml = `name: pgpool-faults
target: ${urlOf(own.endpoint)}
namespace: pgpool_faults
topology: cycle
actors: { cycle: { clients: 4, load: { thinkTime: 20ms } } }
pool: { strategy: pgpool, size: 4, instances: 2 }
trials: 1
trial: { warmUp: 0s, duration: 12s, drain: 20s }
diagnosis: { ceiling: false }
faults:
  - { at: 1s, kind: pooler-restart, instance: 1, for: 500ms }
  - { at: 4s, kind: pooler-kill, for: 500ms }
  - { at: 7s, kind: process-stop, process: pooler, for: 500ms }
  - { at: 10s, kind: network-reset, between: pooler }
`;
  const out = scratchDirectory();
  const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], { env: poolerEnv("pgpool") });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "complete", integrity: { lost: 0, duplicated: 0 } });
  expect(trial?.faults?.map(({ words }) => words)).toEqual([
    "stopped Pgpool-II 1 and started it again",
    "killed 2 Pgpool-IIs and started them again",
    expect.stringMatching(/^stopped \d+ processes of Pgpool-II$/),
    expect.stringMatching(/^reset \d+ connections of Pgpool-II to the server$/),
  ]);
  expect(trial?.faults?.every(({ clearedAtSeconds }) => clearedAtSeconds !== null)).toBe(true);
});

it("an unreachable external Pgpool-II is reported with its address", async () => {
  const pooler = externalPooler(kind, {
    ...POOL,
    urls: [{ url: "postgresql://u@127.0.0.1:1/d", weight: 1 }],
  });
  const source = new PoolerSource(pooler);
  expect(await source.sample()).toEqual({});
  expect(source.skipped[0]).toMatchObject({ source: "Pgpool-II" });
  expect(inject("adminEndpoint").port).not.toBe(1);
});
