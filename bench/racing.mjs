// Simulates races with the program's own looks and levels, and measures how often a race in which nothing differs loses a
// treatment, and, where treatments differ, how often the best one leaves, how far the winner is from the best, and which
// share of all treatments' trials ran. False losses are counted at all looks, whether or not one ends the race. The bench
// exits with 1 if they exceed their rate by more than chance. Run `npm run build` first: it measures the built program.
//
//   node bench/racing.mjs [--races 1000] [--powerRaces 100] [--min 5] [--max 30] [--json]
import { raceAfter } from "#program/analysis/comparison/race.js";
import { boundsAfter, looksUpTo } from "#program/analysis/comparison/stopping.js";
import { mean, studentQuantile } from "#program/analysis/statistics/statistics.js";
import { Prng } from "#program/foundation/prng.js";
import { readOptions } from "./options.mjs";
import { CV, NOISES, percent, simulateTrials } from "./simulated-trials.mjs";

const { races, powerRaces, min, max, json } = readOptions({ races: 1000, powerRaces: 100, min: 5, max: 30 });
const race = /** @type {const} */ ({
  operation: "process",
  metric: "eventsPerSecond",
  isMaximised: true,
  words: "maximise process.events/s",
});
const stopping = { min, max, within: 0.05, race };
const LOOKS = looksUpTo(max, stopping);

/** @typedef {ReturnType<typeof simulateTrials>} Treatments */

/**
 * Treatments with the given rates, in blocks.
 *
 * @param {readonly number[]} rates @param {{ drift: number, spikes: number }} noise @param {number} cv @param {Prng} prng
 * @returns {Treatments}
 */
function field(rates, noise, cv, prng) {
  const design = { name: "", levels: rates.map((_, i) => ({ payload: `p${i}` })) };
  return simulateTrials(design, max, noise, cv, 1, prng).map((treatment, i) => ({
    ...treatment,
    trials: treatment.trials.map((trial) => {
      const { process } = trial.operations;
      if (!process) throw new Error("no process");
      const eventsPerSecond = process.eventsPerSecond * (rates[i] ?? 1);
      return { ...trial, operations: { process: { ...process, eventsPerSecond } } };
    }),
  }));
}

/** @param {Treatments} treatments @param {number} blocks */
const logs = (treatments, blocks) =>
  treatments.map(({ trials }) =>
    trials.slice(0, blocks).map(({ operations }) => Math.log(operations["process"]?.eventsPerSecond ?? 1)),
  );

/**
 * True if any pair could differ after these blocks: if it would differ when tested alone, at 1.5 times the level. This
 * takes a hundredth of the time, and a race that fails it loses nothing.
 *
 * @param {Treatments} treatments @param {number} blocks
 */
function mayLose(treatments, blocks) {
  const { level } = boundsAfter(blocks, { min, max, within: 0.05 }, []);
  const critical = studentQuantile(1.5 * level, blocks - 1);
  const series = logs(treatments, blocks);
  return series.some((a, i) =>
    series.slice(i + 1).some((b) => {
      const ratios = a.map((value, block) => value - (b[block] ?? 0));
      const centre = mean(ratios);
      const squares = ratios.reduce((sum, value) => sum + (value - centre) ** 2, 0);
      return Math.abs(centre) / Math.sqrt(squares / (blocks - 1) / blocks) >= critical;
    }),
  );
}

/** @type {Record<string, string | number>[]} */
const falseLosses = [];
let isMissed = false;
for (const count of [2, 4, 8])
  for (const noise of NOISES) {
    const prng = new Prng(count);
    let wrong = 0;
    for (let i = 0; i < races; i++) {
      const treatments = field(new Array(count).fill(1), noise, CV, prng);
      const loses = LOOKS.some(
        (blocks, look) =>
          mayLose(treatments, blocks) &&
          raceAfter(treatments, LOOKS.slice(0, look + 1), stopping, i + 1).left.length > 0,
      );
      wrong += Number(loses);
    }
    isMissed ||= wrong > 0.05 * races + 4 * Math.sqrt(races * 0.05 * 0.95);
    falseLosses.push({ treatments: count, noise: noise.name, falsePercent: percent(wrong, races) });
    if (!json) console.log(Object.values(falseLosses.at(-1) ?? {}).join("\t"));
  }

/** @type {Record<string, string | number>[]} */
const power = [];
for (const [name, rates] of /** @type {const} */ ([
  ["one of 8 is 10 % better", [1, 1, 1, 1.1, 1, 1, 1, 1]],
  ["8 apart by 5 %", [1, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35]],
  ["2 the same, 6 half as fast", [1, 1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]],
])) {
  const prng = new Prng(9);
  const top = Math.max(...rates);
  let [bestLeft, lacks, trials, isDecided] = [0, 0, 0, 0];
  for (let i = 0; i < powerRaces; i++) {
    const treatments = field(rates, { drift: 1, spikes: 0 }, CV, prng);
    for (const [look, blocks] of LOOKS.entries()) {
      const { best, running, open, left } = raceAfter(treatments, LOOKS.slice(0, look + 1), stopping, i + 1);
      if (open.length > 0 && blocks < max) continue;
      const rateOf = (/** @type {string | undefined} */ id) => rates[Number(id?.slice(1))] ?? 0;
      isDecided += Number(open.length === 0);
      bestLeft += Number(running.every((id) => rateOf(id) < top));
      lacks += 1 - rateOf(best) / top;
      trials += running.length * blocks + left.reduce((sum, each) => sum + each.blocks, 0);
      break;
    }
  }
  power.push({
    name,
    ...{ decidedPercent: percent(isDecided, powerRaces), bestLeftPercent: percent(bestLeft, powerRaces) },
    winnerLacksPercent: percent(lacks, powerRaces),
    trialsPercent: percent(trials, powerRaces * rates.length * max),
  });
  if (!json) console.log(Object.values(power.at(-1) ?? {}).join("\t"));
}
if (json) console.log(JSON.stringify({ falseLosses, power }, null, 2));
process.exitCode = isMissed ? 1 : 0;
