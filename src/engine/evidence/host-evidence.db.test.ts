// The processor time of a server that train-sim starts, while its backends work and end.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { startEmbedded } from "../../targets/embedded/embedded.js";
import type { RunningTarget } from "../../targets/running-target.js";
import { HostSource } from "./host-evidence.js";

let target: RunningTarget;
let watcher: AdminClient;
beforeAll(async () => {
  target = await startEmbedded({ fsync: "off" }, { maxConnectionsNeeded: 5 });
  watcher = await connectAdmin(target.admin, { purpose: "watcher" });
});
afterAll(async () => {
  await watcher.close();
  await target.stop();
});

async function serverCpuMs(source: HostSource): Promise<number> {
  const { "host.serverCpuMs": ms } = await source.sample();
  if (ms === undefined) throw new Error("the server's processor time is not told");
  return ms;
}

/** Waits until the server no longer lists that backend: then the postmaster has waited for it. */
async function untilGone(pid: number): Promise<void> {
  const isThere = async (): Promise<boolean> =>
    (await watcher.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [pid])).length > 0;
  while (await isThere());
}

test("the server's CPU time grows with a backend's work and includes this work after the backend ended", async () => {
  const source = new HostSource(target, undefined);
  expect(source.skipped.map(({ source: name }) => name)).not.toContain("CPU of the server, disks");
  const before = await serverCpuMs(source);
  const worker = await connectAdmin(target.admin, { purpose: "worker" });
  const [row] = await worker.query("SELECT pg_backend_pid() AS pid");
  let worked = before;
  while (worked < before + 200) {
    await worker.query("SELECT sum(sqrt(g)) FROM generate_series(1, 500000) AS g");
    worked = await serverCpuMs(source);
  }
  await worker.close();
  await untilGone(Number(row?.["pid"]));
  expect(await serverCpuMs(source)).toBeGreaterThanOrEqual(worked);
});

test("CPU time of train-sim and of other programs is separate from the server's", async () => {
  const reading = await new HostSource(target, undefined).sample();
  expect(reading["host.clientCpuMs"]).toBeGreaterThan(0);
  expect(reading["host.otherCpuMs"]).toBeDefined();
  expect(reading).not.toHaveProperty("host.poolerCpuMs");
});
