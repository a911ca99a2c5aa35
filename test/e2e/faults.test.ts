// Every kind of fault through the built program on an embedded server: the load shows its effect, no event is lost, the
// system recovers for drain and audit, and nothing is left running or mounted, not even if train-sim is stopped or killed
// in the middle of a fault. Several kinds share a run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import {
  codesOf,
  expectNothingLost,
  leftoversOf,
  runFaults,
  startFaultRun,
  untilNothingIsLeftOf,
} from "../support/fault-runs.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { onlyResultIn, untilLogged } from "../support/train-sim.js";

const isRoot = process.getuid?.() === 0;

describe("faults on an embedded server", () => {
  fullIt("cause errors and retries, and lose no event", async () => {
    // A server with few connections is quickly exhausted. Sessions that end while idle are replaced without an error; with a
    // delay inside their transactions, and a queue that is never empty, some of the eight are at work at any moment.
    const seen = await runFaults(`
target: { kind: embedded, settings: { max_connections: 30 } }
appDelay: 50ms
preload: 500
trial: { warmUp: 500ms, duration: 20500ms, drain: 60s }
faults:
  - { at: 1s, kind: backend-terminate, sessions: 8 }
  - { at: 2500ms, kind: postgres-restart, shutdown: immediate }
  - { at: 5500ms, kind: postgres-kill, for: 500ms }
  - { at: 9500ms, kind: process-stop, for: 2s }
  - { at: 13s, kind: lock-holder, for: 2s }
  - { at: 13s, kind: long-transaction, for: 3s }
  - { at: 17s, kind: connection-limit, connections: 1, for: 3s }
`);
    expectNothingLost(seen, 7);
    const { faults, trial } = seen;
    expect(faults.get("backend-terminate")?.words).toMatch(/^ended 8 of \d+ sessions of the load$/);
    expect(codesOf(faults.get("backend-terminate"))).toContain("57P01");
    expect(codesOf(faults.get("postgres-restart"))).not.toEqual([]);
    expect(faults.get("postgres-restart")?.words).toContain("immediate");
    expect(codesOf(faults.get("postgres-kill"))).not.toEqual([]);
    expect(codesOf(faults.get("connection-limit"))).toContain("53300");
    // A stopped server does not answer: some transaction waited for as long as it stood still.
    const slowest = Object.values(trial.operations).map(({ responseTimeMs }) => responseTimeMs?.max ?? 0);
    expect(Math.max(...slowest)).toBeGreaterThan(1900);
    expect(faults.get("process-stop")?.words).toMatch(/^stopped \d+ processes of the server$/);
    // The lock and the snapshot show in the server's own statistics.
    expect(trial.database.blocked?.max).toBeGreaterThan(0);
    expect(trial.database.oldestTransactionMs).toBeGreaterThan(1000);
    expect(seen.stdout).toContain("postgres-kill (base): ");
    expect(Object.keys(faults.get("lock-holder")?.backlog ?? {})).toEqual(["pending", "complete"]);
  });

  fullIt("report the backlog that they cause until it has recovered, as the samples show it", async () => {
    const { started, out } = startFaultRun(`
actors:
  producers: { load: { executor: constant-arrival-rate, rate: 20/s, maxClients: 40 } }
  consumers: { load: { clients: 3 } }
trial: { warmUp: 1s, duration: 30s, drain: 60s }
faults: [{ at: 15s, kind: process-stop, for: 2s }]
`);
    const { exitCode, stderr } = await started.ended;
    expect(exitCode, stderr).toBe(0);
    const { directory, result } = onlyResultIn(out);
    const { injectedAtSeconds = 0, clearedAtSeconds, backlog } = result.faults[0] ?? {};
    const samples = readFileSync(join(directory, "trials", "001-base", "evidence.csv"), "utf8")
      .split("\n")
      .map((line) => line.split(","))
      .filter(([, metric]) => metric === "queue.pending")
      .map(([second, , events]) => ({ atSeconds: Number(second) + 1, events: Number(events) }));
    const highest = (own: typeof samples): number => Math.max(...own.map(({ events }) => events));
    const calm = samples.filter(({ atSeconds }) => atSeconds <= injectedAtSeconds).slice(-10);
    const { before = Infinity, most = 0, recoverySeconds } = backlog?.pending ?? {};
    // A busy machine is sampled less often. The reading at the start of the window is no row of the file.
    if (calm.length === 10) expect(before).toBe(highest(calm));
    else expect(before).toBeGreaterThanOrEqual(highest(calm));
    const untilSeconds = (clearedAtSeconds ?? 0) + (recoverySeconds ?? Infinity) + 0.001;
    const since = samples.filter(
      ({ atSeconds }) => atSeconds > injectedAtSeconds && atSeconds < untilSeconds,
    );
    // A backlog that never rose has recovered in 0 s, whatever its samples are.
    if (recoverySeconds !== 0) expect(most).toBe(highest(since));
    expect(readFileSync(join(directory, "summary.txt"), "utf8")).toMatch(/; backlog: +pending/);
  });

  fullIt("list their errors separately, even if one fault follows another within a second", async () => {
    // Connections for clients that come back before the server has noticed the end of their sessions.
    const seen = await runFaults(`
target: { kind: embedded, settings: { max_connections: 60 } }
appDelay: 50ms
preload: 500
trial: { warmUp: 500ms, duration: 8s, drain: 60s }
faults:
  - { at: 2s, kind: backend-terminate, sessions: 8 }
  - { at: 2500ms, kind: connection-limit, connections: 1, for: 2s }
  - { at: 5500ms, kind: checkpoint }
`);
    expectNothingLost(seen, 3);
    expect(seen.faults.get("checkpoint")?.words).toBe("made the server write a checkpoint");
    expect(seen.trial.database.checkpoints).toBeGreaterThan(0);
    expect(codesOf(seen.faults.get("backend-terminate"))).toContain("57P01");
    expect(codesOf(seen.faults.get("backend-terminate"))).not.toContain("53300");
    expect(codesOf(seen.faults.get("connection-limit"))).toContain("53300");
  });

  fullIt("include commands that end after the window, which the trial awaits and names as late", async () => {
    const seen = await runFaults(`
trial: { warmUp: 500ms, duration: 2s, drain: 60s }
faults: [{ at: 1s, kind: command, run: sleep 4; echo done, undo: echo mended }]
`);
    expectNothingLost(seen, 1);
    expect(seen.faults.get("command")?.words).toBe(
      "ran sh, which said: done; undid it with sh, which said: mended",
    );
    expect(seen.trial.diagnosis).toContainEqual(
      expect.objectContaining({ check: "late-fault", invalidates: [] }),
    );
  });

  if (isRoot)
    fullIt("include a full disk of the tables or of the WAL, which loses no event", async () => {
      const seen = await runFaults(`
trial: { warmUp: 500ms, duration: 9s, drain: 60s }
faults:
  - { at: 1s, kind: disk-full, disk: tables, for: 2s }
  - { at: 5s, kind: disk-full, disk: wal, for: 2s }
`);
      expectNothingLost(seen, 2);
      const [tables, wal] = seen.result.faults;
      expect(codesOf(tables)).toContain("53100");
      // The server panicked: its sessions ended, and no session was possible until there was room again.
      expect(codesOf(wal).join()).toMatch(/57P02|57P03|ECONNREFUSED|08006|ECONNRESET|53100/);
    });

  it("are cleared if the run is stopped during a fault", async () => {
    const { started, out } = startFaultRun(`
trial: { warmUp: 0, duration: 60s, drain: false }
faults: [{ at: 1s, kind: process-stop, for: 50s }]
`);
    // Processes are stopped in the same turn of the event loop in which the fault begins.
    await untilLogged(out, '"words":"begins"');
    started.child.kill("SIGINT");
    const { exitCode, stderr } = await started.ended;
    expect(exitCode, stderr).toBe(105);
    const { result } = onlyResultIn(out);
    expect(result.treatments[0]?.trials[0]).toMatchObject({
      status: "partial",
      integrity: { verdict: "ok" },
      faults: [{ kind: "process-stop", clearedAtSeconds: expect.any(Number) as number }],
    });
    expect(leftoversOf(started)).toEqual([]);
  });

  it.runIf(isRoot)("leave no process, directory or mount if train-sim is killed during a fault", async () => {
    const { started, out } = startFaultRun(`
trial: { warmUp: 0, duration: 60s, drain: false }
faults: [{ at: 1s, kind: disk-full, for: 50s }]
`);
    await untilLogged(out, '"words":"is there"');
    expect(leftoversOf(started).some((line) => line.includes("tmpfs"))).toBe(true);
    started.child.kill("SIGKILL");
    await started.ended;
    await untilNothingIsLeftOf(started);
  });

  fullIt("fail the trial with the cause if a fault cannot be cleared", async () => {
    const seen = await runFaults(`
target: { kind: embedded, settings: { idle_in_transaction_session_timeout: 300ms } }
trial: { warmUp: 0, duration: 20s, drain: false }
faults: [{ at: 1s, kind: long-transaction, for: 1500ms }]
`);
    expect(seen.exitCode, seen.stderr).not.toBe(0);
    expect(seen.trial.status).toBe("failed");
    expect(seen.trial.reason).toMatch(/^the fault long-transaction at 1s could not be cleared: /);
    expect(seen.trial.faults).toMatchObject([{ kind: "long-transaction", clearedAtSeconds: null }]);
    expect(seen.leftovers).toEqual([]);
  });
});

describe("faults through PgBouncer", () => {
  it("cause errors of its clients, and lose no event", async () => {
    const seen = await runFaults(
      `
pool: { strategy: pgbouncer, mode: transaction, size: 4 }
trial: { warmUp: 500ms, duration: 8s, drain: 60s }
faults:
  - { at: 1s, kind: backend-terminate }
  - { at: 2500ms, kind: process-stop, process: pooler, for: 2s }
  - { at: 5s, kind: postgres-kill }
`,
      pgBouncerEnv(),
    );
    expectNothingLost(seen, 3);
    expect(seen.faults.get("process-stop")?.words).toBe("stopped 1 process of PgBouncer");
    expect(codesOf(seen.faults.get("postgres-kill"))).not.toEqual([]);
  });
});
