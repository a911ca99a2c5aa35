// Parts of real transactions' times: for every pool strategy and statement shape, in both topologies, open and closed loop,
// the parts of each operation sum to its mean response time, and none is negative.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import type { OperationResult, ResultDocument } from "../../src/results/result-schema.js";
import { testNamespace } from "../support/namespace.js";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { urlOf } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

/** Relative error of a histogram's mean: each sample counts as the middle of its bucket, which is at most 0.1 % wide. */
const QUANTISATION = 0.001;
/** Resolution of samples, which are whole microseconds. */
const SAMPLE_MS = 0.001;
/** Timeout of twelve trials, each with a separate database schema and worker threads. */
const MATRIX_MAX_MS = 180_000;

const POOLS = [
  "{ strategy: direct }",
  "{ strategy: direct, reconnect: per-transaction }",
  "{ strategy: pg-pool, size: 4 }",
  "{ strategy: pgbouncer, mode: transaction, size: 4 }",
];
const SHAPES = ["set-based", "row-by-row", "single-statement"];
async function run(rest: string): Promise<{ directory: string; result: ResultDocument }> {
  const yaml = `name: parts\nseed: 1\nnamespace: ${testNamespace("parts")}
target: { kind: url, urls: ["${urlOf(inject("adminEndpoint"))}"] }
batch: { min: 2, max: 6 }
diagnosis: { ceiling: false }
trials: 1
trial: { warmUp: 300ms, duration: 1s, drain: 10s }
${rest}`;
  const out = scratchDirectory();
  const ended = await trainSim(["run", writeScenarioFile(yaml), "--out", out], { env: pgBouncerEnv() });
  expect(ended.exitCode, ended.stderr).toBe(0);
  return onlyResultIn(out);
}

function expectClosure(
  words: string,
  { parts = [], responseTimeMs, slowTransactions }: OperationResult,
): void {
  const sumMs = parts.reduce((sum, { meanMs }) => sum + meanMs, 0);
  const meanMs = responseTimeMs?.mean ?? NaN;
  expect(Math.abs(sumMs - meanMs), words).toBeLessThanOrEqual(meanMs * QUANTISATION + SAMPLE_MS);
  for (const part of parts) {
    expect(part.meanMs, words).toBeGreaterThanOrEqual(0);
    expect(part.slowMeanMs, words).toBeGreaterThanOrEqual(0);
  }
  expect(slowTransactions, words).toBeGreaterThan(0);
}

const namesOf = ({ parts = [] }: OperationResult): string[] =>
  parts.map(({ name }) => name).filter((name) => name !== "backoff" && name !== "rollback");

/** Lines of all trials' logs with that event. */
function logLines(directory: string, event: string): Record<string, unknown>[] {
  const trials = join(directory, "trials");
  return readdirSync(trials)
    .flatMap((trial) =>
      readFileSync(join(trials, trial, "log.ndjson"), "utf8")
        .trim()
        .split("\n"),
    )
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line["event"] === event);
}

function sumOfParts(parts: unknown): number {
  return Object.values(parts as Record<string, number>).reduce((sum, ms) => sum + ms, 0);
}

describe("the parts of response times", () => {
  it(
    "add up to the response time and are named after their calls with every pool and statement shape",
    async () => {
      const { directory, result } = await run(`factors:
  pool: [${POOLS.join()}]
  statementShape: [${SHAPES.join()}]
log: { slowTransaction: 1ms }
appDelay: { min: 1ms, max: 3ms }
actors:
  producers: { load: { executor: constant-clients, clients: 2, thinkTime: 10ms } }
  consumers: { load: { executor: constant-clients, clients: 2, thinkTime: 5ms } }
  archivers: { load: { executor: constant-clients, clients: 1, thinkTime: 5ms } }
  readers: { load: { executor: constant-clients, clients: 1, thinkTime: 10ms } }
`);
      expect(result.treatments).toHaveLength(12);
      for (const { id, levels, merged } of result.treatments) {
        const shape = levels["statementShape"];
        for (const operation of ["add", "process", "archive", "read"] as const) {
          const measured = merged?.operations[operation];
          if (!measured || measured.transactions === 0) throw new Error(`${id} did no ${operation}`);
          expectClosure(`${id} ${operation}`, measured);
          const isAlone = shape === "single-statement";
          const own = {
            add: ["add.events", "add.status"],
            process: ["process.claim", "process.advance", "appDelay", "process.payload"],
            archive: ["archive.claim", "archive.copy", "archive.delete-status", "archive.delete-events"],
            read: ["read.recent", "read.find"],
          }[operation];
          const calls = isAlone ? [operation] : ["begin", ...own, "commit"];
          // If the transaction is one statement, its locks are held for the app delay, which needs BEGIN and COMMIT.
          const expected =
            isAlone && operation === "process" ? ["begin", "process", "appDelay", "commit"] : calls;
          expect(namesOf(measured), `${id} ${operation}`).toEqual([...["poolWait", ...expected, "program"]]);
          const first = measured.parts?.find(({ name }) => name === (isAlone ? operation : own[0]));
          if (shape === "row-by-row" && operation === "add")
            expect(first?.calls).toBeCloseTo(measured.events / measured.transactions, 6);
          else expect(first?.calls).toBeGreaterThanOrEqual(1);
        }
      }
      const summaries = logLines(directory, "summary").filter((line) => Number(line["transactions"]) > 0);
      const slowest = summaries.flatMap((line) => (line["outside"] === true ? [] : [line["slowest"]]));
      expect(slowest.length).toBeGreaterThan(12);
      for (const each of slowest) {
        const { responseMs, parts } = each as { responseMs: number; parts: unknown };
        expect(Math.abs(sumOfParts(parts) - responseMs)).toBeLessThan(0.02); // each rounded to a microsecond
      }
      const slow = logLines(directory, "slow");
      expect(slow.length).toBeGreaterThan(12);
      for (const line of slow)
        expect(Math.abs(sumOfParts(line["parts"]) - Number(line["responseMs"]))).toBeLessThan(0.02);
    },
    MATRIX_MAX_MS,
  );

  it("include the start delay in an open loop, and are whole transactions for a cycle", async () => {
    const { result } = await run(`payload: text
topology: cycle
appDelay: { min: 1ms, max: 3ms }
actors: { cycle: { load: { executor: constant-arrival-rate, rate: 40, maxClients: 4 } } }
`);
    const operations = result.treatments[0]?.merged?.operations;
    const cycle = operations?.__cycle__;
    if (!cycle || !operations.add || !operations.process) throw new Error("no cycle was measured");
    for (const [name, measured] of Object.entries(operations))
      if (measured.transactions > 0) expectClosure(name, measured);
    expect(namesOf(cycle)).toEqual(["startDelay", "add", "process", "archive"]);
    expect(namesOf(operations.add)).not.toContain("startDelay");
    const partMs = (name: string): number => cycle.parts?.find((part) => part.name === name)?.meanMs ?? NaN;
    expect(partMs("startDelay")).toBeCloseTo(cycle.startDelayMs?.mean ?? NaN, 1);
  });
});
