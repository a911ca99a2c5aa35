// A real primary and two real standbys: replication, waits of commits, losses in a failover and in a split, and
// clean-up.
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterEach, expect, it } from "vitest";
import { connectAdmin, type AdminClient } from "../../database/postgres/admin.js";
import { monotonicMs } from "../../foundation/clock.js";
import { pauseProcesses } from "../../foundation/process/stand-still.js";
import { direct } from "../../pools/direct/direct.js";
import { casesOf, fullIt } from "../../../test/support/lanes.js";
import type { Endpoint } from "../../database/endpoint.js";
import type { Replication, RunningTarget } from "../running-target.js";
import { startEmbedded } from "./embedded.js";
import type { ReplicationLevel } from "./settings.js";

const started: RunningTarget[] = [];
const sessions: AdminClient[] = [];

type Replicated = RunningTarget & { readonly replication: Replication };

async function start(replication: ReplicationLevel, count = 2): Promise<Replicated> {
  const target = await startEmbedded({}, { maxConnectionsNeeded: 10, standbys: { count, replication } });
  started.push(target);
  return target as Replicated;
}

async function connect(endpoint: Endpoint): Promise<AdminClient> {
  const session = await connectAdmin(endpoint);
  sessions.push(session);
  return session;
}

const ids = async (session: AdminClient): Promise<unknown[]> =>
  (await session.query("SELECT id FROM t ORDER BY id")).map(({ id }) => id);

/** Sends SIGSTOP to all standbys. */
const stopStandbys = ({ replication }: Replicated) =>
  pauseProcesses(replication.standbyControls.flatMap((control) => control.processes().slice(0, 1)));

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  for (const target of started.splice(0)) await target.stop();
  const own = (await readdir(tmpdir())).filter((name) =>
    name.startsWith(`train-sim-postgres-${process.pid}-`),
  );
  expect(own).toEqual([]);
});

it("a failover of an async replica set loses only commits that the primary acknowledged without standbys", async () => {
  const target = await start("async");
  const primary = await connect(target.admin);
  await primary.query("CREATE TABLE t (id int)");
  await primary.query("INSERT INTO t VALUES (1)");
  const standby = await connect({ ...(target.endpoints[1] as Endpoint), takesWrites: false });
  await expect.poll(() => ids(standby).catch(() => [])).toEqual([1]);
  const still = await stopStandbys(target);
  const stoppedMs = monotonicMs();
  // More data than the sockets between the servers hold: the contents of the sockets still arrive.
  await primary.query("CREATE TABLE filler AS SELECT repeat('x', 1000) FROM generate_series(1, 50000)");
  await primary.query("INSERT INTO t VALUES (2)");

  const promotions: Endpoint[] = [];
  target.replication.onPromotion(async (endpoint) => void promotions.push(endpoint));
  const { old, promoted, lastCommitMs = Infinity, asExpected } = await target.replication.failOver("kill");
  await still.end();
  expect(promotions).toEqual([target.replication.primaryEndpoint]);
  expect([old, promoted]).toEqual(["server_1", expect.stringMatching(/server_[23]/)]);
  expect(lastCommitMs).toBeLessThan(stoppedMs);
  const after = await connect(target.admin);
  expect(after.endpoint.port).toBe(promotions[0]?.port);
  expect(await ids(after)).toEqual([1]);
  await after.query("INSERT INTO t VALUES (3)");
  await target.replication.heal();
  asExpected();
  const returned = await connect({ ...(target.endpoints[0] as Endpoint), takesWrites: false });
  await expect.poll(() => ids(returned)).toEqual([1, 3]);
  const [row] = await after.query(
    "SELECT count(*) AS standbys FROM pg_stat_replication WHERE state = 'streaming'",
  );
  expect(row).toEqual({ standbys: 2 });

  // A second failover, in which nothing is lost.
  await after.query("INSERT INTO t VALUES (4)");
  const second = await target.replication.failOver("shut-down");
  await target.replication.heal();
  second.asExpected();
  expect(await ids(await connect(target.admin))).toEqual([1, 3, 4]);
});

it.each(casesOf(["sync", "quorum", "remote-apply"] as const, 1))(
  "level %s acknowledges no commit while the standbys are stopped",
  async (level) => {
    const target = await start(level);
    const primary = await connect(target.admin);
    await primary.query("CREATE TABLE t (id int)");
    const still = await stopStandbys(target);
    let isAcknowledged = false;
    const insert = primary.query("INSERT INTO t VALUES (1)").then(() => (isAcknowledged = true));
    const other = await connect(target.admin);
    const waits = "SELECT count(*) AS waiting FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await expect.poll(() => other.query(waits)).toEqual([{ waiting: 1 }]);
    expect(isAcknowledged).toBe(false);
    await still.end();
    await insert;
    const { asExpected } = await target.replication.failOver("kill");
    expect(await ids(await connect({ ...target.admin }))).toEqual([1]);
    await target.replication.heal();
    asExpected();
  },
);

fullIt(
  "a split-brain keeps the old primary's open sessions writing, and the new primary lacks their rows",
  async () => {
    const { admin, endpoints, replication } = await start("async");
    const [first] = endpoints as [Endpoint];
    const old = await connect(admin);
    await old.query("CREATE TABLE t (id int)");
    await old.query("INSERT INTO t VALUES (1)");
    const { promoted, oldEndpoint, fence, asExpected } = await replication.split();
    expect([promoted, oldEndpoint]).toEqual([expect.stringMatching(/server_[23]/), 0]);
    expect(replication.standbyControls).toHaveLength(1);
    await old.query("INSERT INTO t VALUES (2)");
    await expect(connect(first)).rejects.toThrow(/it is starting up or shutting down/);
    const after = await connect(admin);
    await after.query("INSERT INTO t VALUES (3)");
    expect([await ids(old), await ids(after)]).toEqual([
      [1, 2],
      [1, 3],
    ]);
    await fence();
    await expect(old.query("SELECT 1")).rejects.toThrow(/lost the connection/);
    await replication.heal();
    expect(replication.standbyControls).toHaveLength(2);
    asExpected();
    const returned = await connect({ ...first, takesWrites: false });
    await expect.poll(() => ids(returned)).toEqual([1, 3]);
  },
);

fullIt("direct connections of clients lead to the primary, before and after a failover", async () => {
  const { endpoints, admin, replication } = await start("async", 1);
  const source = direct.source(
    { strategy: "direct", reconnect: "never" },
    {
      endpoints,
      clients: 2,
      clientsOfTrial: 2,
      firstClient: 0,
      workers: 1,
      workerIndex: 0,
      applicationName: "train-sim/test",
      prepared: false,
    },
  );
  const portsOf = async (): Promise<number[]> => {
    const leases = [await source.acquire(0), await source.acquire(1)];
    return leases.map(
      ({ connection }) =>
        endpoints[source.endpointOf(leases.findIndex((each) => each.connection === connection))]?.port ?? 0,
    );
  };
  const leadersPort = async (): Promise<number> => {
    const [row] = await (await connect(admin)).query("SHOW port");
    return Number(row?.["port"]);
  };
  await source.openConnections();
  const first = await leadersPort();
  expect(await portsOf()).toEqual([first, first]);
  const { asExpected } = await replication.failOver("kill");
  await replication.heal();
  asExpected();
  const second = await leadersPort();
  expect(second).not.toBe(first);
  await expect.poll(() => portsOf().catch(() => [])).toEqual([second, second]);
  await source.close();
});
