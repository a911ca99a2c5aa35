// How often an experiment in which nothing differs (or one treatment does) shows a false finding, and how often a true
// difference is found: the program's own analysis of simulated trials. "Verdicts" is what single comparisons say by
// themselves, which was shown as findings before there was one rate for all. Exits with 1 where findings miss their 5 %
// by more than chance. Run `npm run build` first: it measures the built program.
//
//   node bench/false-findings.mjs [--experiments 1000] [--powerExperiments 200] [--largest] [--json]
//
// With --largest it is the largest design alone, and no power.
import { Prng } from "#program/foundation/prng.js";
import { compareTreatments } from "#program/analysis/comparison/comparisons.js";
import { factorEffects } from "#program/analysis/comparison/effects.js";
import { settling } from "#program/analysis/comparison/findings.js";
import { isDifference } from "#program/analysis/comparison/noise-floor.js";
import { isHeadline } from "#program/metrics/metric-lists.js";
import { readOptions } from "./options.mjs";

const options = readOptions({ experiments: 1000, powerExperiments: 200 }, ["largest"]);

/** @typedef {import("#program/results/result-schema.js").TreatmentResult} TreatmentResult */
/** @typedef {{ name: string, levels: readonly Readonly<Record<string, string>>[] }} Design */
/** @type {(count: number) => Readonly<Record<string, string>>[]} */
const oneFactor = (count) => Array.from({ length: count }, (_, i) => ({ payload: `p${i}` }));
/** @type {(rows: number, columns: number) => Readonly<Record<string, string>>[]} */
const grid = (rows, columns) =>
  oneFactor(rows).flatMap(({ payload = "" }) =>
    Array.from({ length: columns }, (_, i) => ({ payload, pool: `q${i}` })),
  );
/** @type {readonly Design[]} */
const DESIGNS = [
  { name: "2", levels: oneFactor(2) },
  { name: "3", levels: oneFactor(3) },
  { name: "6", levels: oneFactor(6) },
  { name: "2x2", levels: grid(2, 2) },
  { name: "3x2", levels: grid(3, 2) },
];
const BLOCKS = [5, 6, 8, 10];
/** Drift over blocks, in units of the noise, and the share of trials that something else disturbed. */
const NOISES = [
  { name: "plain", drift: 0, spikes: 0 },
  { name: "drift", drift: 2, spikes: 0 },
  { name: "spikes", drift: 0.5, spikes: 0.04 },
];
const OPERATIONS = /** @type {const} */ (["add", "process", "archive"]);
const CV = 0.05;

/**
 * Log-normal trials: noise that a trial's operations share, noise of an operation that its metrics share, and their own.
 * @param {Design} design
 * @param {number} blocks
 * @param {{ drift: number, spikes: number }} noise
 * @param {number} cv
 * @param {number} effect times on `process` of the second treatment
 * @param {Prng} prng
 */
function simulated(design, blocks, noise, cv, effect, prng) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
  const drifts = Array.from({ length: blocks }, () => noise.drift * cv * normal());
  return design.levels.map((levels, treatment) => {
    const trials = drifts.map((drift, block) => {
      const shared = 0.5 * normal();
      const spike = prng.float() < noise.spikes ? 0.3 + 1.2 * prng.float() : 0;
      const operations = OPERATIONS.map((operation) => {
        const own = 0.6 * normal();
        const slower = treatment === 1 && operation === "process" ? Math.log(effect) : 0;
        /** @param {number} scale */
        const factor = (scale) =>
          Math.exp(scale * cv * (shared + own + 0.62 * normal()) + drift + spike + slower);
        const [mean, p99] = [10 * factor(1), 40 * factor(2)];
        const eventsPerSecond = 500 / factor(1);
        const responseTimeMs = { mean, p50: mean, p95: p99, p99 };
        return [operation, { eventsPerSecond, transactions: 15_000, responseTimeMs }];
      });
      return {
        ...{ number: treatment * blocks + block + 1, block, status: "complete", windowSeconds: 30 },
        ...{ operations: Object.fromEntries(operations), lifecycle: {} },
      };
    });
    const id = Object.values(levels).join("-");
    return /** @type {TreatmentResult} */ (/** @type {unknown} */ ({ id, levels, trials, merged: null }));
  });
}

/**
 * What the analysis shows of it: differences by single verdicts, and findings; each with whether it is a false one.
 * @param {TreatmentResult[]} treatments
 * @param {number} seed
 */
function shown(treatments, seed) {
  const { effects, interactions } = factorEffects(treatments, seed);
  const compared = compareTreatments(treatments, seed).filter(({ metric }) => isHeadline(metric));
  const asked = [...compared, ...effects, ...interactions];
  const settle = settling(asked, seed);
  return asked.map((each) => ({ ...settle(each), isVerdict: isDifference(each) }));
}

/** @param {number} part @param {number} of */
const percent = (part, of) => Number(((100 * part) / of).toFixed(1));

/** @type {Record<string, string | number>[]} */
const rows = [];
let isMissed = false;
for (const design of options.largest ? DESIGNS.slice(-1) : DESIGNS)
  for (const blocks of BLOCKS)
    for (const noise of NOISES) {
      const prng = new Prng(blocks);
      let [byVerdicts, byFindings] = [0, 0];
      for (let i = 0; i < options.experiments; i++) {
        const all = shown(simulated(design, blocks, noise, CV, 1, prng), i + 1);
        byVerdicts += Number(all.some(({ isVerdict }) => isVerdict));
        byFindings += Number(all.some(({ isFinding }) => isFinding));
      }
      const n = options.experiments;
      // Four standard deviations: sixty rows are looked at.
      isMissed ||= byFindings > 0.05 * n + 4 * Math.sqrt(n * 0.05 * 0.95);
      const share = { verdictsPercent: percent(byVerdicts, n), findingsPercent: percent(byFindings, n) };
      rows.push({ treatments: design.name, blocks, noise: noise.name, ...share });
      if (!options.json) console.log(Object.values(rows.at(-1) ?? {}).join("\t"));
    }
/** @type {Record<string, string | number>[]} */
const power = [];
for (const design of options.largest ? [] : DESIGNS.slice(0, 3))
  for (const blocks of [5, 8])
    for (const cv of [0.03, 0.05, 0.1])
      for (const effect of [1.1, 1.2, 1.5]) {
        const prng = new Prng(blocks);
        let found = 0;
        for (let i = 0; i < options.powerExperiments; i++) {
          const noise = { drift: 1, spikes: 0 };
          const all = shown(simulated(design, blocks, noise, cv, effect, prng), i + 1);
          found += Number(all.some((each) => each.isFinding && each.operation === "process"));
        }
        const share = percent(found, options.powerExperiments);
        power.push({ treatments: design.name, blocks, cv, effect, foundPercent: share });
        if (!options.json) console.log(Object.values(power.at(-1) ?? {}).join("\t"));
      }
if (options.json) console.log(JSON.stringify({ falseFindings: rows, power }, null, 2));
process.exitCode = isMissed ? 1 : 0;
