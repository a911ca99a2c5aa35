// Time after which the job of a killed worker runs again in queues of other languages: the default in the source of the
// library, shown by moving the time of the claim in its own table, and `claim.lease`, waited for.
import { afterEach, expect, it } from "vitest";
import { ownMonotonicMs } from "../../src/foundation/clock.js";
import type { Start } from "../../src/workloads/jobs/adapters/protocol.js";
import { KilledJob } from "../support/killed-job.js";
import { ownDatabase } from "../support/own-database.js";
import { buildGo, installPython, queueFile } from "../support/queue-builds.js";

const database = ownDatabase("recovery");
let killed: KilledJob | undefined;
afterEach(async () => {
  await killed?.remove();
  killed = undefined;
});

const COMMANDS = {
  river: [buildGo("river")],
  oban: [installPython("oban", "3.12"), queueFile("oban/adapter.py")],
  procrastinate: [installPython("procrastinate"), queueFile("procrastinate/adapter.py")],
};

async function killIn(queue: keyof typeof COMMANDS, settings: Start["settings"] = {}): Promise<KilledJob> {
  killed = await KilledJob.make(COMMANDS[queue], database, { settings });
  return killed;
}

it.each([
  // River 0.51.2: internal/maintenance/job_rescuer.go:30 and 31, an hour and a search every 30 s.
  ["river", "river_job", "59 minutes", "60 minutes 1 second", 40_000],
  // Oban 0.7.0: oban/_lifeline.py:39 and 40, 300 s and a search every 60 s; oban/_leader.py:41, a leader's 30 s.
  ["oban", "oban_jobs", "290 seconds", "301 seconds", 130_000],
] as const)(
  "%s runs the job of a killed worker again after the default of its source",
  async (queue, table, tooEarly, late, searchedWithinMs) => {
    const job = await killIn(queue);
    const age = (interval: string): Promise<unknown> =>
      database.admin.query(
        `UPDATE ${job.schema}.${table} SET attempted_at = timezone('UTC', now()) - interval '${interval}'`,
      );
    await database.admin.query("SET timezone TO 'UTC'");
    await age(tooEarly);
    const worker = job.work();
    // Each search within that time finds the job younger than the default.
    const again = setInterval(() => void age(tooEarly), 1_000);
    expect(await job.startsWithin(worker, searchedWithinMs)).toBe(false);
    clearInterval(again);
    await age(late);
    expect(await job.startsWithin(worker, 100_000)).toBe(true);
  },
);

it("procrastinate never runs the job of a killed worker again at its defaults, and says so", async () => {
  const job = await killIn("procrastinate");
  const { caveat } = await job.work().event("ready");
  expect(caveat).toContain("stays in the state doing");
});

it.each([
  ["river", "RescueStuckJobsAfter 4s"],
  ["oban", "rescue_after 4 s"],
  ["procrastinate", "stalled_worker_timeout 4 s"],
] as const)("%s runs it again after claim.lease", async (queue, caveat) => {
  const job = await killIn(queue, { leaseMs: 4_000 });
  const killedMs = ownMonotonicMs();
  const worker = job.work();
  const { atMs } = await worker.event("started");
  expect(atMs - killedMs).toBeGreaterThan(queue === "procrastinate" ? 2_500 : 3_500);
  expect(atMs - killedMs).toBeLessThan(100_000);
  expect((await worker.event("ready")).caveat).toContain(caveat);
});
