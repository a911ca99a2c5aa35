// Measures how often `compare` calls an equal run worse, how often it finds a worse one, how often its intervals cover the
// truth, and how often it calls a run with slow trials the same: the program's own comparison of simulated runs. The bench
// exits with 1 if false regressions with independent noises exceed their 5 % by more than chance. Run `npm run build`
// first.
//
//   node bench/run-gate.mjs [--experiments 500] [--only equal,bound,runs,stalls,same,power] [--noises independent,...] [--json]
import { compareRuns } from "#program/analysis/comparison/run-comparison.js";
import { Prng } from "#program/foundation/prng.js";
import {
  carriedOver,
  heavyTailed,
  independent,
  normal,
  spikedNoise,
  steppedNoise,
  twoHumped,
} from "./noises.mjs";
import { readOptions } from "./options.mjs";
import { percent } from "./simulated-trials.mjs";

const PARTS = ["equal", "bound", "runs", "stalls", "same", "power"];
const OPERATIONS = ["add", "process"];

/** @typedef {import("./noises.mjs").Noise} Noise */
/** @typedef {import("#program/analysis/comparison/run-comparison.js").StoredRun} StoredRun */
/** @typedef {ReturnType<typeof compareRuns>["runs"][number]["findings"][number]} Finding */
/**
 * @typedef {object} Machine
 * @property {Noise} noise of a trial, in the order of the run, for all that the trial measures
 * @property {number} cv
 * @property {number} treatments
 * @property {number} blocks
 * @property {number} [slower] times on `process` of the first treatment
 * @property {number} [stalls] share of trials that stall
 * @property {number} [slow] share of trials of the first treatment that are 1.8 times slower
 */

/** @type {Readonly<Record<string, Noise>>} */
const NOISES = {
  independent,
  "two humps": twoHumped(),
  "heavy tails": heavyTailed,
  "rare spikes": spikedNoise(0.04, 8),
  "carried over .6": carriedOver(0.6),
  "a step": (prng) => steppedNoise(prng.intBetween(1, 12), 2)(prng),
};

const options = readOptions({ experiments: 500 }, [], { only: PARTS, noises: Object.keys(NOISES) });

const VALID = { isValid: true, reasons: [] };

/** @param {Machine} machine @param {Prng} prng @param {string} directory @returns {StoredRun} */
function simulateRun({ noise, cv, treatments, blocks, slower = 1, stalls = 0, slow = 0 }, prng, directory) {
  const next = noise(prng);
  const all = Array.from({ length: treatments }, (_, i) => ({
    ...{ id: `t${i}`, levels: { payload: `t${i}` } },
    trials: /** @type {unknown[]} */ ([]),
  }));
  for (let block = 0; block < blocks; block++)
    for (const [treatment, { trials }] of all.entries()) {
      const shared = next();
      const isStalled = prng.float() < stalls;
      const isSlow = treatment === 0 && prng.float() < slow;
      const operations = OPERATIONS.map((operation) => {
        const own = 0.3 * normal(prng);
        const times = (treatment === 0 && operation === "process" ? slower : 1) * (isSlow ? 1.8 : 1);
        /** @param {number} scale */
        const factor = (scale) => times * Math.exp(scale * cv * (shared + own + 0.3 * normal(prng)));
        const [mean, p99] = [10 * factor(1), 40 * factor(2)];
        const responseTimeMs = { mean, p50: 0.9 * factor(1), p95: 20 * factor(1.5), p99 };
        if (isStalled) return [operation, { eventsPerSecond: 0, transactions: 0, responseTimeMs: null }];
        return [operation, { eventsPerSecond: 500 / factor(1), transactions: 15_000, responseTimeMs }];
      });
      trials.push({
        ...{ number: block * treatments + treatment + 1, block, status: "complete", windowSeconds: 30 },
        ...{ operations: Object.fromEntries(operations), lifecycle: {} },
      });
    }
  const result = {
    scenario: { seed: 1, yaml: "name: simulated" },
    environment: { machine: {}, versions: {}, settings: {} },
    verdict: { status: "ok", reasons: [], counts: VALID, timings: VALID },
    ...{ treatments: all, comparisons: [] },
  };
  return { directory, result: /** @type {StoredRun["result"]} */ (/** @type {unknown} */ (result)) };
}

const rows = /** @type {Record<string, string | number>[]} */ ([]);
let isMissed = false;

/** @param {Record<string, string | number>} row */
function show(row) {
  rows.push(row);
  if (!options.json) console.log(Object.values(row).join("\t"));
}

/**
 * Shares of experiments in percent, one for each question.
 *
 * @param {Machine} before
 * @param {Machine} after
 * @param {Readonly<Record<string, (findings: readonly Finding[], regressions: number) => boolean>>} questions
 * @param {{ bound?: number, runs?: number }} [how]
 */
function shares(before, after, questions, { bound = 0.05, runs = 1 } = {}) {
  const prng = new Prng(before.blocks * 100 + before.treatments);
  const counts = Object.fromEntries(Object.keys(questions).map((name) => [name, 0]));
  for (let i = 0; i < options.experiments; i++) {
    const others = Array.from({ length: runs }, (_, run) => simulateRun(after, prng, `after${run}`));
    const document = compareRuns(simulateRun(before, prng, "before"), others, bound);
    const findings = document.runs.flatMap((run) => run.findings);
    for (const [name, question] of Object.entries(questions))
      if (question(findings, document.regressions)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, percent(count, options.experiments)]),
  );
}

/** Finding about the mean response time of `process` in the first treatment. @param {readonly Finding[]} findings */
const findingOf = (findings) =>
  findings.find(
    ({ treatment, operation, metric }) => treatment === "t0" && operation === "process" && metric === "mean",
  );

/** @param {number} truth @returns {(findings: readonly Finding[]) => boolean} */
const covers = (truth) => (findings) => {
  const { ciLow, ciHigh } = findingOf(findings) ?? { ciLow: null, ciHigh: null };
  return ciLow !== null && ciHigh !== null && ciLow <= truth && ciHigh >= truth;
};
const regression = (/** @type {readonly Finding[]} */ _, /** @type {number} */ count) => count > 0;
const isRegression = (/** @type {readonly Finding[]} */ findings) =>
  findingOf(findings)?.isRegression === true;

/** @param {number} share in percent */
function mustHold(share) {
  const chance = 100 * Math.sqrt((0.05 * 0.95) / options.experiments);
  isMissed ||= share > 5 + 4 * chance;
}

if (options.only.includes("equal"))
  for (const [name, noise] of Object.entries(NOISES).filter(([each]) => options.noises.includes(each)))
    for (const blocks of [5, 8, 15]) {
      const machine = { noise, cv: 0.05, treatments: 2, blocks };
      const found = shares(machine, machine, { worse: regression, covered: covers(1) }, { bound: 0 });
      show({ part: "equal", noise: name, trials: blocks, ...found });
      if (name !== "carried over .6" && name !== "a step") mustHold(found.worse ?? 0);
    }
if (options.only.includes("bound"))
  for (const cv of [0.02, 0.03])
    for (const blocks of [5, 8, 15]) {
      const machine = { noise: independent, cv, treatments: 2, blocks };
      const found = shares(machine, { ...machine, slower: 1.05 }, { worse: regression });
      show({ part: "bound", cv, trials: blocks, ...found });
      mustHold(found.worse ?? 0);
    }
if (options.only.includes("runs"))
  for (const runs of [1, 4, 8]) {
    const machine = { noise: independent, cv: 0.05, treatments: 2, blocks: 5 };
    const found = shares(machine, machine, { worse: regression }, { bound: 0, runs });
    show({ part: "runs", runs, ...found });
    mustHold(found.worse ?? 0);
  }
if (options.only.includes("stalls"))
  for (const treatments of [2, 6])
    for (const blocks of [3, 5, 10]) {
      const machine = { noise: independent, cv: 0.05, treatments, blocks, stalls: 0.03 };
      const some = { ...machine, stalls: 0.5 };
      const found = { ...shares(machine, machine, { worse: regression }) };
      const half = shares(machine, some, { "half stall": regression });
      show({ part: "stalls", treatments, trials: blocks, ...found, ...half });
      mustHold(found.worse ?? 0);
    }
if (options.only.includes("same"))
  for (const cv of [0.01, 0.02])
    for (const blocks of [5, 10, 20, 30]) {
      const machine = { noise: independent, cv, treatments: 2, blocks };
      const isSame = (/** @type {readonly Finding[]} */ findings) =>
        findingOf(findings)?.verdict === "indistinguishable";
      const equal = shares(machine, machine, { same: isSame });
      const slow = shares(machine, { ...machine, slow: 0.1 }, { "same with slow trials": isSame });
      show({ part: "same", cv, trials: blocks, ...equal, ...slow });
    }
if (options.only.includes("power"))
  for (const cv of [0.03, 0.05, 0.1])
    for (const blocks of [5, 8, 15])
      for (const slower of [1.1, 1.2, 1.5]) {
        const machine = { noise: independent, cv, treatments: 2, blocks };
        const found = shares(machine, { ...machine, slower }, { found: isRegression });
        show({ part: "power", cv, trials: blocks, slower, ...found });
      }
if (options.json) console.log(JSON.stringify(rows, null, 2));
process.exitCode = isMissed ? 1 : 0;
