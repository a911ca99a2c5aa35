// Every kind of bad network and of PgBouncer's absence through the built program: each has its stated effect on the load,
// no event is lost or duplicated, and the system recovers for drain and audit. Commits whose answer never came are the main
// point: some are there, some are not, and each of them is accounted for.
import { describe, expect, it } from "vitest";
import type { FaultRecord } from "../../src/results/result-schema.js";
import {
  codesOf,
  expectNothingLost,
  leftoversOf,
  runFaults,
  startFaultRun,
  type FaultRun,
} from "../support/fault-runs.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { onlyResultIn, untilLogged } from "../support/train-sim.js";

/** Expected counts of a second in which all clients wait. A client that waits gets no error. */
const NOTHING = { transactions: 0, events: 0, retries: 0 };

/** The first whole second of the window within a fault. */
function secondInside(fault: FaultRecord | undefined): number {
  const second = Math.ceil((fault?.injectedAtSeconds ?? 0) + 0.3);
  if (!fault || second + 1 > (fault.clearedAtSeconds ?? 0))
    throw new Error("no whole second inside the fault");
  return second;
}

/** Numbers of connections that a fault reset at a COMMIT: all, before the server had it, and before its answer. */
function cutCommits(fault: FaultRecord | undefined): { all: number; lost: number; answers: number } {
  const pattern =
    /^reset (\d+) connections? at a COMMIT: (\d+) before the server had it, (\d+) before its answer/;
  const [, all, lost, answers] = pattern.exec(fault?.words ?? "") ?? [];
  return { all: Number(all), lost: Number(lost), answers: Number(answers) };
}

function unansweredIn({ trial }: FaultRun): number {
  const operations = Object.values(trial.operations);
  return operations.reduce((sum, { unansweredCommits = 0 }) => sum + unansweredCommits, 0);
}

describe("network faults", () => {
  it("delay, narrow, stop and break connections as stated, and lose no event", async () => {
    const seen = await runFaults(`
appDelay: 30ms
trial: { warmUp: 500ms, duration: 16s, drain: 60s }
faults:
  - { at: 1s, kind: network-latency, latency: 100ms, jitter: 20ms, for: 3s }
  - { at: 4500ms, kind: network-blackhole, for: 2500ms }
  - { at: 8500ms, kind: network-reset }
  - { at: 10s, kind: network-refuse, for: 1s }
  - { at: 12500ms, kind: network-bandwidth, bandwidth: 4kB, for: 3s }
`);
    expectNothingLost(seen, 5);
    const { faults, seenIn } = seen;
    const whose = "connections of the clients";
    expect([...faults.values()].map(({ words }) => words.replace(/\d+ conn/, "N conn"))).toEqual([
      `delayed N ${whose} by 100ms each way, give or take 20ms`,
      `let N ${whose} carry nothing`,
      `reset N ${whose}`,
      `refused new connections and reset N ${whose}`,
      `let N ${whose} carry 4 kB/s each way together`,
    ]);
    // Begin, two statements, commit: at least four round trips of 160 ms or more, by three clients of each kind.
    const slow = secondInside(faults.get("network-latency"));
    expect(seenIn(slow, "add").transactions).toBeLessThanOrEqual(3 * 2);
    expect(seenIn(secondInside(faults.get("network-blackhole")))).toEqual(NOTHING);
    expect(codesOf(faults.get("network-reset")).join()).toMatch(/ECONNRESET|08006/);
    expect(codesOf(faults.get("network-refuse"))).toContain("ECONNREFUSED");
    // Documents have 900 bytes: 4 kB per second carry four of them, besides data that was on its way when the fault began.
    const narrow = secondInside(faults.get("network-bandwidth"));
    expect(seenIn(narrow + 1, "add").events).toBeLessThanOrEqual(3 * 20 + 10);
    for (const { recoverySeconds, recoveryReason = "" } of faults.values())
      expect(recoverySeconds === null ? recoveryReason : "").toMatch(
        /^$|before throughput had been back for 3 s$/,
      );
  });

  it("leave commits in doubt, which the clients settle", async () => {
    const seen = await runFaults(`
trial: { warmUp: 500ms, duration: 4500ms, drain: 60s }
faults: [{ at: 1s, kind: network-reset-commits, commits: 40%, for: 3s }]
`);
    expectNothingLost(seen, 1);
    const { all, lost, answers } = cutCommits(seen.faults.get("network-reset-commits"));
    expect(lost).toBeGreaterThan(0);
    expect(answers).toBeGreaterThan(0);
    expect(lost + answers).toBe(all);
    expect(unansweredIn(seen)).toBe(all);
    expect(seen.trial.integrity?.inDoubt).toBe(0);
  });

  it("leave commits in doubt to the audit if clients do not retry", async () => {
    const seen = await runFaults(`
retry: { attempts: 1 }
trial: { warmUp: 500ms, duration: 4500ms, drain: 60s }
faults: [{ at: 1s, kind: network-reset-commits, commits: 50%, for: 3s }]
`);
    expectNothingLost(seen, 1);
    const { inDoubt = 0, inDoubtFound = 0 } = seen.trial.integrity ?? {};
    // Some adds in doubt never reached the server, and of others only the answer was lost.
    expect(inDoubtFound).toBeGreaterThan(0);
    expect(inDoubt).toBeGreaterThan(inDoubtFound);
    expect(unansweredIn(seen)).toBe(cutCommits(seen.faults.get("network-reset-commits")).all);
  });
});

describe("faults of PgBouncer", () => {
  it("restart, kill, pause and cut off PgBouncer as stated, and lose no event", async () => {
    const seen = await runFaults(
      `
pool: { strategy: pgbouncer, mode: transaction, size: 4, instances: 2 }
appDelay: 30ms
trial: { warmUp: 500ms, duration: 14500ms, drain: 60s }
faults:
  - { at: 1s, kind: pooler-restart, instance: 1 }
  - { at: 3500ms, kind: pooler-kill, for: 1s }
  - { at: 6500ms, kind: pooler-pause, for: 2500ms }
  - { at: 10500ms, kind: network-reset, between: pooler }
  - { at: 12s, kind: network-reset-commits, between: pooler, for: 2s }
`,
      pgBouncerEnv(),
    );
    expectNothingLost(seen, 5);
    const { faults } = seen;
    expect(faults.get("pooler-restart")?.words).toBe("stopped PgBouncer 1 and started it again");
    expect(codesOf(faults.get("pooler-restart"))).not.toEqual([]);
    expect(faults.get("pooler-kill")?.words).toBe("killed 2 PgBouncers and started them again");
    expect(codesOf(faults.get("pooler-kill"))).not.toEqual([]);
    expect(faults.get("pooler-pause")?.words).toBe("paused 2 PgBouncers");
    expect(seen.seenIn(secondInside(faults.get("pooler-pause")))).toEqual(NOTHING);
    expect(faults.get("network-reset")?.words).toMatch(
      /^reset [1-8] connections? of PgBouncer to the server$/,
    );
    // PgBouncer reports to its client that the server is gone, and does not know the outcome of the commit.
    expect(codesOf(faults.get("network-reset-commits"))).toContain("08P01");
    const { lost, answers } = cutCommits(faults.get("network-reset-commits"));
    expect(Math.min(lost, answers)).toBeGreaterThan(0);
  });

  it("are cleared, with a network fault, if the run is stopped during both", async () => {
    // The fault stops all data, so transactions cannot end, and PAUSE waits for them.
    const { started, out } = startFaultRun(
      `
pool: { strategy: pgbouncer, mode: transaction, size: 4 }
trial: { warmUp: 0, duration: 60s, drain: false }
faults:
  - { at: 1s, kind: network-blackhole, for: 50s }
  - { at: 2s, kind: pooler-pause, for: 50s }
`,
      pgBouncerEnv(),
    );
    await untilLogged(out, '"kind":"pooler-pause"');
    started.child.kill("SIGINT");
    const { exitCode, stderr } = await started.ended;
    expect(exitCode, stderr).toBe(105);
    const { result } = onlyResultIn(out);
    const cleared = { clearedAtSeconds: expect.any(Number) as number };
    expect(result.treatments[0]?.trials[0]).toMatchObject({
      status: "partial",
      integrity: { verdict: "ok" },
      faults: [cleared, cleared],
    });
    expect(leftoversOf(started)).toEqual([]);
  });
});
