// Measures verdicts within one run on machines whose noise is not normal and independent: false findings, treatments called
// the same although one trial in ten is 1.8 times slower, the promise of `--plan --spread-from` on a machine that drifts,
// and the coverage of intervals of a treatment's own median. The bench applies the program's own analysis to simulated
// trials. It exits with 1 if false findings exceed their 5 % by more than chance. Run `npm run build` first.
//
//   node bench/within-run.mjs [--experiments 300] [--json]
import { summaryOf } from "#program/analysis/comparison/analysis.js";
import { plannedReach } from "#program/analysis/comparison/planned-reach.js";
import {
  boundsAfter,
  evaluateLook,
  looksUpTo,
  settledDifferences,
} from "#program/analysis/comparison/stopping.js";
import { PLAIN_BOUNDS } from "#program/analysis/statistics/limits.js";
import { Prng } from "#program/foundation/prng.js";
import { HEADLINE_METRICS } from "#program/metrics/metric-lists.js";
import { readOptions } from "./options.mjs";
import { normal } from "./noises.mjs";
import { DESIGNS, percent, simulateTrials } from "./simulated-trials.mjs";

const { experiments, json } = readOptions({ experiments: 300 });

/** @typedef {import("./simulated-trials.mjs").TreatmentResult} TreatmentResult */
/** @typedef {(prng: Prng, trials: number) => number[]} Series */

/** @param {(prng: Prng) => number} draw @returns {Series} */
const independent = (draw) => (prng, trials) => Array.from({ length: trials }, () => draw(prng));
/** Noise of one trial carries over to the next. @type {Series} */
const carriedOver = (prng, trials) => {
  let now = normal(prng);
  return Array.from({ length: trials }, () => (now = 0.6 * now + 0.8 * normal(prng)));
};
/** Noises of a trial, in standard deviations. @type {Record<string, Series>} */
const NOISES = {
  independent: independent(normal),
  "carried over (.6)": carriedOver,
  "two-humped": independent((prng) => (prng.float() < 0.5 ? 1 : -1) + 0.3 * normal(prng)),
  "heavy-tailed": independent(
    (prng) => normal(prng) / Math.sqrt((normal(prng) ** 2 + normal(prng) ** 2 + normal(prng) ** 2) / 3),
  ),
  skewed: independent((prng) => Math.exp(normal(prng)) / 2),
  "rare spikes": independent((prng) => normal(prng) + (prng.float() < 0.05 ? 10 : 0)),
};
const CV = 0.03;
const TWO = /** @type {import("./simulated-trials.mjs").Design} */ (DESIGNS[0]);

/** @param {readonly TreatmentResult[]} treatments @param {number} seed */
const headlines = (treatments, seed) =>
  settledDifferences(treatments, seed, PLAIN_BOUNDS, HEADLINE_METRICS).comparisons;

/** @type {Record<string, Record<string, string | number>[]>} */
const tables = { falseFindings: [], same: [], plan: [], ownMedian: [] };
/** @param {string} table @param {Record<string, string | number>} row */
const add = (table, row) => {
  tables[table]?.push(row);
  if (!json) console.log([table, ...Object.values(row)].join("\t"));
};

let isMissed = false;
for (const [name, series] of Object.entries(NOISES))
  for (const design of DESIGNS.slice(0, 3))
    for (const blocks of [5, 8]) {
      const prng = new Prng(blocks);
      let wrong = 0;
      for (let i = 0; i < experiments; i++) {
        const treatments = simulateTrials(design, blocks, { drift: 1, spikes: 0, series }, CV, 1, prng);
        wrong += Number(headlines(treatments, i + 1).some(({ verdict }) => verdict === "finding"));
      }
      isMissed ||= wrong > 0.05 * experiments + 4 * Math.sqrt(experiments * 0.05 * 0.95);
      add("falseFindings", {
        noise: name,
        treatments: design.name,
        blocks,
        percent: percent(wrong, experiments),
      });
    }

/** One trial in ten of the second treatment takes 1.8 times as long. @param {TreatmentResult[]} treatments @param {Prng} prng */
function withSlowTrials(treatments, prng) {
  for (const { operations } of treatments[1]?.trials ?? []) {
    const { process } = operations;
    if (prng.float() >= 0.1 || !process?.responseTimeMs) continue;
    process.responseTimeMs.mean *= 1.8;
    process.eventsPerSecond /= 1.8;
  }
  return treatments;
}
const INTEREST = [{ source: "process", aggregate: "mean" }];
/** Numbers of blocks; `decided` means the blocks after which a run until decided ends. @type {(number | "decided")[]} */
const RUNS = [5, 10, 20, "decided"];
for (const run of RUNS)
  for (const isSlow of [false, true]) {
    const prng = new Prng(7);
    let same = 0;
    for (let i = 0; i < experiments; i++) {
      const blocks = run === "decided" ? 30 : run;
      const all = simulateTrials(TWO, blocks, { drift: 1, spikes: 0 }, 0.02, 1, prng);
      const treatments = isSlow ? withSlowTrials(all, prng) : all;
      const stopping = { ...(run === "decided" && { min: 5 }), max: blocks, within: 0.05 };
      for (const look of run === "decided" ? looksUpTo(30, stopping) : [blocks]) {
        const first = treatments.map((each) => ({ ...each, trials: each.trials.slice(0, look) }));
        const { claims, open } = evaluateLook(first, i + 1, boundsAfter(look, stopping, []), INTEREST);
        if (open.length > 0 && look < blocks) continue;
        same += Number(claims.every(({ verdict }) => verdict === "indistinguishable"));
        break;
      }
    }
    add("same", { blocks: run, slow: isSlow ? "1 in 10" : "none", samePercent: percent(same, experiments) });
  }

for (const blocks of [5, 6, 8, 10, 20]) {
  const prng = new Prng(blocks);
  const noise = { drift: 3, spikes: 0, place: Math.log(1.1) };
  let found = 0;
  for (let i = 0; i < experiments; i++) {
    const pilot = simulateTrials(TWO, 20, noise, CV, 1, prng);
    const reach = plannedReach({ treatments: pilot }, { trials: blocks, compared: 1, level: 0.05 });
    const finds =
      reach.find(({ operation, metric }) => operation === "process" && metric === "mean")?.finds ?? 0;
    const treatments = simulateTrials(TWO, blocks, noise, CV, 1 + finds, prng);
    found += Number(
      headlines(treatments, i + 1).some(
        ({ operation, metric, verdict }) =>
          verdict === "finding" && operation === "process" && metric === "mean",
      ),
    );
  }
  add("plan", { blocks, foundPercent: percent(found, experiments) });
}

for (const [name, series] of Object.entries(NOISES).slice(0, 2))
  for (const blocks of [5, 8, 10, 20]) {
    const prng = new Prng(blocks);
    let covered = 0;
    for (let i = 0; i < experiments; i++) {
      const [treatment] = simulateTrials(TWO, blocks, { drift: 0, spikes: 0, series }, CV, 1, prng);
      const own =
        treatment &&
        summaryOf(treatment, i + 1).find(
          ({ operation, metric }) => operation === "process" && metric === "mean",
        );
      covered += Number((own?.ciLow ?? 0) <= 10 && (own?.ciHigh ?? 0) >= 10);
    }
    add("ownMedian", { noise: name, blocks, coveredPercent: percent(covered, experiments) });
  }
if (json) console.log(JSON.stringify(tables, null, 2));
process.exitCode = isMissed ? 1 : 0;
