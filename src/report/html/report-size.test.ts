// Size of `report.html` for an experiment of six treatments with five trials of a minute each
// and all optional fields, with the real page.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { Totals } from "../../metrics/totals.js";
import { trialPath } from "../../results/directory.js";
import { EVIDENCE_FILE, EVIDENCE_HEADER, evidenceRows } from "../../results/evidence-file.js";
import { SAMPLED_METRICS } from "../../workloads/evidence.js";
import {
  RESULT_VERSION,
  type DatabaseEvidence,
  type OperationResult,
  type ResultDocument,
} from "../../results/result-schema.js";
import { TrialFiles } from "../../results/trial-files.js";
import {
  EXAMPLE_INTEGRITY,
  exampleLatency,
  exampleOperation,
  EXAMPLE_VERDICT,
  EXAMPLE_WORKLOAD,
} from "../../../test/support/example-result.js";
import { elementsOf, embeddedData } from "../../../test/support/report-html.js";
import { withAnalysis } from "../../analysis/comparison/analysis.js";
import { collectReport } from "./collect.js";
import { renderReport } from "./render.js";

const OPERATIONS = ["add", "process", "archive", "read"] as const;
const TREATMENTS = 6;
const TRIALS = 5;
const SECONDS = 60;
const SIZE_MAX = 3_000_000;

const prng = new Prng(1);
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-size-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function secondTotals(): Totals {
  const totals = new Totals(OPERATIONS);
  for (const operation of OPERATIONS) {
    Object.assign(totals.countsOf(operation), { transactions: 20, events: 1000 });
    for (const measure of ["response", "service", "poolwait"] as const)
      for (let i = 0; i < 20; i++)
        totals.histograms.at(`${operation}.${measure}`).recordValue(prng.intBetween(500, 200_000));
  }
  for (let i = 0; i < 50; i++)
    totals.histograms.at("lifecycle.completed").recordValue(prng.intBetween(9000, 9e6));
  return totals;
}

/** Twelve wait events, and every other metric that PostgreSQL has. */
function sample(): Record<string, number> {
  const ofPostgres = SAMPLED_METRICS.filter(
    ({ meaning }) => !/^(InnoDB|MongoDB|CockroachDB): /.test(meaning),
  );
  const names = ofPostgres.map(({ name }) => name).filter((name) => !name.endsWith("*"));
  const waits = Array.from({ length: 12 }, (_, i) => `wait.LWLock:Event${i}`);
  return Object.fromEntries(
    [...names, ...waits].map((name) => [name, prng.float() * 10 ** prng.intBetween(0, 9)]),
  );
}

function writeOneTrial(path: string): void {
  mkdirSync(path, { recursive: true });
  const files = new TrialFiles(path, 0);
  for (let second = 0; second < SECONDS; second++) files.onSecond(second, secondTotals());
  files.close();
  const rows = Array.from({ length: SECONDS }, (_, second) => evidenceRows(second, sample()));
  writeFileSync(join(path, EVIDENCE_FILE), EVIDENCE_HEADER + rows.join(""));
}

function operation(): OperationResult {
  const names = [
    "startDelay",
    "poolWait",
    "begin",
    "claim",
    "advance",
    "update",
    "appDelay",
    "commit",
    "program",
  ];
  return {
    ...exampleOperation(10 + prng.float()),
    transactions: 20 * SECONDS,
    events: 1000 * SECONDS,
    parts: names.map((name) => ({
      name,
      meanMs: prng.float(),
      calls: 1,
      slowMeanMs: prng.float() * 30,
    })),
  };
}

function database(): DatabaseEvidence {
  const { walBytes, tableBytes, indexBytes } = {
    walBytes: prng.float() * 1e9,
    tableBytes: 1e8,
    indexBytes: 1e8,
  };
  const spread = { mean: prng.float() * 10, max: 12 };
  return {
    walBytes,
    walRecords: 1e6,
    walFullPageImages: 1000,
    walFsyncs: 4000,
    walFsyncMs: 2000.5,
    commits: 1e5,
    rollbacks: 3,
    deadlocks: 0,
    blocksRead: 1000,
    blocksHit: 1e7,
    blocksWritten: 1000,
    checkpoints: 1,
    rowsInserted: 1e5,
    rowsUpdated: 1e5,
    rowsHotUpdated: 5e4,
    rowsDeleted: 1e5,
    hotRatio: prng.float(),
    tableBytes,
    indexBytes,
    toastBytes: 0,
    serverCpuSeconds: 30.25,
    sessionsActive: spread,
    blocked: spread,
    perEvent: {
      events: 60_000,
      walBytes: prng.float() * 1e4,
      walRecords: 12.345678,
      serverCpuMs: 0.123456789,
    },
    waits: Array.from({ length: 12 }, (_, i) => ({ event: `LWLock:Event${i}`, share: 0.05, sessions: 0.5 })),
    statements: Array.from({ length: 8 }, (_, i) => ({
      name: `process.statement${i}`,
      query: `UPDATE train_sim.event_status SET status = $${i} `.repeat(4),
      calls: 1e5,
      rows: 1e6,
      totalMs: prng.float() * 1e5,
    })),
    sampling: { samples: 60, missed: 0, meanMs: 2.5 },
  };
}

/** Each trial has the files of the first: their content makes no difference to their size. */
function storedExperiment(): ResultDocument {
  const treatments = Array.from({ length: TREATMENTS }, (_, t) => ({
    id: `jsonb-manual+pgbouncer-transaction-${t}`,
    levels: { payload: "jsonb-manual", pool: `pgbouncer-transaction-${t}` },
    trials: Array.from({ length: TRIALS }, (_, block) => ({
      index: block,
      number: block * TREATMENTS + t + 1,
      block,
      seed: block,
      windowSeconds: SECONDS,
      startedAt: "2026-01-31T12:00:00.000Z",
      operations: Object.fromEntries(OPERATIONS.map((name) => [name, operation()])),
      lifecycle: { completedMs: exampleLatency(100 + prng.float()), archivedMs: null },
      integrity: EXAMPLE_INTEGRITY,
      database: database(),
      client: { cpuSeconds: 3.5, eventLoopDelayP99Ms: 11.2 },
      status: "complete" as const,
    })),
    merged: null,
  }));
  const first = trialPath(directory, 1, treatments[0]?.id ?? "");
  writeOneTrial(first);
  for (const { id, trials } of treatments)
    for (const { number } of trials) {
      const path = trialPath(directory, number, id);
      if (path !== first) cpSync(first, path, { recursive: true });
    }
  return withAnalysis({
    version: RESULT_VERSION,
    scenario: {
      name: "size",
      seed: 1,
      trials: TREATMENTS * TRIALS,
      trialOrder: [],
      yaml: "name: size\n".repeat(100),
    },
    workload: EXAMPLE_WORKLOAD,
    environment: { versions: {}, settings: {}, machine: {} },
    verdict: EXAMPLE_VERDICT,
    treatments,
    comparisons: [],
    diagnosis: [],
    faults: [],
  });
}

function builtPage(): { script: string; style: string } {
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  execFileSync(process.execPath, [join(root, "esbuild.config.mjs"), directory, "pages"], { cwd: root });
  const read = (file: string): string => readFileSync(join(directory, "report/html", file), "utf8");
  return { script: read("page.js"), style: read("page.css") };
}

test("report.html is under 3 MB for 6 treatments with 5 trials of a minute each", async () => {
  const data = await collectReport(directory, storedExperiment(), "1.2.3");
  const page = renderReport(data, builtPage());
  const written = embeddedData(page);
  expect(written.series).toHaveLength(TREATMENTS * TRIALS);
  for (const { buckets, evidence } of written.series) {
    expect(buckets).toBe(SECONDS);
    expect(Object.keys(evidence).length).toBeGreaterThan(50);
  }
  expect(written.curves).toHaveLength(TREATMENTS * (OPERATIONS.length + 1));
  expect(elementsOf(page).length).toBeGreaterThan(1000);
  expect(Buffer.byteLength(page)).toBeLessThan(SIZE_MAX);
});
