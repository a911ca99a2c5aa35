// Every kind of fault for real, through the built program on an embedded server: what it does to the load is seen, no
// event is lost, the system is well again for drain and audit, and nothing is left running or mounted; not even when
// train-sim is stopped or killed in the middle of one. Several kinds share a run.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../foundation/clock.js";
import type { FaultRecord, ResultDocument, TrialResult } from "../../results/result-schema.js";
import { pgBouncerEnv } from "../../testing/pgbouncers.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
  type Ended,
  type Started,
} from "../../testing/train-sim.js";

const isRoot = process.getuid?.() === 0;
const LOAD = "clients: 3\nbatch: { min: 5, max: 20 }\ndiagnosis: { ceiling: false }\ntrials: 1\nseed: 11\n";

interface Run extends Ended {
  readonly result: ResultDocument;
  readonly trial: TrialResult;
  readonly faults: ReadonlyMap<string, FaultRecord>;
  readonly leftovers: readonly string[];
}

/** Directories and mounts of servers that this train-sim started. */
function leftoversOf({ child }: Started): string[] {
  const mark = new RegExp(`train-sim-(postgres|pgbouncer)-${child.pid ?? 0}-`);
  const directories = readdirSync(tmpdir()).filter((name) => mark.test(name));
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8").split("\n") : [];
  return [...directories, ...mounts.filter((line) => mark.test(line))];
}

async function untilNothingIsLeftOf(started: Started, mostMs = 30_000): Promise<void> {
  const deadlineMs = systemClock.nowMs() + mostMs;
  while (leftoversOf(started).length > 0) {
    if (systemClock.nowMs() > deadlineMs) throw new Error(`left: ${leftoversOf(started).join(", ")}`);
    await systemClock.sleep(50);
  }
}

function start(scenario: string, env?: NodeJS.ProcessEnv): { started: Started; out: string } {
  const out = join(scratchDirectory(), "results");
  const file = writeScenarioFile(`name: faults\n${LOAD}${scenario}`);
  return { started: startTrainSim(["run", file, "--out", out, "--quiet"], env ? { env } : {}), out };
}

async function run(scenario: string, env?: NodeJS.ProcessEnv): Promise<Run> {
  const { started, out } = start(scenario, env);
  const ended = await started.ended;
  const leftovers = leftoversOf(started);
  if (!existsSync(out) || readdirSync(out).length === 0) throw new Error(`no results: ${ended.stderr}`);
  const { result } = onlyResultIn(out);
  const trial = result.treatments[0]?.trials[0];
  if (!trial) throw new Error(`no trial: ${ended.stderr}`);
  const faults = new Map(result.faults.map((fault) => [fault.kind, fault]));
  return { ...ended, result, trial, faults, leftovers };
}

/** What holds of every trial that was broken and mended. */
function expectNothingLost({ exitCode, stderr, trial, result, leftovers }: Run, count: number): void {
  expect(exitCode, stderr).toBe(0);
  expect(trial.status, trial.reason).toBe("complete");
  expect(trial.integrity).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, drained: true });
  expect(trial.integrity?.published).toBeGreaterThan(0);
  expect(result.faults).toEqual(trial.faults);
  expect(result.faults).toHaveLength(count);
  for (const { kind, clearedAtSeconds, injectedAtSeconds, atSeconds } of result.faults) {
    expect(clearedAtSeconds, kind).not.toBeNull();
    // Node's timers may fire up to a millisecond early.
    expect(injectedAtSeconds + 0.01, kind).toBeGreaterThanOrEqual(atSeconds);
  }
  expect(leftovers).toEqual([]);
}

const codesOf = (fault: FaultRecord | undefined): string[] => Object.keys(fault?.errors ?? {});

describe("faults of the server", () => {
  it("are met by errors and retries, and lose no event", async () => {
    // Few connections, so that holding all of them takes no time to speak of.
    const seen = await run(`
target: { kind: embedded, settings: { max_connections: 30 } }
trial: { warmUp: 500ms, duration: 28s, drain: 60s }
faults:
  - { at: 1s, kind: backend-terminate, sessions: 5 }
  - { at: 3s, kind: postgres-restart, shutdown: immediate }
  - { at: 6s, kind: postgres-kill, for: 500ms }
  - { at: 11s, kind: process-stop, for: 2s }
  - { at: 15s, kind: lock-holder, for: 2s }
  - { at: 15s, kind: long-transaction, for: 3s }
  - { at: 20s, kind: connection-limit, connections: 1, for: 3s }
`);
    expectNothingLost(seen, 7);
    const { faults, trial } = seen;
    expect(faults.get("backend-terminate")?.words).toMatch(/^ended 5 of \d+ sessions of the load$/);
    expect(codesOf(faults.get("backend-terminate"))).toContain("57P01");
    expect(codesOf(faults.get("postgres-restart"))).not.toEqual([]);
    expect(faults.get("postgres-restart")?.words).toContain("immediate");
    expect(codesOf(faults.get("postgres-kill"))).not.toEqual([]);
    expect(codesOf(faults.get("connection-limit"))).toContain("53300");
    // A stopped server answers nobody: somebody waited for as long as it stood still.
    const slowest = Object.values(trial.operations).map(({ responseTimeMs }) => responseTimeMs?.max ?? 0);
    expect(Math.max(...slowest)).toBeGreaterThan(1900);
    expect(faults.get("process-stop")?.words).toMatch(/^stopped \d+ processes of the server$/);
    // The lock and the snapshot show in what the server says of itself.
    expect(trial.database.blocked?.max).toBeGreaterThan(0);
    expect(trial.database.oldestTransactionMs).toBeGreaterThan(1000);
    expect(seen.stdout).toContain("fault postgres-kill at ");
  }, 120_000);

  it.runIf(isRoot)(
    "leave a full disk behind them, of the tables and of the log",
    async () => {
      const seen = await run(`
trial: { warmUp: 500ms, duration: 16s, drain: 60s }
faults:
  - { at: 2s, kind: disk-full, disk: tables, for: 3s }
  - { at: 8s, kind: disk-full, disk: wal, for: 2s }
`);
      expectNothingLost(seen, 2);
      const [tables, wal] = seen.result.faults;
      expect(codesOf(tables)).toContain("53100");
      // The server panicked: its sessions ended, and there was none to be had until there was room again.
      expect(codesOf(wal).join()).toMatch(/57P02|57P03|ECONNREFUSED|08006|ECONNRESET|53100/);
    },
    120_000,
  );

  it("are cleared where the run is stopped in the middle of one", async () => {
    const { started, out } = start(`
trial: { warmUp: 0, duration: 60s, drain: false }
faults: [{ at: 1s, kind: process-stop, for: 50s }]
`);
    // Processes are stopped in the same turn in which the fault begins.
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
  }, 90_000);

  it.runIf(isRoot)(
    "leave neither process, directory nor mount when train-sim is killed",
    async () => {
      const { started, out } = start(`
trial: { warmUp: 0, duration: 60s, drain: false }
faults: [{ at: 1s, kind: disk-full, for: 50s }]
`);
      await untilLogged(out, '"words":"is there"');
      expect(leftoversOf(started).some((line) => line.includes("tmpfs"))).toBe(true);
      started.child.kill("SIGKILL");
      await started.ended;
      await untilNothingIsLeftOf(started);
    },
    90_000,
  );

  it("fail the trial with the cause where one of them was not what it claims", async () => {
    const seen = await run(`
target: { kind: embedded, settings: { idle_in_transaction_session_timeout: 300ms } }
trial: { warmUp: 0, duration: 20s, drain: false }
faults: [{ at: 1s, kind: long-transaction, for: 3s }]
`);
    expect(seen.exitCode, seen.stderr).not.toBe(0);
    expect(seen.trial.status).toBe("failed");
    expect(seen.trial.reason).toMatch(/^the fault long-transaction at 1s could not be cleared: /);
    expect(seen.trial.faults).toMatchObject([{ kind: "long-transaction", clearedAtSeconds: null }]);
    expect(seen.leftovers).toEqual([]);
  }, 90_000);
});

describe("faults through PgBouncer", () => {
  it("are met by its clients and lose no event", async () => {
    const seen = await run(
      `
pool: { strategy: pgbouncer, mode: transaction, size: 4 }
trial: { warmUp: 500ms, duration: 14s, drain: 60s }
faults:
  - { at: 1s, kind: backend-terminate }
  - { at: 3s, kind: process-stop, process: pgbouncer, for: 2s }
  - { at: 7s, kind: postgres-kill }
`,
      pgBouncerEnv("1.24"),
    );
    expectNothingLost(seen, 3);
    expect(seen.faults.get("process-stop")?.words).toBe("stopped 1 process of PgBouncer");
    expect(codesOf(seen.faults.get("postgres-kill"))).not.toEqual([]);
  }, 90_000);
});
