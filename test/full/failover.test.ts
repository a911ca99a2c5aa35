// Known answer: the primary is cut off from its standbys, acknowledges for another second and dies. Asynchronous
// replication loses that second, and the position of the promoted standby explains all of it; synchronous replication loses
// nothing, unless waits of commits are cancelled. A stranger's deletion on the promoted standby is found, although the
// failover may explain any number of losses.
import { expect, it } from "vitest";
import { acknowledgedBatches, LOSS_ALLOWED, startLossyRun, trialOf } from "../support/lossy-run.js";
import { connectPrimary, eventsOnPrimary } from "../support/primary.js";
import { onlyResultIn, outputMatch, trainSim, type Started } from "../support/train-sim.js";

const CUT_AT_SECONDS = 3;

const startFailover = (more: string, target = ""): ReturnType<typeof startLossyRun> =>
  startLossyRun({
    target: `standbys: 2${target}`,
    seconds: 9,
    faults:
      `{ at: ${CUT_AT_SECONDS}s, kind: network-blackhole, between: replication, for: 2s }, ` +
      `{ at: ${CUT_AT_SECONDS + 1}s, kind: failover }`,
    more,
  });

it("a failover loses events of an asynchronous primary, all explained, and none of a synchronous primary", async () => {
  const { started, out } = startFailover(
    `${LOSS_ALLOWED}\nfactors: { target.replication: [async, sync, quorum, remote-apply] }`,
  );
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  for (const level of ["sync", "quorum", "remote-apply"]) {
    const { integrity } = trialOf(result, level);
    expect(integrity, level).toMatchObject({ verdict: "ok", lost: 0, undone: 0 });
    expect(integrity?.losses, level).toBeUndefined();
  }
  const { integrity, faults = [] } = trialOf(result, "async");
  expect(integrity).toMatchObject({ verdict: "ok", violations: [], unexplained: 0, torn: 0 });
  expect(integrity?.lost).toBeGreaterThan(0);
  const [cut, over] = faults;
  expect(over?.words).toMatch(/^killed server_1 and promoted server_[23], which had its log up to 0\/\w+;/);
  // A change that was on its way when the network was cut off may have reached the standby or not.
  const since = over?.mayLose?.sinceSeconds ?? 0;
  expect(since).toBeGreaterThan((cut?.injectedAtSeconds ?? 0) - 0.5);
  expect(since).toBeLessThan(over?.injectedAtSeconds ?? 0);
  for (const { operation, unexplained, firstAtSeconds = -1 } of integrity?.losses ?? []) {
    expect(unexplained, operation).toBe(0);
    expect(firstAtSeconds, operation).toBeGreaterThanOrEqual(since);
  }
  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout).toBe(0);
});

it("losses by a failover violate the audit unless the scenario allows losses", async () => {
  const { started, out } = startFailover("");
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(110);
  const { integrity } = trialOf(onlyResultIn(out).result);
  expect(integrity?.verdict).toBe("violated");
  expect(integrity?.losses?.every(({ unexplained }) => unexplained === 0)).toBe(true);
});

it("a failover loses a synchronous primary's commits whose wait was cancelled, and no others", async () => {
  const { started, out } = startLossyRun({
    target: "standbys: 2, replication: sync",
    seconds: 9,
    faults:
      "{ at: 2s, kind: network-blackhole, between: replication, for: 3s }, { at: 3s, kind: backend-cancel }, " +
      "{ at: 3500ms, kind: backend-cancel }, { at: 4s, kind: failover }",
    more: LOSS_ALLOWED,
  });
  await outputMatch(started, /fault failover at \d+\.\d s is over/);
  const there = await eventsOnPrimary(started);
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const { integrity, operations } = trialOf(result);
  expect(integrity).toMatchObject({ verdict: "ok", violations: [], unexplained: 0, torn: 0 });
  expect(integrity?.lost).toBeGreaterThan(0);
  expect(integrity?.losses?.every(({ unexplained }) => unexplained === 0)).toBe(true);
  const missing = acknowledgedBatches(directory).filter(({ endpoint, keys: [first = ""] }) => {
    return endpoint === 0 && !there.has(first);
  });
  expect(missing).toHaveLength(operations["add"]?.warnedCommits ?? 0);
  expect(missing.flatMap(({ keys }) => keys)).toHaveLength(integrity?.lost ?? 0);
});

it("the audit finds an event that a stranger deletes on the promoted standby", async () => {
  const { started, out } = startFailover(LOSS_ALLOWED, ", replication: sync");
  await outputMatch(started, /fault failover at \d+\.\d s is over/);
  const taken = await takeAnEvent(started);
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(110);
  const { integrity } = trialOf(onlyResultIn(out).result);
  expect(integrity?.violations).toEqual([expect.stringMatching(/^1 of \d+ acknowledged events/)]);
  expect(integrity?.named?.[0]?.id).toBe(taken);
});

/** Deletes an event on the primary that no client works on any more. Resolves to its id. */
async function takeAnEvent(started: Started): Promise<string> {
  const admin = await connectPrimary(started);
  try {
    const [row] = await admin.query(
      "DELETE FROM train_sim.events_archive WHERE id = (SELECT id FROM train_sim.events_archive ORDER BY id LIMIT 1) " +
        "RETURNING id::text AS id",
    );
    return String(row?.["id"]);
  } finally {
    await admin.close();
  }
}
