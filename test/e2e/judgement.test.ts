// Thresholds and diagnosis on the built program: exit codes, stored results, and trials that are disturbed on purpose by
// failing transactions, another busy program, or arrivals that cannot start.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import type { ResultDocument } from "../../src/results/result-schema.js";
import { onSuiteServer } from "../support/suite-server.js";
import { UNDISTURBED } from "../support/undisturbed.js";
import { serversBelow, stall } from "../support/stall.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const BASE = `
name: judged
seed: 7
trials: 1
actors:
  producers: { load: { clients: 2, thinkTime: 15ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: false
batch: { min: 5, max: 10 }
appDelay: 0
trial: { warmUp: 200ms, duration: 1s, drain: 10s }
diagnosis: { ceiling: false }
`;
const ON_SUITE_SERVER = BASE + onSuiteServer("judged");

interface Judged {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly result: ResultDocument;
}

async function run(...set: string[]): Promise<Judged> {
  return runOf(ON_SUITE_SERVER, ...set);
}

/** Runs a scenario with an embedded server, since the processors' use by the suite's server cannot be measured. */
async function runEmbedded(...set: string[]): Promise<Judged> {
  return runOf(BASE, ...set);
}

async function runOf(scenario: string, ...set: string[]): Promise<Judged> {
  const out = join(scratchDirectory(), "results");
  const overrides = set.flatMap((one) => ["--set", one]);
  const ended = await trainSim(["run", writeScenarioFile(scenario), "--out", out, "--verbose", ...overrides]);
  return { ...ended, result: onlyResultIn(out).result };
}

function findings({ result }: Judged): string[] {
  return result.treatments.flatMap(({ trials }) =>
    trials.flatMap(({ diagnosis = [] }) => diagnosis.map(({ check }) => check)),
  );
}

describe("thresholds", () => {
  it("give exit code 99 if one fails, and are not assessed if they have too few samples", async () => {
    const { exitCode, stdout, result } = await run(
      ...UNDISTURBED,
      "thresholds.add=[count>0, max<0.001, p(99.9)<60000, p(50)<60000]",
      "thresholds.integrity=violations==0",
    );
    expect(exitCode).toBe(99);
    expect(stdout).toMatch(/^Thresholds: 1 of 5 FAILED, 1 not assessed\.$/m);
    expect(stdout).toMatch(/p\(99\.9\)<60000 .* \d+ samples, needs 2995/);
    expect(result.thresholds?.map(({ expression, ok }) => [expression, ok])).toEqual([
      ["count>0", true],
      ["max<0.001", false],
      ["p(99.9)<60000", null],
      ["p(50)<60000", true],
      ["violations==0", true],
    ]);
    expect(result.treatments[0]?.ceiling).toBeUndefined();
  });

  fullIt(
    "compare trials of the same block in ratios, and do not assess `surely` with fewer than 5 blocks",
    async () => {
      const { exitCode, stdout, result } = await run(
        ...UNDISTURBED,
        ...["trials=2", "factors.payload=[text, jsonb-manual]", "trial.warmUp=0s"],
        'thresholds."add{payload:text} / add{payload:jsonb-manual}"=[events/s>0.01, events/s surely>0.01]',
        'thresholds."database{payload:text} / database{payload:jsonb-manual}"=[sizeBytes<100]',
      );
      expect(exitCode).toBe(99);
      expect(stdout).toMatch(/^Thresholds: 1 of 3 not assessed\.$/m);
      const comparison = result.comparisons.find(
        ({ operation, metric }) => operation === "add" && metric === "eventsPerSecond",
      );
      const sides = { treatment: "text", against: "jsonb-manual", blocks: 2 };
      expect(result.thresholds).toMatchObject([
        { ...sides, expression: "events/s>0.01", ok: true },
        { ...sides, ok: null, reason: "2 blocks, surely needs 5" },
        { ...sides, ok: true },
      ]);
      expect(result.thresholds?.[0]?.seen).toBeCloseTo(1 / (comparison?.ratio ?? 0), 10);
    },
  );

  fullIt("allow for arrivals that a Poisson schedule by chance did not offer", async () => {
    const { exitCode, result } = await run(
      "actors.producers.load={ executor: constant-arrival-rate, rate: 40, maxClients: 16 }",
      ...[...UNDISTURBED, "seed=2", "trial.duration=2s", "thresholds.add=[rate>=40]"],
    );
    const { offered = 0 } = result.treatments[0]?.trials[0]?.operations.add ?? {};
    expect(offered, "the schedule of this seed").toBeLessThan(80);
    expect(result.thresholds).toMatchObject([
      {
        ok: true,
        reason: expect.stringMatching(/^the schedule offered \d+ arrivals, within chance of/) as string,
      },
    ]);
    expect(exitCode).toBe(0);
  });

  it("end the experiment with 108 if abortOnFail is set, and keep the partial trial with its audit", async () => {
    const { exitCode, stderr, result } = await run(
      "trials=2",
      "trial.duration=30s",
      "thresholds.process=[{ threshold: max<0.001, abortOnFail: true, delayAbortEval: 1s }]",
    );
    expect(exitCode).toBe(108);
    expect(stderr).toMatch(/aborted by a threshold in trial 1 \(base\): process max<0\.001, seen /);
    expect(result.verdict).toMatchObject({
      status: "aborted",
      reasons: [expect.stringMatching(/^aborted by a threshold .* after 0 of 2 trials$/)],
    });
    const [trial, ...others] = result.treatments[0]?.trials ?? [];
    expect(others).toEqual([]);
    expect(trial).toMatchObject({ status: "partial", integrity: { verdict: "ok" } });
    expect(trial?.windowSeconds).toBeLessThan(29);
    expect(trial?.operations.process?.transactions).toBeGreaterThan(0);
    expect(result.thresholds?.[0]).toMatchObject({ ok: false, reason: "aborted the experiment in trial 1" });
  });
});

describe("the diagnosis", () => {
  fullIt("accounts for the time of a client without think time in a window of 1 s", async () => {
    const { result } = await run(
      "actors.producers.load={ clients: 1, thinkTime: 0 }",
      ...["actors.consumers=false", "batch=1", "trial.drain=false"],
    );
    const [trial] = result.treatments[0]?.trials ?? [];
    // An earlier version booked the program's time between transactions to no activity: 1.2 % at 1 200 transactions per
    // second.
    expect(trial?.client?.accountedRatio).toBeGreaterThan(0.995);
    expect(trial?.client?.accountedRatio).toBeLessThan(1.001);
  });

  fullIt("accounts for the time of clients after their iterations are used up", async () => {
    const budget = "executor: per-client-iterations, iterations: 20, thinkTime: 5ms, clients: 2";
    const { result } = await run(
      `actors.producers.load={ ${budget} }`,
      "actors.consumers.load={ executor: per-client-iterations, iterations: 150, clients: 2 }",
    );
    const client = result.treatments[0]?.trials[0]?.client;
    expect(client?.accountedMs?.finished).toBeGreaterThan(0);
    expect(client?.accountedRatio).toBeGreaterThan(0.95);
    expect(client?.accountedRatio).toBeLessThan(1.02);
  });

  const CONFLICTS = ["locking=nowait", "retry.attempts=1", "actors.consumers.clients=8", "appDelay=5ms"];
  const failuresIn = ({ result }: Awaited<ReturnType<typeof run>>) =>
    result.diagnosis.find(({ check }) => check === "failures");

  fullIt("warns of conflicts that are left after all retries, and invalidates nothing", async () => {
    const judged = await run(...CONFLICTS);
    expect(failuresIn(judged)).toMatchObject({ trial: 1, treatment: "base", invalidates: [] });
    expect(judged.result.verdict.timings.reasons.join()).not.toContain("failed");
    expect(judged.exitCode).toBe(0);
  });

  fullIt(
    "invalidates timings if failures exceed maxFailureRatio; thresholds on counts are still judged",
    async () => {
      const judged = await run(
        ...CONFLICTS,
        "diagnosis.maxFailureRatio=0.01",
        ...["thresholds.process=[count>0,p(50)<60000]", "thresholds.verdict=invalidTimings==0"],
      );
      expect(failuresIn(judged)).toMatchObject({ trial: 1, treatment: "base", invalidates: ["timings"] });
      expect(judged.result.verdict).toMatchObject({ counts: { isValid: true }, timings: { isValid: false } });
      expect(judged.result.thresholds?.map(({ expression, ok }) => [expression, ok])).toEqual([
        ...[
          ["count>0", true],
          ["p(50)<60000", null],
          ["invalidTimings==0", false],
        ],
      ]);
      expect(judged.stdout).toContain("TIMINGS NOT VALID: do not use latencies and rates. Counts are valid.");
      expect(judged.exitCode).toBe(99);
    },
  );

  fullIt("warns of a retry storm on the terminal and in the result, and invalidates nothing", async () => {
    const judged = await run(
      "locking=nowait",
      "actors.consumers.clients=8",
      "appDelay=5ms",
      "diagnosis.maxRetriesPerTransaction=0.05",
    );
    const { process: seen } = judged.result.treatments[0]?.trials[0]?.operations ?? {};
    expect(seen?.retriesBySqlstate["55P03"]).toBeGreaterThan(0);
    expect(seen?.failures).toEqual({});
    expect(judged.result.diagnosis).toContainEqual(
      expect.objectContaining({ kind: "finding", check: "retries", invalidates: [], bound: 0.05 }),
    );
    expect(judged.stdout.replace(/\s+/g, " ")).toMatch(
      /warning: trial 1 \(base\): retry storm: \d+ attempts of process .* mostly 55P03\); backoff was/,
    );
    expect(judged.exitCode).toBe(0);
  });

  /** A program that uses a third of a processor. */
  const BUSY = "setInterval(() => { for (const end = Date.now() + 20; Date.now() < end;); }, 60)";

  it("accounts for time, states a ceiling, and invalidates timings if delays or other programs' CPU use exceed bounds", async () => {
    const loop = spawn(process.execPath, ["-e", BUSY], { stdio: "ignore" });
    try {
      const judged = await runEmbedded(
        "trial.duration=2s",
        "diagnosis.ceiling=true",
        "diagnosis.maxEventLoopDelay=1us",
        "diagnosis.maxWorkerUtilization=0.000001",
        "diagnosis.maxClockStep=1us",
        "diagnosis.maxOtherCpuRatio=0.01",
        ...["thresholds.add=[count>0,max<60000]", "thresholds.integrity=violations==0"],
      );
      const ofItself = ["event-loop-delay", "worker-utilization", "clock-step"];
      const ofOthers = process.platform === "linux" ? ["other-cpu"] : [];
      expect(findings(judged)).toEqual(expect.arrayContaining([...ofItself, ...ofOthers]));
      expect(judged.result.verdict).toMatchObject({ counts: { isValid: true }, timings: { isValid: false } });
      expect(judged.result.thresholds?.map(({ expression, ok }) => [expression, ok])).toEqual([
        ...[
          ["count>0", true],
          ["max<60000", null],
          ["violations==0", true],
        ],
      ]);
      expect(judged.exitCode).toBe(99);

      const [treatment] = judged.result.treatments;
      const client = treatment?.trials[0]?.client;
      // A busy machine lowers the share: while its thread does not run, a client does nothing that could be booked.
      expect(client?.accountedRatio).toBeGreaterThan(0.3);
      expect(client?.accountedRatio).toBeLessThan(1.001);
      expect(client?.workerUtilization).toBeGreaterThan(0);
      expect(treatment?.trials[0]?.machine?.otherCpuRatio).not.toBeUndefined();
      expect(treatment?.ceiling?.clients).toBe(4);
      expect(treatment?.ceiling?.transactionsPerSecond).toBeGreaterThan(0);
      expect(judged.stdout).toContain("ceiling: the same 4 clients make ");
      expect(judged.stdout).toContain(
        "steady state: not assessed (2 whole seconds of a window, at least 20 are needed)",
      );
    } finally {
      loop.kill("SIGKILL");
    }
  });

  fullIt("finds an open loop whose rate was not offered", async () => {
    const judged = await run(
      "actors.producers.load={ executor: constant-arrival-rate, rate: 2000, maxClients: 1 }",
      ...["batch=200", "trial.drain=false"],
    );
    expect(findings(judged)).toContain("dropped");
  });
});

const PACED = `
name: stalled
seed: 7
trials: 1
actors:
  producers: { load: { clients: 2, thinkTime: 15ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: false
batch: 1
appDelay: 0
trial: { warmUp: 200ms, duration: 10s, drain: false }
diagnosis: { ceiling: false }
`;

fullIt(
  "a server that is paused is a finding with the seconds of the stall and the longest transaction",
  async () => {
    const out = join(scratchDirectory(), "results");
    const started = startTrainSim(["run", writeScenarioFile(PACED), "--out", out, "--verbose"]);
    await untilLogged(out, '"phase":"measure"');
    await stall(serversBelow(started.child.pid ?? 0), 3_000);
    const { stdout, stderr } = await started.ended;
    const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
    expect(trial?.status, stderr).toBe("complete");
    const found = trial?.diagnosis?.find(({ check }) => check === "stall");
    // Three seconds hold at least two whole seconds, wherever they begin.
    expect(trial?.stall?.seconds).toBeGreaterThanOrEqual(2);
    expect(found?.words).toMatch(/stood still for \d of 10 s .* The longest took \d{4} ms/);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("stood still");
  },
);
