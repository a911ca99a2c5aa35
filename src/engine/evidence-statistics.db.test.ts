// Statistics that restart within a window, on a separate server, since the tests crash it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectAdmin, type AdminClient } from "../database/postgres/admin.js";
import { eventOperations } from "../workloads/train-events/stores/operations.js";
import { postgres } from "../database/postgres/dialects/postgres/dialect.js";
import { resetNamespace } from "../../test/support/namespace.js";
import { sampledIn } from "../workloads/tables.js";
import { DatabaseSampler } from "../database/postgres/evidence/sampler.js";
import type { EvidenceReading } from "../database/evidence.js";
import { EventBatch } from "../workloads/train-events/model/event-batch.js";
import { startEmbedded } from "../targets/embedded/embedded.js";
import type { RunningTarget } from "../targets/running-target.js";
import { makeBatch } from "../../test/support/make-batch.js";
import { PgConnection } from "../database/postgres/connection.js";
import { WindowSums } from "./evidence/window-sums.js";
import { trainEvents } from "../workloads/train-events/workload.js";

const namespace = "n";
const EVENTS = 5;
/** Minimum value of pg_stat_statements.max that the server accepts. */
const ROOM = 100;
const workload = eventOperations({
  dialect: "postgres",
  namespace,
  payload: "text",
  statementShape: "set-based",
  locking: "skip-locked",
  isolation: "read committed",
});

let target: RunningTarget;
let admin: AdminClient;
let sampler: DatabaseSampler;
beforeAll(async () => {
  target = await startEmbedded({ "pg_stat_statements.max": String(ROOM) }, { maxConnectionsNeeded: 8 });
  admin = await connectAdmin(target.admin, { reopensLostSession: true });
});
beforeEach(async () => {
  await resetNamespace(admin, { namespace, payload: "text" });
  sampler = new DatabaseSampler({
    endpoint: target.admin,
    dialect: postgres,
    workload: sampledIn(trainEvents, "postgres", namespace),
    isOwnServer: true,
  });
  await sampler.open();
  return () => sampler.close();
});
afterAll(async () => {
  await admin.close();
  await target.stop();
});

async function addEvents(seed: number): Promise<void> {
  const connection = new PgConnection({
    endpoint: target.admin,
    applicationName: "train-sim/producers",
    prepared: false,
  });
  await workload.add(EventBatch.of(makeBatch(EVENTS, seed)))(await connection.connect());
  await connection.end();
}

/** Runs more statements of another program than the server has room for, each once. */
async function crowd(): Promise<void> {
  for (let columns = 1; columns <= 2 * ROOM; columns++)
    await admin.query(`SELECT ${Array.from({ length: columns }, (_, i) => `${i} AS c${i}`).join(", ")}`);
}

/** Ends one session as the kernel would: the server ends all others and recovers. */
async function crash(): Promise<void> {
  const [row] = await admin.query("SELECT pg_backend_pid() AS pid");
  process.kill(Number(row?.pid), "SIGKILL");
  while ((await admin.query("SELECT 1").catch(() => [])).length === 0);
}

/** Samples until the server answers; resolves to that sample. */
async function sample(): Promise<EvidenceReading> {
  for (;;) {
    const metrics = await sampler.sample().catch(() => undefined);
    if (metrics) return metrics;
  }
}

describe("statistics that restart within a window", () => {
  it("include the workload's statements if only foreign statements were discarded, and state the discard", async () => {
    await addEvents(1);
    await sampler.openWindow();
    await addEvents(2);
    await crowd();
    await addEvents(3);
    const { statements: found } = await sampler.closeWindow(workload.statements);
    expect(found?.map(({ name }) => name)).toEqual(expect.arrayContaining(["add.events", "add.status"]));
    expect(sampler.skipped.find(({ source }) => source === "pg_stat_statements")?.reason).toMatch(
      /^it discarded entries in the window/,
    );
  });

  it("have no statements and no totals of counters that a crash reset", async () => {
    await addEvents(1);
    const sums = new WindowSums();
    await sampler.openWindow();
    sums.open(await sampler.sample(), 0);
    await crash();
    await addEvents(2);
    sums.close(await sample());
    expect((await sampler.closeWindow(workload.statements)).statements).toBeUndefined();
    expect(sampler.skipped.find(({ source }) => source === "pg_stat_statements")?.reason).toMatch(
      /^its statistics were reset in the window/,
    );
    expect(sums.total("wal.bytes")).toBeGreaterThan(0);
    expect(sums.restarted).toContain("checkpoints.done");
    expect(sums.restarted).toContain("tuples.inserted");
  });
});
