// Measures the effects of place, which are a slower second server of a duet or a later position in a block: how far a place
// moves a ratio, how often it makes a false finding, and how often a true difference of 10 % is still found. The bench
// applies the program's own analysis to simulated trials in the program's own order. It exits with 1 if false findings
// exceed their 5 % by more than chance. Run `npm run build` first: it measures the built program.
//
//   node bench/places.mjs [--experiments 400] [--powerExperiments 200] [--json]
import { HEADLINE_METRICS } from "#program/metrics/metric-lists.js";
import { settledDifferences } from "#program/analysis/comparison/stopping.js";
import { PLAIN_BOUNDS } from "#program/analysis/statistics/limits.js";
import { Prng } from "#program/foundation/prng.js";
import { readOptions } from "./options.mjs";
import { DESIGNS, percent, simulateTrials } from "./simulated-trials.mjs";

const options = readOptions({ experiments: 400, powerExperiments: 200 });
const CV = 0.02;
const EFFECT = 1.1;

/** @param {import("./simulated-trials.mjs").TreatmentResult[]} treatments @param {number} seed */
const headlines = (treatments, seed) =>
  settledDifferences(treatments, seed, PLAIN_BOUNDS, HEADLINE_METRICS).comparisons;

/** @type {Record<string, string | number>[]} */
const rows = [];
let isMissed = false;
for (const design of DESIGNS.slice(0, 3))
  for (const blocks of design.levels.length === 2 ? [5, 6, 7, 8, 15, 20] : [5, 8])
    for (const place of design.levels.length === 2 ? [0, 0.05, 0.1, 0.2] : [0, 0.2]) {
      const noise = { drift: 2, spikes: 0, place: Math.log1p(place) };
      const prng = new Prng(blocks);
      let [wrong, squares, beyond, covered, found] = [0, 0, 0, 0, 0];
      const { experiments, powerExperiments } = options;
      for (let i = 0; i < experiments; i++) {
        const all = headlines(simulateTrials(design, blocks, noise, CV, 1, prng), i + 1);
        const one = all.find(({ operation, metric }) => operation === "process" && metric === "mean");
        const { ratio = 1, ciLow, ciHigh } = one ?? {};
        wrong += Number(all.some(({ verdict }) => verdict === "finding"));
        squares += Math.log(ratio) ** 2;
        beyond += Number(ratio > 1.05);
        covered += Number((ciLow ?? 0) <= 1 && (ciHigh ?? 0) >= 1);
      }
      for (let i = 0; i < powerExperiments; i++) {
        const all = headlines(simulateTrials(design, blocks, noise, CV, EFFECT, prng), i + 1);
        found += Number(all.some((each) => each.verdict === "finding" && each.operation === "process"));
      }
      isMissed ||= wrong > 0.05 * experiments + 4 * Math.sqrt(experiments * 0.05 * 0.95);
      rows.push({
        ...{ treatments: design.name, blocks, placePercent: 100 * place },
        ratioOffPercent: Number((100 * Math.sqrt(squares / experiments)).toFixed(1)),
        beyond5Percent: percent(beyond, experiments),
        coveredPercent: percent(covered, experiments),
        falsePercent: percent(wrong, experiments),
        foundPercent: percent(found, powerExperiments),
      });
      if (!options.json) console.log(Object.values(rows.at(-1) ?? {}).join("\t"));
    }
if (options.json) console.log(JSON.stringify(rows, null, 2));
process.exitCode = isMissed ? 1 : 0;
