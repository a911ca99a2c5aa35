// Measures how often a history of runs shows a change that is not there, ends with exit code 99 for one, or is
// inconclusive, and how often it finds a change that is there. The bench applies the program's own history to simulated
// results: 3 treatments of 3 metrics, which share most of their noise; runs of one level differ by --cv percent. It exits
// with 1 if false changes exceed their 5 % by more than chance. Run `npm run build` first.
//
//   node bench/history.mjs [--experiments 200] [--cv 4] [--runs 10,20,30,60] [--noises LIST] [--rows noise,change] [--json]
import { Prng } from "#program/foundation/prng.js";
import { historyOf } from "#program/analysis/history/run-history.js";
import { driftingNoise, independent, NAMED_NOISES, spikedNoise, steppedNoise } from "./noises.mjs";
import { readOptions } from "./options.mjs";
/** @typedef {import("./noises.mjs").Noise} Noise */
/** @typedef {import("#program/analysis/comparison/run-comparison.js").StoredRun} StoredRun */

/** Noises of a history without a change. A drift of n rises by n standard deviations from the first run to the last. */
const NOISES = Object.fromEntries(
  /** @type {[string, (runs: number) => Noise][]} */ ([
    ...Object.entries(NAMED_NOISES).map(([name, noise]) => [name, () => noise]),
    ["5 % wild", () => spikedNoise(0.05, 5)],
    ...[1, 2, 3].map((size) => [`drift ${size}`, (runs) => driftingNoise(size / (runs - 1))]),
  ]),
);
/** Names of drifts that may be shown as a change: they do move the level, so no bound applies. */
const BOUND_EXEMPT = ["drift 2", "drift 3"];
const LENGTHS = ["10", "20", "30", "60"];
const options = readOptions({ experiments: 200, cv: 4 }, [], {
  runs: LENGTHS,
  noises: Object.keys(NOISES),
  rows: ["noise", "change"],
});
const [TREATMENTS, METRICS] = [3, 3];
const CV = options.cv / 100;

/**
 * Stored runs with one trial each. The runs of the first treatment from index `at` until before `until` are `times` as
 * slow.
 *
 * @param {Prng} prng
 * @param {number} runs
 * @param {Noise} noise
 * @param {{ at: number, until?: number, times: number }} change
 * @returns {StoredRun[]}
 */
function simulateHistory(prng, runs, noise, change) {
  const level = steppedNoise(change.at, Math.log(change.times), change.until, () => () => 0)(prng);
  const treatments = Array.from({ length: TREATMENTS }, () => ({
    shared: noise(prng),
    own: Array.from({ length: METRICS }, () => noise(prng)),
  }));
  return Array.from({ length: runs }, (_, run) => {
    const shift = level();
    const startedAt = new Date(Date.UTC(2026, 0, 1 + run)).toISOString();
    const trials = treatments.map(({ shared, own }, treatment) => {
      const common = shared();
      const [mean, p99, rate] = own.map((next) =>
        Math.exp(CV * (0.8 * common + 0.6 * next()) + (treatment === 0 ? shift : 0)),
      );
      const measured = { eventsPerSecond: 500 / rate, responseTimeMs: { mean: 10 * mean, p99: 40 * p99 } };
      return {
        ...{ number: 1, block: 0, status: "complete", windowSeconds: 30, startedAt, lifecycle: {} },
        operations: { add: measured },
      };
    });
    const result = {
      treatments: trials.map((trial, i) => ({ id: `t${i}`, levels: { payload: `p${i}` }, trials: [trial] })),
      scenario: { seed: 1, yaml: "" },
      verdict: { status: "ok", counts: { isValid: true }, timings: { isValid: true } },
      environment: { machine: {}, versions: {}, settings: {} },
    };
    return /** @type {StoredRun} */ (/** @type {unknown} */ ({ directory: String(run), result }));
  });
}

/** @param {number} part */
const percent = (part) => Number(((100 * part) / options.experiments).toFixed(1));

/**
 * @param {string} label
 * @param {number} runs
 * @param {Noise} noise
 * @param {{ at: number, until?: number, times: number }} [change]
 */
function row(label, runs, noise, change = { at: runs, times: 1 }) {
  let [changesShown, atItsRun, failed, lost, inconclusive] = [0, 0, 0, 0, 0];
  for (let i = 0; i < options.experiments; i++) {
    const document = historyOf(simulateHistory(new Prng(1000 + i), runs, noise, change), 0.05);
    const isFound = document.changes.some(({ run }) => Math.abs(run - 1 - change.at) <= 1);
    changesShown += Number(document.changes.length > 0);
    atItsRun += Number(isFound);
    failed += Number(document.regressions > 0);
    lost += Number(document.changes.length > 0 && document.regressions === 0);
    inconclusive += Number(document.changes.length === 0 && document.undecided.length > 0);
  }
  const counts = { shown: changesShown, atItsRun, failed, lost, inconclusive };
  const shares = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, percent(count)]));
  if (!options.json) console.log([label, runs, ...Object.values(shares)].join("\t"));
  return { label, runs, ...shares };
}

if (!options.json)
  console.log("series\truns\tshown %\tat its run %\texit 99 %\tshown, exit 0 %\tinconclusive %");
const lengths = options.runs.map(Number);
const isAsked = (rows) => options.rows.includes(rows);
const nothing = isAsked("noise")
  ? options.noises.flatMap((name) => lengths.map((runs) => row(name, runs, NOISES[name](runs))))
  : [];
const changes = isAsked("change")
  ? [
      ...[15, 20, 25].map((at) => row(`+10 % from run ${at + 1}`, 30, independent, { at, times: 1.1 })),
      ...[10, 15, 17].map((at) => row(`+20 % from run ${at + 1}`, 20, independent, { at, times: 1.2 })),
      row("+20 % in runs 11 to 20", 30, independent, { at: 10, until: 20, times: 1.2 }),
      row("+20 % in runs 14 to 16", 30, independent, { at: 13, until: 16, times: 1.2 }),
    ]
  : [];
// The bound is 5 % plus three standard deviations, because forty rows are tested.
const bound = 5 + 300 * Math.sqrt((0.05 * 0.95) / options.experiments);
const isMissed = nothing.some(
  ({ label, shown: changesShown }) => !BOUND_EXEMPT.includes(label) && changesShown > bound,
);
if (options.json) console.log(JSON.stringify({ ...options, nothing, changes, isMissed }, null, 2));
process.exitCode = isMissed ? 1 : 0;
