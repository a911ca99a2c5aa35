// Input of a report with data for every chart: three treatments of which one uses PgBouncer, five trials each, seconds,
// samples, distributions, a sweep and a search for capacity. It is made from a seed.
import { Prng } from "../../src/foundation/prng.js";
import { keyFindings } from "../../src/report/findings/key-findings.js";
import { withAnalysis } from "../../src/analysis/comparison/analysis.js";
import type {
  OperationSeries,
  PercentileCurve,
  ReportData,
  TrialSeries,
} from "../../src/report/html/report-data.js";
import type {
  LatencyPart,
  ResultDocument,
  TreatmentResult,
  TrialResult,
} from "../../src/results/result-schema.js";
import { exampleOperation, exampleResult, exampleTrial } from "./example-result.js";
import { exampleCapacity, exampleSweep } from "./example-searches.js";

/** Slowdown of each treatment relative to the first. */
export const EXAMPLE_TREATMENTS: Readonly<Record<string, number>> = {
  jsonb: 2,
  "jsonb-manual": 1.3,
  text: 1,
};
/** Id of the treatment whose pool is PgBouncer. */
export const EXAMPLE_POOLED = "text";
const TRIALS = 5;
const SECONDS = 30;

function partsOf(meanMs: number): LatencyPart[] {
  const shares = {
    poolWait: 0.1,
    begin: 0.05,
    insert_events: 0.4,
    insert_status: 0.2,
    commit: 0.2,
    program: 0.05,
  };
  return Object.entries(shares).map(([name, share]) => ({
    name,
    meanMs: meanMs * share,
    calls: name === "program" ? 0 : 1,
    slowMeanMs: meanMs * share * (name === "commit" ? 9 : 2),
  }));
}

function trialOf(
  treatment: string,
  slowdown: number,
  block: number,
  number: number,
  prng: Prng,
): TrialResult {
  const meanMs = 10 * slowdown * (0.95 + 0.1 * prng.float());
  const trial = exampleTrial(block, number, meanMs);
  const operations = Object.fromEntries(
    Object.entries(trial.operations).map(([name, each]) => [
      name,
      { ...each, parts: partsOf(each.responseTimeMs?.mean ?? 0) },
    ]),
  );
  const near = (value: number): number => value * slowdown * (0.9 + 0.2 * prng.float());
  const perEvent = {
    events: 15_000,
    walBytes: near(2600),
    walRecords: near(14),
    deadTuples: near(1.1),
    tableBytes: -near(3),
    indexBytes: near(640),
    serverCpuMs: near(0.4),
    clientCpuMs: 0.2,
  };
  return {
    ...trial,
    operations,
    database: {
      perEvent,
      ...{
        walBytes: near(4e7),
        hotRatio: 0.4,
        tableBytes: near(4e7),
        indexBytes: near(2e7),
        toastBytes: near(3e6),
      },
      deadTuples: { mean: near(900), max: near(2000) },
      waits: [{ event: "LWLock:WALWrite", share: 0.3, sessions: 1.2 }],
    },
    ...(block === 0 &&
      treatment === "jsonb" && {
        steadyState: { isSteady: false, reason: "still rising", settledAfterSeconds: 6 },
      }),
  };
}

function operationSeries(level: number, meanMs: number, prng: Prng): OperationSeries {
  const over = (value: number): number[] =>
    Array.from({ length: SECONDS }, () => Math.round(value * (0.9 + 0.2 * prng.float())));
  const transactions = over(level / 50);
  return {
    events: over(level),
    transactions,
    retries: over(3),
    failures: over(0),
    p50: over(meanMs),
    p95: over(meanMs * 2),
    p99: over(meanMs * 3).map((value, i) => (i === 17 ? null : value)),
    max: over(meanMs * 6),
  };
}

function seriesOf(treatment: string, slowdown: number, trial: number, prng: Prng): TrialSeries {
  const over = (value: number): number[] =>
    Array.from({ length: SECONDS }, (_, i) => value * (0.8 + 0.4 * prng.float() + i / SECONDS));
  const evidence: Record<string, number[]> = {
    ...{
      "queue.pending": over(40 * slowdown),
      "queue.processing": over(12),
      "queue.complete": over(20),
      "queue.failed": over(2),
    },
    ...{
      "queue.oldestPendingMs": over(80 * slowdown),
      "sessions.active": over(3),
      "wal.bytes": over(2e6 * slowdown),
    },
    ...{
      "wait.CPU": over(1.5),
      "wait.LWLock:WALWrite": over(slowdown),
      "wait.Lock:tuple": over(0.4),
      "tuples.dead": over(900),
    },
    ...{
      "host.serverCpuMs": over(600 * slowdown),
      "host.clientCpuMs": over(200),
      "host.otherCpuMs": over(60),
    },
  };
  if (treatment === EXAMPLE_POOLED)
    Object.assign(evidence, {
      "pooler.clientsWaiting": over(4),
      "pooler.serversActive": over(8),
      "pooler.maxWaitMs": over(20),
    });
  const operations = {
    add: operationSeries(900 / slowdown, 10 * slowdown, prng),
    process: operationSeries(1700 / slowdown, 6 * slowdown, prng),
  };
  return { trial, treatment, bucketSeconds: 1, buckets: SECONDS, operations, evidence };
}

function curveOf(
  treatment: string,
  operation: PercentileCurve["operation"],
  meanMs: number,
): PercentileCurve {
  const percentiles = [0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 100];
  return {
    treatment,
    operation,
    count: 45_000,
    points: percentiles.map((p, i) => [p, meanMs * (0.3 + i * i * 0.08)]),
  };
}

function treatmentOf(id: string, slowdown: number, offset: number, prng: Prng): TreatmentResult {
  const mergedOperation = (meanMs: number) => ({
    ...exampleOperation(meanMs, TRIALS),
    parts: partsOf(meanMs),
  });
  return {
    id,
    levels: { payload: id, pool: id === EXAMPLE_POOLED ? "pgbouncer" : "direct" },
    trials: Array.from({ length: TRIALS }, (_, block) =>
      trialOf(id, slowdown, block, block * 3 + offset + 1, prng),
    ),
    merged: {
      trials: TRIALS,
      windowSeconds: 30 * TRIALS,
      operations: { add: mergedOperation(10 * slowdown), process: mergedOperation(20 * slowdown) },
      lifecycle: { completedMs: null, archivedMs: null },
    },
  };
}

function exampleDocument(prng: Prng): ResultDocument {
  const treatments = Object.entries(EXAMPLE_TREATMENTS).map(([id, slowdown], i) =>
    treatmentOf(id, slowdown, i, prng),
  );
  const analysed = withAnalysis({ ...exampleResult(TRIALS), treatments });
  return { ...analysed, sweeps: [exampleSweep()], capacity: [exampleCapacity()] };
}

export function exampleReport(): ReportData {
  const prng = new Prng(2026);
  const result = exampleDocument(prng);
  return {
    programVersion: "0.1.0",
    result,
    vocabulary: result.workload,
    findings: keyFindings(result),
    notes: ["a note of the linter"],
    invalidTrials: { counts: [], timings: [] },
    series: result.treatments
      .flatMap(({ id, trials }) => trials.map(({ number }) => ({ id, number })))
      .sort((a, b) => a.number - b.number)
      .map(({ id, number }) => seriesOf(id, EXAMPLE_TREATMENTS[id] ?? 1, number, prng)),
    curves: Object.entries(EXAMPLE_TREATMENTS).flatMap(([id, slowdown]) => [
      curveOf(id, "add", 10 * slowdown),
      curveOf(id, "process", 20 * slowdown),
      curveOf(id, "lifecycle.completed", 90 * slowdown),
    ]),
  };
}
