// Known answer: a standby is promoted, and the old primary goes on for half of the sessions until it is killed.
// Asynchronous replication loses exactly the events that the old one acknowledged meanwhile; with synchronous replication
// it acknowledges nothing. A stranger's deletion on the new primary is found, although the old one may explain any number
// of losses.
import { expect, it } from "vitest";
import { systemClock } from "../../src/foundation/clock.js";
import type { AdminClient } from "../../src/database/postgres/admin.js";
import {
  acknowledgedBatches,
  LOSS_ALLOWED,
  lostOneUnexplained,
  startLossyRun,
  trialOf,
} from "../support/lossy-run.js";
import { ALL_IDS, connectPrimary, eventsOnPrimary } from "../support/primary.js";
import { onlyResultIn, outputMatch, trainSim, type Started } from "../support/train-sim.js";

const startSplit = (more: string, target = ""): ReturnType<typeof startLossyRun> =>
  startLossyRun({
    target: `standbys: 2${target}`,
    seconds: 12,
    faults: "{ at: 2s, kind: split-brain, for: 3s }",
    more,
  });

it("a split brain loses exactly the events that the old primary acknowledged after the promotion", async () => {
  const { started, out } = startSplit(LOSS_ALLOWED);
  await outputMatch(started, /fault split-brain at \d+\.\d s is over/);
  const there = await eventsOnPrimary(started);
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const { integrity, faults: [fault] = [] } = trialOf(result);
  expect(integrity).toMatchObject({ verdict: "ok", violations: [], unexplained: 0, torn: 0 });
  expect(integrity?.losses?.map(({ operation }) => operation)).toContain("add");
  expect(integrity?.losses?.every(({ unexplained }) => unexplained === 0)).toBe(true);
  expect(fault?.words).toMatch(
    /^promoted server_[23], which had the log of server_1 up to 0\/\w+; 5 of 8 sessions of the load stayed with server_1/,
  );
  expect(fault?.mayLose?.endpoint).toBe(0);

  const batches = acknowledgedBatches(directory);
  const firstElsewhereMs = Math.min(...batches.flatMap(({ endpoint, atMs }) => (endpoint > 0 ? [atMs] : [])));
  // Events that only the old primary has: it acknowledged them after the first acknowledgement of the new primary.
  const alone = batches.filter(({ endpoint, atMs }) => endpoint === 0 && atMs > firstElsewhereMs);
  expect(alone.length).toBeGreaterThan(10);
  expect(alone.flatMap(({ keys }) => keys).filter((key) => there.has(key))).toEqual([]);
  // Lost events are events that the old primary acknowledged and the new one does not have.
  const missing = batches.filter(
    ({ endpoint, keys }) => endpoint === 0 && keys.every((key) => !there.has(key)),
  );
  expect(integrity?.lost).toBe(missing.flatMap(({ keys }) => keys).length);

  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout).toBe(0);
});

it("losses by a split brain violate the audit unless the scenario allows losses", async () => {
  const { started, out } = startSplit("");
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(110);
  const { integrity } = trialOf(onlyResultIn(out).result);
  expect(integrity?.verdict).toBe("violated");
  expect(integrity?.losses?.every(({ unexplained }) => unexplained === 0)).toBe(true);
});

it("an old primary that waits for a standby acknowledges nothing after the promotion", async () => {
  const { started, out } = startSplit(LOSS_ALLOWED, ", replication: sync");
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const { integrity } = trialOf(result);
  expect(integrity).toMatchObject({ verdict: "ok", lost: 0, undone: 0 });
  expect(integrity?.losses).toBeUndefined();
  const batches = acknowledgedBatches(directory);
  const firstElsewhereMs = Math.min(...batches.flatMap(({ endpoint, atMs }) => (endpoint > 0 ? [atMs] : [])));
  expect(batches.filter(({ endpoint, atMs }) => endpoint === 0 && atMs > firstElsewhereMs)).toEqual([]);
});

it("the audit finds an event that a stranger deletes from the new primary during a split brain", async () => {
  const { started, out } = startSplit(LOSS_ALLOWED);
  const [, oldPort] = await outputMatch(started, /\(embedded\) at 127\.0\.0\.1:(\d+)/);
  await outputMatch(started, /fault split-brain at \d+\.\d s begins/);
  await takeFreshEvent(started, Number(oldPort));
  await lostOneUnexplained(started, out);
});

/** Deletes an event that the new primary has added and archived. */
async function takeFreshEvent(started: Started, oldPort: number): Promise<void> {
  const admin = await newPrimary(started, oldPort);
  try {
    const [last] = await admin.query(`${ALL_IDS} ORDER BY id DESC LIMIT 1`);
    for (;;) {
      const [row] = await admin.query(
        `DELETE FROM train_sim.events_archive WHERE id =
           (SELECT id FROM train_sim.events_archive WHERE id > $1 ORDER BY id LIMIT 1) RETURNING id::text AS id`,
        [last?.["id"]],
      );
      if (row) return;
      await systemClock.sleep(20);
    }
  } finally {
    await admin.close();
  }
}

async function newPrimary(started: Started, oldPort: number): Promise<AdminClient> {
  for (;;) {
    const admin = await connectPrimary(started, oldPort).catch(() => undefined);
    if (admin) return admin;
    await systemClock.sleep(20);
  }
}
