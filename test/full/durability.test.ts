// Known answer: a server that acknowledges before it writes, and is killed, loses its last acknowledged events, and the
// kill explains all of them; a server that writes first loses nothing. A stranger's deletion is found, although the kill
// may explain any number of losses.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { connectAdmin } from "../../src/database/postgres/admin.js";
import { systemClock } from "../../src/foundation/clock.js";
import { LOSS_ALLOWED, lostOneUnexplained, startLossyRun, trialOf } from "../support/lossy-run.js";
import { onlyResultIn, outputMatch, trainSim } from "../support/train-sim.js";

/** Delay of the log writer: long enough to lose many events, short enough to acknowledge them within the window. */
const WRITER_DELAY_SECONDS = 0.8;
const LATE_SECONDS = 0.25;

const startKilled = (more: string, settings = ""): ReturnType<typeof startLossyRun> =>
  startLossyRun({
    target: `settings: { wal_writer_delay: ${WRITER_DELAY_SECONDS * 1000}ms, wal_writer_flush_after: 1GB${settings} }`,
    seconds: 7,
    faults: "{ at: 4s, kind: postgres-kill }",
    more,
  });

const OFF = ", synchronous_commit: off";

it("a killed server loses acknowledged events only with synchronous_commit off, all explained by the kill", async () => {
  const factors = 'factors: { "target.settings.synchronous_commit": ["on", "off"] }';
  const { started, out } = startKilled(`${LOSS_ALLOWED}\n${factors}\nthresholds: { add: ["lost<1000000"] }`);
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const [on, off] = [trialOf(result, "on"), trialOf(result, "off")];
  expect(on.integrity).toMatchObject({ verdict: "ok", lost: 0, undone: 0, allowed: ["lost"] });
  expect(on.integrity?.losses).toBeUndefined();
  expect(on.faults?.[0]?.mayLose).toBeUndefined();
  expect(on.operations["add"]?.lost).toBe(0);

  const { integrity, faults: [fault] = [] } = off;
  expect(integrity).toMatchObject({ verdict: "ok", violations: [], unexplained: 0, torn: 0 });
  expect(integrity?.lost).toBeGreaterThan(0);
  const since = (fault?.injectedAtSeconds ?? 0) - 3 * WRITER_DELAY_SECONDS - LATE_SECONDS;
  expect(fault?.mayLose?.sinceSeconds).toBeGreaterThan(since - 0.01);
  expect(integrity?.losses?.map(({ operation }) => operation)).toContain("add");
  for (const { operation, lost, unexplained, firstAtSeconds = -1 } of integrity?.losses ?? []) {
    expect(unexplained, operation).toBe(0);
    expect(firstAtSeconds, operation).toBeGreaterThan(since - 0.01);
    expect(off.operations[operation]?.lost).toBe(lost);
  }
  expect(off.operations["add"]?.lost).toBe(integrity?.lost);
  expect(stderr).toMatch(/off {2}.*integrity ok, lost \(allowed\): add \d+/);
  expect(readFileSync(join(directory, "summary.txt"), "utf8")).toMatch(/off lost \(allowed\): add \d+/);

  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout).toBe(0);
});

it("losses by a kill violate the audit unless the scenario allows losses", async () => {
  const { started, out } = startKilled("", OFF);
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(110);
  const { integrity } = trialOf(onlyResultIn(out).result);
  expect(integrity?.verdict).toBe("violated");
  expect(integrity?.losses?.every(({ unexplained }) => unexplained === 0)).toBe(true);
  expect(integrity?.violations[0]).toMatch(
    /acknowledged events are in no table \(explained by a fault: (\d+) of \1\)/,
  );
});

it("the audit finds an event that a stranger deletes before a kill, as unexplained", async () => {
  const { started, out } = startKilled(LOSS_ALLOWED, OFF);
  const [, port] = await outputMatch(started, /\(embedded\) at 127\.0\.0\.1:(\d+)/);
  const endpoint = {
    scheme: "postgresql",
    host: "127.0.0.1",
    port: Number(port),
    user: "postgres",
    database: "postgres",
  };
  const taken = await takeAnEvent(endpoint);
  const integrity = await lostOneUnexplained(started, out);
  expect(integrity.losses?.find(({ operation }) => operation === "add")?.lost).toBe(integrity.lost);
  expect(taken).toMatch(/-..ff-/);
});

/**
 * Deletes a preloaded event, whose add was acknowledged long before the kill, so that no fault explains its loss. Resolves
 * to its id.
 */
async function takeAnEvent(endpoint: Parameters<typeof connectAdmin>[0]): Promise<string> {
  const admin = await connectAdmin(endpoint, { purpose: "stranger" });
  try {
    await admin.query("SET synchronous_commit = on");
    for (;;) {
      const rows = await admin
        .query(
          `WITH s AS (DELETE FROM train_sim.event_status WHERE event_id IN (
             SELECT event_id FROM train_sim.event_status WHERE status = 'PENDING' AND attempts = 0
               AND substr(event_id::text, 22, 2) = 'ff' ORDER BY event_id DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
             RETURNING event_id)
           DELETE FROM train_sim.events WHERE id IN (SELECT event_id FROM s) RETURNING id::text AS id`,
        )
        .catch(() => []); // the tables do not exist yet
      const [row] = rows;
      if (row) return String(row["id"]);
      await systemClock.sleep(20);
    }
  } finally {
    await admin.close();
  }
}
