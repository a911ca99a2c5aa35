// A trial disturbed on purpose for each reason, just beyond its bound, and the same trial just within it; and the aspects
// that each of these findings invalidates.
import { describe, expect, it } from "vitest";
import {
  DIAGNOSIS_CHECKS,
  type Finding,
  type ServerChange,
  type TrialAgent,
  type TrialResult,
  type TrialServer,
} from "../../results/result-schema.js";
import { EXAMPLE_BOUNDS, exampleOperation, exampleTrial } from "../../../test/support/example-result.js";
import { ms, percent, type CheckInputs } from "./check.js";
import { diagnose } from "./diagnose.js";

const CLIENT = {
  cpuSeconds: 3,
  eventLoopDelayP99Ms: 10,
  workerUtilization: 0.4,
  accountedRatio: 0.999,
  clockStepMs: 1,
};
const MIB = 2 ** 20;
const SLOW = { ...exampleOperation(10).responseTimeMs, max: 2_013.4 };
const STALL = {
  operation: "add",
  seconds: 2,
  longestSeconds: 2,
  fromSecond: 4,
  usualPerSecond: 830,
} as const;
const MACHINE = { stealRatio: 0.01, otherCpuRatio: 0.05 };
const BUSY_DISK = { ...MACHINE, ownIoBytes: 60 * MIB, diskIoBytes: 200 * MIB, ioPressureRatio: 0.3 };
const SYNCHRONOUS = { what: "synchronous_commit", before: "on", after: "off" };
const RELOAD = { what: "configLoadedAt", before: "2026-06-01T10:00:00Z", after: "2026-06-01T10:01:00Z" };
const FAULT = {
  trial: 1,
  treatment: "jsonb",
  atSeconds: 3,
  forSeconds: 0,
  injectedAtSeconds: 3,
  clearedAtSeconds: 4,
  recoverySeconds: 1,
  errors: {},
  words: "",
};
const PGBENCH = [{ name: "bench/me/pgbench", mean: 2 }];

function server(...changes: ServerChange[]): TrialServer {
  return {
    endpoint: "postgresql://u@h:5432/d",
    version: "PostgreSQL 18.4",
    settings: {},
    settingsDigest: "0",
    changes,
  };
}

/** A sound trial of 300 adds in 30 s, changed as the test wants it. */
function inputsWith(changes: Partial<TrialResult> = {}, others: Partial<CheckInputs> = {}): CheckInputs {
  const trial = { ...exampleTrial(0, 1, 10), client: CLIENT, machine: MACHINE, ...changes };
  return { trial, bounds: EXAMPLE_BOUNDS, ...others };
}

const add = (changes: object): TrialResult["operations"] => ({
  add: { ...exampleOperation(10), ...changes },
});

const agentWithin = (errorMs: number, accountedRatio = 1): TrialAgent => ({
  name: "a",
  workers: 1,
  clock: { offsetMs: 5_000, errorMs, driftPpm: 20 },
  accountedRatio,
});

/** Check, trial beyond its default bound, trial within it, and words that the finding must contain. */
const CASES: readonly [Finding["check"], CheckInputs, CheckInputs, RegExp][] = [
  [
    "event-loop-delay",
    inputsWith({ client: { ...CLIENT, eventLoopDelayP99Ms: 50.1 } }),
    inputsWith({ client: { ...CLIENT, eventLoopDelayP99Ms: 50 } }),
    /event loop of a worker was 50\.1 ms late/,
  ],
  [
    "event-loop-delay",
    inputsWith({
      client: { ...CLIENT, eventLoopDelayP99Ms: 51 },
      machine: { ...MACHINE, otherCpuRatio: 0.2 },
    }),
    inputsWith({ machine: { ...MACHINE, otherCpuRatio: 0.2 } }),
    /51 ms late .*; the likely cause: other programs used 20 % of this machine's CPU time; stop them/,
  ],
  [
    "worker-utilization",
    inputsWith({ client: { ...CLIENT, cpuSeconds: 29, workerUtilization: 0.99 } }),
    inputsWith({ client: { ...CLIENT, workerUtilization: 0.95 } }),
    /busy for 99 % of the window .*; give its role more workers/,
  ],
  [
    "worker-utilization",
    inputsWith({ client: { ...CLIENT, workerUtilization: 0.99 } }),
    inputsWith({ client: { ...CLIENT, workerUtilization: 0.95 } }),
    /got only 3\.0 s of CPU, because other processes, the server included/,
  ],
  [
    "closure",
    inputsWith({ client: { ...CLIENT, accountedRatio: 0.97 } }),
    inputsWith({ client: { ...CLIENT, accountedRatio: 0.985 } }),
    /accounted for is 97 % of clients x window/,
  ],
  [
    "closure",
    inputsWith({ agents: [agentWithin(0.2, 0.999), agentWithin(0.2, 1.03)] }),
    inputsWith({ agents: [agentWithin(0.2, 0.999), agentWithin(0.2, 0.985)] }),
    /accounted for is 103 % of agent a's clients x window/,
  ],
  [
    "dropped",
    inputsWith({ operations: add({ offered: 300, dropped: 4 }) }),
    inputsWith({ operations: add({ offered: 300, dropped: 3 }) }),
    /4 of 300 arrivals of add were dropped/,
  ],
  [
    "clock-step",
    inputsWith({ client: { ...CLIENT, clockStepMs: 3_600_000 } }),
    inputsWith({ client: { ...CLIENT, clockStepMs: 100 } }),
    /the wall clock moved 3600000 ms/,
  ],
  [
    "clock-step",
    inputsWith({ client: CLIENT, serverClockStepMs: 3_000 }),
    inputsWith({ client: CLIENT, serverClockStepMs: 100 }),
    /^the server's clock moved 3000 ms against the monotonic one \(bound 100 ms\)/,
  ],
  [
    "agent-clock",
    inputsWith({ agents: [agentWithin(0.2), agentWithin(2.1)] }),
    inputsWith({ agents: [agentWithin(2)] }),
    /the clock of agent a was known within 2\.1 ms only/,
  ],
  [
    "failures",
    inputsWith({ operations: add({ failures: { "57014": 4 } }) }),
    inputsWith({ operations: add({ failures: { "57014": 3 } }) }),
    /4 of 304 transactions of add failed \(/,
  ],
  [
    "retries",
    inputsWith({
      operations: add({
        retries: 604,
        retriesBySqlstate: { "40001": 4, "55P03": 600 },
        failures: { "55P03": 3 },
        parts: [{ name: "backoff", meanMs: 4, calls: 0 }],
      }),
    }),
    inputsWith({
      operations: add({ retries: 303, retriesBySqlstate: { "55P03": 303 }, failures: { "55P03": 3 } }),
    }),
    /retry storm: 604 attempts of add .* for 303 transactions that ended \(1\.99 each, bound 1, mostly 55P03\); backoff was 40 %/,
  ],
  [
    "without-rows",
    inputsWith({ operations: add({ withoutRows: 60 }) }),
    inputsWith({ operations: add({ withoutRows: 30 }) }),
    /^60 of 300 transactions of add returned and changed no row \(20 %\): its rate does not measure work/,
  ],
  [
    "steal",
    inputsWith({ machine: { ...MACHINE, stealRatio: 0.06 } }),
    inputsWith({ machine: { ...MACHINE, stealRatio: 0.05 } }),
    /hypervisor gave 6 %/,
  ],
  [
    "other-cpu",
    inputsWith({ machine: { ...MACHINE, otherCpuRatio: 0.5 } }),
    inputsWith({ machine: { ...MACHINE, otherCpuRatio: 0.2 } }),
    /other programs used 50 %/,
  ],
  [
    "load-before",
    inputsWith({}, { loadBefore: 1.5 }),
    inputsWith({}, { loadBefore: 1 }),
    /load average was 1\.5 per core/,
  ],
  [
    "ceiling",
    inputsWith({}, { ceiling: { clients: 8, transactionsPerSecond: 30 } }),
    inputsWith({}, { ceiling: { clients: 8, transactionsPerSecond: 1000 } }),
    /near its ceiling/,
  ],
  [
    "outlasted",
    inputsWith({ operations: add({ outlastedMs: 41_230 }) }),
    inputsWith({ operations: add({ outlastedMs: 1_000 }) }),
    /a transaction of add in flight at the end of the window took 41200 ms; the slowest measured took \S+ ms: .* lengthen the window/,
  ],
  [
    "pending-index-work",
    inputsWith({ database: { ginPendingGrowthPages: 10_651 } }),
    inputsWith({ database: { ginPendingGrowthPages: 1024, ginPendingPages: 40_000 } }),
    /GIN pending lists grew by 10651 pages .* cannot last/,
  ],
  [
    "new-log-files",
    inputsWith({ database: { walZeroBytes: 640 * MIB, walBytes: 1280 * MIB } }),
    inputsWith({ database: { walZeroBytes: 48 * MIB, walBytes: 48 * MIB } }),
    /filled new WAL files with 671 MB of zeros, 50 % of its WAL .* wal_init_zero = off/,
  ],
  [
    "stall",
    inputsWith({ stall: STALL, operations: add({ responseTimeMs: SLOW }), windowSeconds: 10 }),
    inputsWith(),
    /^add stood still for 2 of 10 s \(20 %, bound 25 %\): for 2 s from second 4 on no transaction ended; usually 830 end each second\. The longest took 2010 ms\./,
  ],
  [
    "late-fault",
    inputsWith({ faults: [{ ...FAULT, kind: "command", clearedAtSeconds: 33.2 }] }),
    inputsWith({ faults: [{ ...FAULT, kind: "command", clearedAtSeconds: 30.9 }] }),
    /the fault command was over 3\.2 s after the end of the window, .* lengthen trial\.duration/,
  ],
  [
    "server-change",
    inputsWith({ servers: [server(SYNCHRONOUS, { ...SYNCHRONOUS, what: "startedAt", sinceTrial: 2 })] }),
    inputsWith({ servers: [server()] }),
    /^the server changed: synchronous_commit: on -> off \(within the trial\); postmaster start: .* \(since trial 2\); repeat/,
  ],
  [
    "table-change",
    inputsWith({
      database: {
        tableChanges: [
          { part: "index soon_gone", table: "n.jobs", before: "CREATE INDEX ...", after: null },
          { part: "column n.jobs.tries", table: "n.jobs", before: "integer", after: "bigint" },
          { part: "trigger slow", table: "n.jobs", before: null, after: "CREATE TRIGGER ..." },
          { part: "table n.jobs", table: "n.jobs", before: "logged", after: "unlogged" },
        ],
      },
    }),
    inputsWith({ database: { tableChanges: [] } }),
    /^the measured tables changed in the window: index soon_gone of n\.jobs is gone; column n\.jobs\.tries: integer -> bigint; trigger slow of n\.jobs is new; 1 more; repeat/,
  ],
  [
    "foreign-sessions",
    inputsWith({
      database: { foreign: { sessionsActive: { mean: 2, max: 4 }, sessions: PGBENCH, cpuSeconds: 3 } },
    }),
    inputsWith({ database: { foreign: { sessionsActive: { mean: 0.1, max: 1 } } } }),
    /^on average 2 sessions of others were active .*\(bound 0\.5\) \(.*: bench\/me\/pgbench 2\); .* 3\.0 s of CPU: stop/,
  ],
  [
    "foreign-transactions",
    inputsWith({ database: { foreign: { transactions: 51, transactionsHere: 51, transactionRatio: 0.2 } } }),
    inputsWith({ database: { foreign: { transactions: 150, transactionsHere: 50, transactionRatio: 0.2 } } }),
    /^20 % of the server's transactions came from others \(bound 10 %\), 2 a second: stop/,
  ],
  [
    "other-io",
    inputsWith({ machine: { ...BUSY_DISK, otherIoBytes: 60 * MIB } }),
    inputsWith({ machine: { ...BUSY_DISK, otherIoBytes: 15 * MIB } }),
    /^other programs moved 63 MB .*, 50 % of all \(bound 20 %\): stop/,
  ],
];

describe("a check of a trial", () => {
  it("has an example among these tests", () => {
    expect([...new Set(CASES.map(([check]) => check))]).toEqual([...DIAGNOSIS_CHECKS]);
  });

  it.each(CASES)(
    "%s gives a finding beyond its bound, and none within it",
    (check, beyond, within, words) => {
      const found = diagnose(beyond);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ check, words: expect.stringMatching(words) as string });
      expect(found[0]?.seen).toBeGreaterThan(found[0]?.bound ?? Number.NaN);
      expect(diagnose(within)).toEqual([]);
    },
  );

  it("invalidates timings, and counts only if transactions are unaccounted for; warnings invalidate nothing", () => {
    const found = CASES.map(
      ([check, beyond]) => [check, diagnose(beyond)[0]?.invalidates.join(" ")] as const,
    );
    const namesOf = (effect: string) => [
      ...new Set(found.filter(([, invalidates]) => invalidates === effect).map(([check]) => check)),
    ];
    expect(namesOf("counts timings")).toEqual(["closure"]);
    expect(namesOf("")).toEqual([
      "retries",
      "without-rows",
      "load-before",
      "ceiling",
      "outlasted",
      "pending-index-work",
      "new-log-files",
      "stall",
      "late-fault",
    ]);
    expect(namesOf("timings")).toEqual([
      "event-loop-delay",
      "worker-utilization",
      "dropped",
      "clock-step",
      "agent-clock",
      "failures",
      "steal",
      "other-cpu",
      "server-change",
      "table-change",
      "foreign-sessions",
      "foreign-transactions",
      "other-io",
    ]);
  });

  it("reports failures by conflicts as a warning, unless the scenario states a bound", () => {
    const failures = { "40001": 64, "40P01": 2 };
    const serializable = inputsWith({ operations: add({ retries: 300, failures }) });
    const bounds = { ...EXAMPLE_BOUNDS, maxFailureRatio: 0.01 };
    const ofFailures = (findings: Finding[]) => findings.filter(({ check }) => check === "failures");
    expect(ofFailures(diagnose(serializable))).toMatchObject([
      {
        invalidates: [],
        words:
          "66 of 366 transactions of add failed (18 %, bound 1 %), with 40001, 40P01: latencies are those of the others",
      },
    ]);
    expect(ofFailures(diagnose({ ...serializable, bounds }))).toMatchObject([{ invalidates: ["timings"] }]);
    const mixed = inputsWith({ operations: add({ failures: { ...failures, "57014": 5 } }) });
    expect(ofFailures(diagnose(mixed))).toMatchObject([{ invalidates: ["timings"] }]);
    const faults = [{ ...FAULT, kind: "postgres-restart" as const }];
    const faulty = { ...serializable, bounds, trial: { ...serializable.trial, faults } };
    expect(ofFailures(diagnose(faulty))).toMatchObject([{ invalidates: [] }]);
  });

  it("finds a retry storm among many empty polls", () => {
    const storm = { retries: 900, retriesBySqlstate: { "40001": 900 }, emptyPolls: 50_000 };
    expect(diagnose(inputsWith({ operations: add(storm) }))).toMatchObject([
      {
        check: "retries",
        seen: 3,
        words: expect.stringContaining("for 300 transactions that ended (3 each") as string,
      },
    ]);
  });

  it("invalidates timings if a stall takes more of the window than its bound", () => {
    const seconds = 3;
    expect(diagnose(inputsWith({ windowSeconds: 10, stall: { ...STALL, seconds } }))).toMatchObject([
      { check: "stall", invalidates: ["timings"], seen: 0.3, bound: 0.25 },
    ]);
  });

  it("invalidates counts by time booked twice, and not by missing time on a busy machine", () => {
    const machine = { ...MACHINE, otherCpuRatio: 0.5 };
    const ofClosure = (accountedRatio: number) =>
      diagnose(inputsWith({ machine, client: { ...CLIENT, accountedRatio } })).find(
        ({ check }) => check === "closure",
      );
    expect(ofClosure(0.9)?.invalidates).toEqual(["timings"]);
    expect(ofClosure(1.1)?.invalidates).toEqual(["counts", "timings"]);
  });

  it("has a bound that the scenario can raise", () => {
    const [, beyond] = CASES[0] ?? [];
    if (!beyond) throw new Error("there are cases");
    expect(diagnose({ ...beyond, bounds: { ...EXAMPLE_BOUNDS, maxEventLoopDelayMs: 60 } })).toEqual([]);
  });

  it("accepts a transaction in flight that is no longer than a measured or a failed one", () => {
    const long = { ...exampleOperation(10).responseTimeMs, max: 60_000 };
    const outlastedMs = 119_000;
    for (const measured of [{ responseTimeMs: long }, { failedTimeMs: long }])
      expect(diagnose(inputsWith({ operations: add({ outlastedMs, ...measured }) }))).toEqual([]);
  });

  it("states no slowest transaction if none ended", () => {
    const stood = { transactions: 0, responseTimeMs: null, outlastedMs: 1_510 };
    expect(diagnose(inputsWith({ operations: add(stood) }))).toMatchObject([
      {
        check: "outlasted",
        words: expect.stringMatching(/took 1510 ms; none had ended/) as string,
      },
    ]);
  });

  it("finds time that was booked twice", () => {
    expect(diagnose(inputsWith({ client: { ...CLIENT, accountedRatio: 1.05 } }))).toHaveLength(1);
  });

  it("gives no finding without evidence", () => {
    const trial = { ...exampleTrial(0, 1, 10), client: null };
    expect(diagnose({ trial, bounds: EXAMPLE_BOUNDS })).toEqual([]);
    expect(diagnose(inputsWith({ machine: { stealRatio: 0, otherCpuRatio: null } }))).toEqual([]);
  });

  it("ignores a restart that a fault of the trial made, but finds a changed setting", () => {
    const restart = { ...RELOAD, what: "startedAt" };
    const servers = [server(restart, RELOAD)];
    const faults = [{ ...FAULT, kind: "postgres-restart" as const }];
    expect(diagnose(inputsWith({ servers }))).toMatchObject([{ invalidates: ["timings"], seen: 1 }]);
    expect(diagnose(inputsWith({ servers, faults }))).toEqual([]);
    const place = { what: "synchronous_standby_names", before: "member2", after: "member3" };
    expect(diagnose(inputsWith({ servers: [server(restart, place)], faults }))).toEqual([]);
    const before = [server({ ...restart, sinceTrial: 1 })];
    expect(diagnose(inputsWith({ servers: before, faults }))).toMatchObject([{ invalidates: ["timings"] }]);
    expect(diagnose(inputsWith({ servers: [server(restart, SYNCHRONOUS)], faults }))).toMatchObject([
      {
        invalidates: ["timings"],
        words: expect.stringMatching(/^the server changed: synchronous_commit: on -> off/) as string,
      },
    ]);
  });

  it("gives a warning only if the configuration was reloaded without a visible change", () => {
    expect(diagnose(inputsWith({ servers: [server(RELOAD)] }))).toMatchObject([
      {
        invalidates: [],
        words: expect.stringMatching(/without a visible change: configuration load time/) as string,
      },
    ]);
  });

  it("warns of foreign sessions and transactions that exceed a fifth of the bound but not the bound", () => {
    const sessions = { foreign: { sessionsActive: { mean: 0.2, max: 1 } } };
    const transactions = { foreign: { transactions: 900, transactionRatio: 0.03 } };
    for (const database of [sessions, transactions])
      expect(diagnose(inputsWith({ database }))).toMatchObject([{ invalidates: [] }]);
  });

  it("gives no finding on I/O of other processes if nothing waited, nothing reached a disk or own I/O is unknown", () => {
    const machine = { ...BUSY_DISK, otherIoBytes: 600 * MIB };
    const { ownIoBytes: _, ...unknown } = machine;
    for (const one of [{ ...machine, ioPressureRatio: 0.09 }, { ...machine, diskIoBytes: MIB }, unknown])
      expect(diagnose(inputsWith({ machine: one }))).toEqual([]);
  });

  it("gives no finding on an incomplete trial", () => {
    const client = { ...CLIENT, eventLoopDelayP99Ms: 900 };
    expect(diagnose(inputsWith({ client, status: "partial", reason: "stopped" }))).toEqual([]);
  });
});

describe("a value near its bound", () => {
  it("is written with enough digits to stay on its side of the bound", () => {
    expect([ms(50.04, 50), ms(50.4, 50), ms(123.4, 50), ms(50.04)]).toEqual([
      "50.04 ms",
      "50.4 ms",
      "123 ms",
      "50 ms",
    ]);
    expect([percent(0.01004, 0.01), percent(0.0123, 0.01), percent(0.1)]).toEqual([
      "1.004 %",
      "1.23 %",
      "10 %",
    ]);
  });
});
