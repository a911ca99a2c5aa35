// Sessions of a load on a real server, in a separate database, so that no foreign sessions are among them: one at work, one
// that waits for a lock, one that does nothing, one that is not of a load.
import { expect, it } from "vitest";
import { ownDatabase } from "../../../test/support/own-database.js";
import { connectAdmin, type AdminClient } from "./admin.js";
import { sessions } from "./sessions.js";
import type { WorkingSessions } from "../contract.js";
import { loadApplicationNames } from "../../workloads/tables.js";
import { trainEvents } from "../../workloads/train-events/workload.js";

const LOAD_NAMES = loadApplicationNames(trainEvents);

const own = ownDatabase("at_work");

/** Asks until the condition holds: the server shows the work of a session a moment later. */
async function until(holds: (seen: WorkingSessions) => boolean): Promise<WorkingSessions> {
  for (;;) {
    const seen = await sessions.readWorkingSessions(own.admin, "postgres", LOAD_NAMES);
    if (seen && holds(seen)) return seen;
  }
}

it("the count of working sessions leaves out waiting, idle and foreign sessions", async () => {
  const open = (purpose: string): Promise<AdminClient> => connectAdmin(own.endpoint, { purpose });
  const [holder, worker, waiter, stranger] = await Promise.all(
    ["producers", "consumers", "archivers", "watch"].map(open),
  );
  if (!holder || !worker || !waiter || !stranger) throw new Error("all of them were opened");
  await holder.query("SELECT pg_advisory_lock(1)");
  expect(await sessions.listProcessIds(own.admin, LOAD_NAMES)).toHaveLength(3);
  expect((await sessions.readWorkingSessions(own.admin, "postgres", LOAD_NAMES))?.count).toBe(3); // each session has just run a statement
  expect(await until(({ count }) => count === 0)).toEqual({ count: 0, oldestSeconds: 0, waits: "" });

  const waiting = waiter.query("SELECT pg_advisory_lock(1)");
  const asleep = Promise.allSettled([worker, stranger].map((client) => client.query("SELECT pg_sleep(600)")));
  await until(({ count, waits }) => count === 1 && waits === "Timeout:PgSleep");
  const seen = await until(({ oldestSeconds }) => oldestSeconds > 1.1);
  expect(seen).toMatchObject({ count: 1, waits: "Timeout:PgSleep" });

  await own.admin.query(
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)'",
  );
  expect((await asleep).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await until(({ count }) => count === 0);
  await holder.close();
  await waiting;
  await Promise.all([worker, waiter, stranger].map((client) => client.close()));
});

it("working sessions are unknown on a server that does not report them", async () => {
  for (const name of ["cockroachdb", "dsql"] as const)
    expect(await sessions.readWorkingSessions(own.admin, name, LOAD_NAMES)).toBeUndefined();
});
