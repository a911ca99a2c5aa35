// The sampler on a real server, in a separate database, so that no foreign sessions are among those it counts. Each test
// causes what the sampler must find, and samples until it is found.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EventBatch } from "../../../workloads/train-events/model/event-batch.js";
import { generateSecret } from "../../../foundation/prng.js";
import { makeBatch } from "../../../../test/support/make-batch.js";
import { resetNamespace, testNamespace } from "../../../../test/support/namespace.js";
import { ownDatabase } from "../../../../test/support/own-database.js";
import type { AdminClient } from "../admin.js";
import { PgConnection } from "../connection.js";
import { eventOperations } from "../../../workloads/train-events/stores/operations.js";
import { postgres } from "../dialects/postgres/dialect.js";
import { sampledIn } from "../../../workloads/tables.js";
import { POSTGRES_SAMPLER } from "./postgres-views.js";
import { DatabaseSampler } from "./sampler.js";
import type { EvidenceReading } from "../../evidence.js";
import { trainEvents } from "../../../workloads/train-events/workload.js";

const own = ownDatabase("sampled");
const { endpoint } = own;
const namespace = "n";
const workload = eventOperations({
  dialect: "postgres",
  namespace,
  payload: "jsonb",
  statementShape: "set-based",
  locking: "skip-locked",
  isolation: "read committed",
});
const EVENTS = 20;

let admin: AdminClient;
beforeAll(() => {
  admin = own.admin;
});

const opened: PgConnection[] = [];
const samplers: DatabaseSampler[] = [];
beforeEach(async () => {
  await resetNamespace(admin, { namespace, payload: "jsonb" });
});
afterEach(async () => {
  await Promise.all([
    ...opened.splice(0).map((session) => session.end()),
    ...samplers.splice(0).map((s) => s.close()),
  ]);
});

async function session(applicationName = "train-sim/consumers"): Promise<PgConnection> {
  const connection = await new PgConnection({ endpoint, applicationName, prepared: false }).connect();
  opened.push(connection);
  return connection;
}

async function samplerOf(
  changes: Partial<ConstructorParameters<typeof DatabaseSampler>[0]> = {},
): Promise<DatabaseSampler> {
  const sampler = new DatabaseSampler({
    endpoint,
    dialect: postgres,
    workload: sampledIn(trainEvents, "postgres", namespace),
    isOwnServer: true,
    ...changes,
  });
  samplers.push(sampler);
  await sampler.open();
  return sampler;
}

/** Samples until the condition holds: the server shows the work of a session a moment later. */
async function until(
  sampler: DatabaseSampler,
  holds: (metrics: EvidenceReading) => boolean,
): Promise<EvidenceReading> {
  for (;;) {
    const metrics = await sampler.sample();
    if (holds(metrics)) return metrics;
  }
}

/** Skipped sources, except for a queue that was counted less often because the machine is busy. */
function skippedBy(sampler: DatabaseSampler): DatabaseSampler["skipped"] {
  return sampler.skipped.filter(({ reason }) => !reason.startsWith("not read every second"));
}

/** Adds events; resolves to their ids. */
async function addEvents(connection: PgConnection): Promise<string[]> {
  const batch = makeBatch(EVENTS, 1);
  await workload.add(EventBatch.of(batch))(connection);
  return batch.map(({ id }) => id);
}

const touch = (connection: PgConnection, id: string | undefined): Promise<unknown> =>
  connection.query(`UPDATE n.event_status SET attempts = attempts + 1 WHERE event_id = '${id ?? ""}'`);

/** Makes the session report its work so far to the server. */
const report = (reader: PgConnection): Promise<unknown> => reader.query("SELECT pg_stat_force_next_flush()");

describe("scan counts of a window", () => {
  it("include the workload's tables and indexes", async () => {
    const sampler = await samplerOf();
    const reader = await session();
    await addEvents(reader);
    await report(reader);
    await sampler.openWindow();
    await reader.query("SET enable_seqscan = off");
    await reader.query("SELECT * FROM n.events WHERE id = '00000000-0000-0000-0000-000000000000'");
    await reader.query("SELECT pg_stat_force_next_flush(); RESET enable_seqscan");
    await reader.query("SELECT * FROM n.events; SELECT * FROM n.events");
    await report(reader);
    // The counts include the sampler's own reads of the queue, sooner or later.
    const { scans } = await sampler.closeWindow([]);
    expect(scans?.filter(({ name }) => name.startsWith("events"))).toEqual([
      { name: "events", kind: "table", scans: 2 },
      { name: "events_pkey", kind: "index", scans: 1 },
    ]);
  });

  it("are unknown if the server's counts were reset within the window", async () => {
    const sampler = await samplerOf();
    const reader = await session();
    await reader.query("SELECT * FROM n.events");
    await report(reader);
    await sampler.openWindow();
    await admin.query("SELECT pg_stat_reset()");
    // More scans than before: the counts alone would not show the reset.
    await reader.query("SELECT * FROM n.events; SELECT * FROM n.events; SELECT * FROM n.events");
    await report(reader);
    expect(await sampler.closeWindow([])).toMatchObject({ scans: undefined });
  });
});

describe("definitions of the workload's tables", () => {
  const PARTED = { workload: { tables: { parted: "aside.parted" }, loadNames: [], groups: [] } };
  beforeEach(async () => {
    await admin.query(`CREATE SCHEMA aside; CREATE TABLE aside.parted (id int PRIMARY KEY) PARTITION BY RANGE (id);
      CREATE TABLE aside.first PARTITION OF aside.parted FOR VALUES FROM (0) TO (10);
      CREATE TABLE aside.second PARTITION OF aside.parted FOR VALUES FROM (10) TO (20)`);
  });
  afterEach(async () => {
    await admin.query("DROP SCHEMA aside CASCADE");
  });

  it("are unchanged if rows change and partitions are attached or detached", async () => {
    const sampler = await samplerOf({ ...PARTED });
    await sampler.openWindow();
    await admin.query(`INSERT INTO aside.parted VALUES (1), (11); ANALYZE aside.parted; DROP TABLE aside.first;
      CREATE TABLE aside.third PARTITION OF aside.parted FOR VALUES FROM (20) TO (30)`);
    expect(await sampler.closeWindow([])).toMatchObject({ tableChanges: [] });
  });

  it("include each changed column, index, constraint, trigger, option and storage", async () => {
    const sampler = await samplerOf();
    await admin.query("CREATE INDEX soon_gone ON n.event_status (attempts)");
    await sampler.openWindow();
    await admin.query(`DROP INDEX n.soon_gone; CREATE INDEX added ON n.event_status (attempts DESC);
      ALTER TABLE n.event_status ALTER COLUMN attempts TYPE bigint; ALTER TABLE n.event_status SET (fillfactor = 50, autovacuum_enabled = off);
      ALTER TABLE n.event_status ADD CONSTRAINT few CHECK (attempts < 1000000) NOT VALID;
      ALTER TABLE n.events ALTER COLUMN payload SET STORAGE EXTERNAL;
      CREATE TRIGGER slow BEFORE UPDATE ON n.event_status FOR EACH ROW
        EXECUTE FUNCTION suppress_redundant_updates_trigger();
      ALTER TABLE n.events_archive SET UNLOGGED`);
    const { tableChanges } = await sampler.closeWindow([]);
    const found = new Map(tableChanges?.map((change) => [change.part, change]));
    expect([...found.keys()].sort()).toEqual([
      "column n.event_status.attempts",
      "column n.events.payload",
      "constraint few",
      "index added",
      "index events_archive_pkey",
      "index soon_gone",
      "table n.event_status",
      "table n.events_archive",
      "trigger slow",
    ]);
    expect(found.get("index added")).toMatchObject({ table: "n.event_status", before: null });
    expect(found.get("index soon_gone")).toMatchObject({ after: null });
    expect(found.get("column n.event_status.attempts")?.before).toMatch(/^(integer|smallint), not null/);
    expect(found.get("column n.event_status.attempts")?.after).toMatch(/^bigint, not null/);
    expect(found.get("table n.event_status")?.after).toContain("fillfactor=50, autovacuum_enabled=off");
    expect(found.get("table n.events_archive")?.after).toContain("unlogged");
  });

  it("include the partitions of a table", async () => {
    const sampler = await samplerOf({ ...PARTED });
    await sampler.openWindow();
    await admin.query("ALTER TABLE aside.first SET (fillfactor = 70)");
    const { tableChanges } = await sampler.closeWindow([]);
    expect(tableChanges).toMatchObject([{ part: "table aside.first", table: "aside.first" }]);
  });
});

describe("a superuser's sampler", () => {
  it("reads every metric of this server's version, and skips none", async () => {
    const sampler = await samplerOf();
    const producer = await session();
    await addEvents(producer);
    await producer.end(); // reports its counts
    await session(); // foreign sessions are recognised only if the load has sessions
    const metrics = await until(
      sampler,
      (seen) => Number(seen["tuples.inserted"]) >= 2 * EVENTS && "queue.pending" in seen,
    );
    const given = POSTGRES_SAMPLER.groups
      .flatMap(({ views }) => views)
      .flatMap(({ metricNames }) => metricNames);
    expect(given.filter((metric) => metrics[metric] === undefined)).toEqual([]);
    expect(Object.entries(metrics).filter(([, value]) => !Number.isFinite(value) || value < 0)).toEqual([]);
    expect(skippedBy(sampler)).toEqual([]);
    expect(metrics).toMatchObject({ "queue.pending": EVENTS, "queue.processing": 0, "queue.complete": 0 });
    expect(metrics["queue.oldestPendingMs"]).toBeGreaterThan(0);
    expect(metrics["size.indexBytes"]).toBeGreaterThan(0);
  });

  it("counts sessions of the load by state, without other sessions of train-sim", async () => {
    const sampler = await samplerOf();
    for (const name of ["train-sim/admin", "train-sim/watch", "train-sim/sampler", "psql"])
      await session(name);
    await (await session("train-sim")).query("BEGIN"); // the same as through a pooler
    await session("train-sim/producers");
    const holder = await session("psql");
    await holder.query("SELECT pg_advisory_lock(7)");
    const waiting = (await session("train-sim/archivers")).query("SELECT pg_advisory_lock(7)");
    const metrics = await until(sampler, (seen) => seen["wait.Lock:advisory"] === 1);
    expect(metrics).toMatchObject({
      "sessions.active": 1,
      "sessions.idleInTransaction": 1,
      "sessions.idle": 1,
      "locks.blocked": 1,
      "locks.longestChain": 1,
    });
    await holder.query("SELECT pg_advisory_unlock(7)");
    await waiting;
  });

  it("finds blocked sessions and the longest chain of locks", async () => {
    const sampler = await samplerOf();
    const sessions = [await session(), await session(), await session(), await session()];
    const [holder] = sessions;
    if (!holder) throw new Error("no session");
    const ids = await addEvents(holder);
    for (const [i, each] of sessions.entries()) {
      await each.query("BEGIN");
      await touch(each, ids[i]);
    }
    // Each of the other sessions now wants the row of the session before it.
    const waiting = sessions.slice(1).map((each, i) => touch(each, ids[i]));
    const metrics = await until(sampler, (seen) => seen["locks.blocked"] === 3);
    expect(metrics).toMatchObject({
      "locks.longestChain": 3,
      "wait.Lock:transactionid": 3,
      "sessions.active": 3,
    });
    for (const [i, each] of sessions.entries()) {
      await each.query("COMMIT");
      await waiting[i];
    }
    expect(await until(sampler, (seen) => seen["locks.blocked"] === 0)).toMatchObject({
      "locks.longestChain": 0,
    });
  });

  it("counts blocked sessions while a table is locked, and names the views that cannot be read", async () => {
    const sampler = await samplerOf();
    const holder = await session("psql");
    await holder.query("BEGIN; LOCK TABLE n.event_status");
    const waiter = (await session()).query("SELECT count(*) FROM n.event_status");
    const metrics = await until(sampler, (seen) => seen["wait.Lock:relation"] === 1);
    expect(metrics).toMatchObject({ "locks.blocked": 1, "locks.longestChain": 1 });
    expect(Object.keys(metrics).filter((name) => /^(queue|size)\./.test(name))).toEqual([]);
    // The queue is not read in every sample.
    await until(sampler, () => skippedBy(sampler).length === 2);
    await holder.query("COMMIT");
    await waiter;
    expect((await until(sampler, (seen) => "queue.pending" in seen))["size.tableBytes"]).toBeDefined();
    expect(skippedBy(sampler).map(({ source }) => source)).toEqual(["sizes", "queue depth"]);
    expect(skippedBy(sampler)[0]?.reason).toMatch(
      /^not read in \d+ samples?: canceling statement due to lock timeout/,
    );
  });

  it("measures the age of the oldest open snapshot", async () => {
    const sampler = await samplerOf();
    expect(await until(sampler, (seen) => seen["xmin.oldestTransactionMs"] === 0)).toMatchObject({
      "xmin.ageTransactions": 0,
    });
    const reader = await session("psql");
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM n.events");
    for (let i = 0; i < 30; i++) await admin.query("SELECT pg_current_xact_id()");
    const pinned = await sampler.sample();
    expect(pinned["xmin.ageTransactions"]).toBeGreaterThanOrEqual(30);
    expect(pinned["xmin.oldestTransactionMs"]).toBeGreaterThan(0);
    await reader.query("COMMIT");
    await until(
      sampler,
      (seen) => seen["xmin.ageTransactions"] === 0 && seen["xmin.oldestTransactionMs"] === 0,
    );
  });

  it("counts two transactions for the start of a parallel worker, besides the query's", async () => {
    const sampler = await samplerOf();
    const reader = await session();
    await report(reader);
    const before = await sampler.sample();
    const grownBy = (seen: EvidenceReading, name: string): number => (seen[name] ?? 0) - (before[name] ?? 0);
    await reader.query("SET debug_parallel_query = on");
    const queries = 50;
    for (let i = 0; i < queries; i++) await reader.query("SELECT count(*) FROM n.events");
    await report(reader);
    const after = await until(sampler, (seen) => grownBy(seen, "transactions.logins") === 2 * queries);
    // The sampler's own transactions are a few.
    const commits = grownBy(after, "transactions.commits") - grownBy(after, "transactions.logins");
    expect(commits).toBeGreaterThanOrEqual(queries);
    expect(commits).toBeLessThan(2 * queries);
  });

  it("leaves out the transaction by which a run claims its schema", async () => {
    const sampler = await samplerOf();
    await until(sampler, (seen) => seen["xmin.oldestTransactionMs"] === 0);
    const claim = await session("train-sim/claim/0a1b2c3d");
    await claim.query("BEGIN; SELECT pg_advisory_xact_lock(1)");
    expect(await sampler.sample()).toMatchObject({
      "xmin.oldestTransactionMs": 0,
      "xmin.ageTransactions": 0,
    });
    await claim.query("COMMIT");
  });

  it("counts pending pages of an inverted index", async () => {
    await admin.query("ALTER TABLE n.events SET (autovacuum_enabled = off)");
    const sampler = await samplerOf();
    expect((await sampler.sample())["gin.pendingPages"]).toBe(0);
    await addEvents(await session());
    expect((await sampler.sample())["gin.pendingPages"]).toBeGreaterThan(0);
    await admin.query("VACUUM n.events");
    expect((await sampler.sample())["gin.pendingPages"]).toBe(0);
  });

  it("has no metric of pending pages without an inverted index, and skips nothing", async () => {
    await resetNamespace(admin, { namespace, payload: "text" });
    const sampler = await samplerOf();
    expect(await sampler.sample()).not.toHaveProperty("gin.pendingPages");
    expect(skippedBy(sampler)).toEqual([]);
  });

  it("measures each statement of the workload, without its own statements", async () => {
    const sampler = await samplerOf();
    const connection = await session();
    await sampler.openWindow();
    await addEvents(connection);
    await sampler.sample();
    const { statements: found } = await sampler.closeWindow(workload.statements);
    expect(found?.map(({ name, calls, rows }) => [name, calls, rows]).sort()).toEqual([
      ["add.events", 1, EVENTS],
      ["add.status", 1, EVENTS],
    ]);
    for (const { walBytes, blocksDirtied } of found ?? []) {
      expect(walBytes).toBeGreaterThan(0);
      expect(blocksDirtied).toBeGreaterThan(0);
    }
  });

  it("reconnects after its connection was lost, and misses one sample", async () => {
    const sampler = await samplerOf();
    await admin.query(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'train-sim/sampler'",
      [endpoint.database],
    );
    await expect(sampler.sample()).rejects.toThrow(/lost the connection|terminat/i);
    expect((await sampler.sample())["sessions.active"]).toBe(0);
  });

  it("refuses a sample after it is closed", async () => {
    const sampler = await samplerOf();
    await sampler.close();
    await expect(sampler.sample()).rejects.toThrow("the session is closed");
  });

  it("leaves no connection if it is closed while it connects", async () => {
    const sampler = new DatabaseSampler({
      endpoint,
      dialect: postgres,
      workload: sampledIn(trainEvents, "postgres", namespace),
      isOwnServer: true,
    });
    const opening = sampler.open().catch(() => undefined);
    await sampler.close();
    await opening;
    const remainingSessions = (): Promise<unknown[]> =>
      admin.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'train-sim/sampler'");
    // The server may need time to notice; a session that was left behind never goes.
    while ((await remainingSessions()).length > 0);
    await expect(sampler.sample()).rejects.toThrow("closed");
  });
});

describe("the sampler of a role without rights", () => {
  const role = testNamespace("role");
  const password = generateSecret();
  beforeAll(() => admin.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`));
  afterAll(async () => {
    await admin.query(`DROP OWNED BY ${role}`);
    await admin.query(`DROP ROLE ${role}`);
  });

  it("reads permitted views and names each of the others once", async () => {
    await admin.query("CREATE EXTENSION IF NOT EXISTS pgstattuple");
    await admin.query(`GRANT USAGE ON SCHEMA n TO ${role}; GRANT SELECT ON n.events TO ${role}`);
    await session();
    const sampler = await samplerOf({ endpoint: { ...endpoint, user: role, password }, isOwnServer: false });
    await sampler.sample();
    const metrics = await sampler.sample();
    const reasons = new Map(sampler.skipped.map(({ source, reason }) => [source, reason]));
    expect(reasons.get("queue depth")).toContain("permission denied for table event_status");
    expect(reasons.get("pgstatginindex")).toContain("permission denied for function pgstatginindex");
    const hidden = sampler.skipped.filter(({ source }) => source === "pg_stat_activity");
    expect(hidden.map(({ reason }) => /GRANT pg_monitor/.test(reason))).toEqual([true, true]);
    expect(reasons.get("pg_stat_activity (other sessions)")).toContain("GRANT pg_monitor");
    expect(skippedBy(sampler)).toHaveLength(5);
    expect(metrics["foreign.active"]).toBeUndefined();
    expect(Object.keys(metrics).filter((name) => /^(sessions|wait|locks|queue|gin)\./.test(name))).toEqual(
      [],
    );
    expect(metrics["wal.bytes"]).toBeGreaterThan(0);
    expect(metrics["size.tableBytes"]).toBeDefined();
    expect(metrics["xmin.ageTransactions"]).toBeDefined();
  });

  it("sees the state of sessions of the same role", async () => {
    await admin.query(`GRANT USAGE ON SCHEMA n TO ${role}`);
    const own = { ...endpoint, user: role, password };
    const sampler = await samplerOf({ endpoint: own, isOwnServer: false });
    opened.push(
      await new PgConnection({
        endpoint: own,
        applicationName: "train-sim/consumers",
        prepared: false,
      }).connect(),
    );
    expect(await until(sampler, (seen) => seen["sessions.idle"] === 1)).toMatchObject({
      "sessions.active": 0,
    });
  });
});
