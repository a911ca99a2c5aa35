// Measures how often an experiment in which nothing differs (or one treatment does) shows a false finding, and how often a
// true difference is found, with the program's own analysis of simulated trials. "Verdicts" are the verdicts of single
// comparisons, which were shown as findings before there was one rate for all. The bench exits with 1 if findings exceed
// their 5 % by more than chance. Run `npm run build` first: it measures the built program.
//
//   node bench/false-findings.mjs [--experiments 1000] [--powerExperiments 200] [--largest] [--json]
//
// The option --largest simulates the largest design alone and measures no power.
import { Prng } from "#program/foundation/prng.js";
import { compareTreatments } from "#program/analysis/comparison/comparisons.js";
import { factorEffects } from "#program/analysis/comparison/effects.js";
import { familySettler } from "#program/analysis/comparison/findings.js";
import { isDifference } from "#program/analysis/comparison/verdicts.js";
import { isHeadline } from "#program/metrics/metric-lists.js";
import { readOptions } from "./options.mjs";
import { CV, DESIGNS, NOISES, percent, simulateTrials } from "./simulated-trials.mjs";

const options = readOptions({ experiments: 1000, powerExperiments: 200 }, ["largest"]);

/** @typedef {import("#program/results/result-schema.js").TreatmentResult} TreatmentResult */
const BLOCKS = [5, 6, 8, 10];

/**
 * Differences that the analysis shows, by single verdicts and as findings, each with whether it is false.
 *
 * @param {TreatmentResult[]} treatments
 * @param {number} seed
 */
function findingsOf(treatments, seed) {
  const { effects, interactions } = factorEffects(treatments, seed);
  const compared = compareTreatments(treatments, seed).filter(({ metric }) => isHeadline(metric));
  const asked = [...compared, ...effects, ...interactions];
  const settle = familySettler(asked, seed);
  return asked.map((each) => ({ ...settle(each), isVerdict: isDifference(each) }));
}

/** @type {Record<string, string | number>[]} */
const rows = [];
let isMissed = false;
for (const design of options.largest ? DESIGNS.slice(-1) : DESIGNS)
  for (const blocks of BLOCKS)
    for (const noise of NOISES) {
      const prng = new Prng(blocks);
      let [byVerdicts, byFindings] = [0, 0];
      for (let i = 0; i < options.experiments; i++) {
        const all = findingsOf(simulateTrials(design, blocks, noise, CV, 1, prng), i + 1);
        byVerdicts += Number(all.some(({ isVerdict }) => isVerdict));
        byFindings += Number(all.some(({ verdict }) => verdict === "finding"));
      }
      const n = options.experiments;
      // The bound is 5 % plus four standard deviations, because sixty rows are tested.
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
          const all = findingsOf(simulateTrials(design, blocks, noise, cv, effect, prng), i + 1);
          found += Number(all.some((each) => each.verdict === "finding" && each.operation === "process"));
        }
        const share = percent(found, options.powerExperiments);
        power.push({ treatments: design.name, blocks, cv, effect, foundPercent: share });
        if (!options.json) console.log(Object.values(power.at(-1) ?? {}).join("\t"));
      }
if (options.json) console.log(JSON.stringify({ falseFindings: rows, power }, null, 2));
process.exitCode = isMissed ? 1 : 0;
