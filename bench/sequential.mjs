// Simulates experiments that go on until they are decided, with the program's own looks, levels and analysis. The bench
// measures how often an experiment in which nothing differs claims a difference, how often an experiment with a true
// difference finds it and after how many blocks, and how often a difference as large as the bound is called the same. False
// claims are counted at all looks, whether or not one ends the experiment, so they hold for every stopping rule. The bench
// exits with 1 if false claims exceed their rate by more than chance. Run `npm run build` first: it measures the built
// program.
//
//   node bench/sequential.mjs [--experiments 300] [--powerExperiments 40] [--min 5] [--max 30] [--larger] [--json]
//
// The option --larger simulates only designs of more than three treatments and measures no power.
import { mean, studentQuantile } from "#program/analysis/statistics/statistics.js";
import { logarithmSeries, ratioSeries } from "#program/analysis/steady-state/series.js";
import { HEADLINE_METRICS } from "#program/metrics/metric-lists.js";
import { boundsAfter, evaluateLook, looksUpTo } from "#program/analysis/comparison/stopping.js";
import { Prng } from "#program/foundation/prng.js";
import { readOptions } from "./options.mjs";
import { CV, DESIGNS, NOISES, OPERATIONS, percent, simulateTrials } from "./simulated-trials.mjs";

const options = readOptions({ experiments: 300, powerExperiments: 40, min: 5, max: 30 }, ["larger"]);

/** @typedef {import("#program/results/result-schema.js").TreatmentResult} TreatmentResult */
/** @typedef {import("#program/analysis/comparison/stopping.js").Look} Look */
/** @typedef {readonly { source: string, aggregate: string }[]} Interest */
/** @type {Interest} */
const THROUGHPUT = [{ source: "process", aggregate: "eventsPerSecond" }];

/**
 * Yields the looks at an experiment, one after the other. With `min` at its end there is a single look.
 *
 * @param {readonly TreatmentResult[]} treatments
 * @param {{ seed: number, interest?: Interest, min?: number }} plan
 * @param {number} [only] number of blocks after which alone to look
 */
function* looksAt(treatments, { seed, interest = [], min = options.min }, only) {
  const stopping = { min, max: options.max, within: 0.05 };
  for (const blocks of looksUpTo(options.max, stopping)) {
    if (only !== undefined && blocks !== only) continue;
    const first = treatments.map((each) => ({ ...each, trials: each.trials.slice(0, blocks) }));
    yield evaluateLook(first, seed, boundsAfter(blocks, stopping, []), interest);
  }
}

/** @param {Look} look */
const isDecided = ({ open }) => open.length === 0;

/**
 * True if anything may be a finding after these blocks: if it would be one when tested alone, at 1.5 times the level. This
 * takes a hundredth of the time, and an experiment that fails it has no findings.
 *
 * @param {readonly TreatmentResult[]} treatments
 * @param {number} blocks
 */
function mayFind([baseline, ...others], blocks) {
  const { level } = boundsAfter(blocks, { min: options.min, max: options.max, within: 0.05 }, []);
  const critical = studentQuantile(1.5 * level, blocks - 1);
  return OPERATIONS.some((operation) =>
    HEADLINE_METRICS.some((metric) =>
      others.some((treatment) => {
        if (!baseline) return false;
        const sides = [baseline, treatment];
        const [below, above] = sides.map((side) => logarithmSeries(side, operation, metric, sides));
        const all = ratioSeries(above ?? new Map(), below ?? new Map());
        const values = [...all].flatMap(([block, value]) => (block < blocks ? [value] : []));
        const centre = mean(values);
        const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0);
        return Math.abs(centre) / Math.sqrt(squares / (blocks - 1) / blocks) >= critical;
      }),
    ),
  );
}

/** @type {Record<string, string | number>[]} */
const falseClaims = [];
let isMissed = false;
for (const design of options.larger ? DESIGNS.slice(2) : DESIGNS.slice(0, 2))
  for (const noise of NOISES) {
    const prng = new Prng(design.levels.length);
    let wrong = 0;
    for (let i = 0; i < options.experiments; i++) {
      const treatments = simulateTrials(design, options.max, noise, CV, 1, prng);
      const looks = looksUpTo(options.max, { min: options.min, max: options.max });
      const hasFinding = (/** @type {number} */ blocks) =>
        mayFind(treatments, blocks) &&
        [...looksAt(treatments, { seed: i + 1 }, blocks)]
          .at(-1)
          ?.claims.some(({ verdict }) => verdict === "finding");
      wrong += Number(looks.some(hasFinding));
    }
    const n = options.experiments;
    isMissed ||= wrong > 0.05 * n + 4 * Math.sqrt(n * 0.05 * 0.95);
    falseClaims.push({ treatments: design.name, noise: noise.name, falsePercent: percent(wrong, n) });
    if (!options.json) console.log(Object.values(falseClaims.at(-1) ?? {}).join("\t"));
  }

/** @type {Record<string, string | number>[]} */
const power = [];
for (const design of options.larger ? [] : DESIGNS.slice(0, 1))
  for (const cv of [0.03, 0.05, 0.1])
    for (const effect of [1, 1.05, 1.1, 1.2, 1.5]) {
      const prng = new Prng(design.levels.length);
      let [differs, same, blocks, fixedDiffers, fixedSame] = [0, 0, 0, 0, 0];
      for (let i = 0; i < options.powerExperiments; i++) {
        const treatments = simulateTrials(design, options.max, { drift: 1, spikes: 0 }, cv, effect, prng);
        const ask = { seed: i + 1, interest: THROUGHPUT };
        /** @param {Look | undefined} look */
        const verdictOf = (look) => look?.claims.find(({ treatment }) => treatment === "p1");
        let end;
        for (const look of looksAt(treatments, ask)) {
          end = look;
          if (isDecided(look)) break;
        }
        const fixed = verdictOf([...looksAt(treatments, { ...ask, min: options.max })].at(-1));
        blocks += end?.blocks ?? 0;
        differs += Number(verdictOf(end)?.verdict === "finding");
        same += Number(verdictOf(end)?.verdict === "indistinguishable");
        fixedDiffers += Number(fixed?.verdict === "finding");
        fixedSame += Number(fixed?.verdict === "indistinguishable");
      }
      const n = options.powerExperiments;
      power.push({
        ...{ treatments: design.name, cv, effect },
        ...{ differsPercent: percent(differs, n), samePercent: percent(same, n) },
        ...{ fixedDiffersPercent: percent(fixedDiffers, n), fixedSamePercent: percent(fixedSame, n) },
        meanBlocks: Number((blocks / n).toFixed(1)),
      });
      if (!options.json) console.log(Object.values(power.at(-1) ?? {}).join("\t"));
    }
if (options.json) console.log(JSON.stringify({ falseClaims, power }, null, 2));
process.exitCode = isMissed ? 1 : 0;
