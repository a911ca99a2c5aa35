// Simulates bisections with the program's own steps, looks and analysis, and counts false answers, named culprits and
// trials, compared with measuring every revision as exactly. A false answer names a revision, or a range of revisions, that
// is not where performance became worse. The bench exits with 1 if false answers exceed 5 % by more than chance. Run `npm
// run build` first: it measures the built program.
//
//   node bench/bisect.mjs [--histories 200] [--max 30] [--json]
import { boundsAfter, evaluateLook, looksUpTo } from "#program/analysis/comparison/stopping.js";
import { bisect } from "#program/engine/bisect/bisect.js";
import { deriveSeed, Prng } from "#program/foundation/prng.js";
import { readOptions } from "./options.mjs";
import { DESIGNS, percent, simulateTrials } from "./simulated-trials.mjs";

const options = readOptions({ histories: 200, max: 30 });
const MIN = 5;
const MAX_REGRESSION = 0.05;
const objective = /** @type {const} */ ({
  ...{ operation: "process", metric: "eventsPerSecond", isMaximised: true },
  words: "maximise process.events/s",
});
const interest = [{ source: "process", aggregate: "eventsPerSecond" }];

/**
 * A history: the slowness of each revision relative to the good one, which is first and has 1.
 *
 * @param {number} revisions after the good one
 * @param {"none" | "one" | "gradual"} kind
 * @param {number} effect of all together
 * @param {Prng} prng
 */
function history(revisions, kind, effect, prng) {
  const culprit = 1 + Math.floor(prng.float() * revisions);
  const slowness = Array.from({ length: revisions + 1 }, (_, place) => {
    if (kind === "none") return 1;
    if (kind === "gradual") return effect ** (place / revisions);
    return place >= culprit ? effect : 1;
  });
  return { culprit, slowness };
}

/** @param {readonly number[]} slowness @param {number} cv @param {number} seed @param {Prng} prng */
async function bisectOnce(slowness, cv, seed, prng) {
  const design = /** @type {import("./simulated-trials.mjs").Design} */ (DESIGNS[0]);
  const candidates = slowness.map((_, place) => ({ key: `k${place}`, revision: { id: String(place) } }));
  /** @type {import("#program/engine/bisect/bisect.js").Measure} */
  const measure = async ({ reference, revision: place, step, within }) => {
    const stopping = { min: MIN, max: options.max, within };
    const effect = (slowness[place] ?? 1) / (slowness[reference] ?? 1);
    const treatments = simulateTrials(design, options.max, { drift: 2, spikes: 0 }, cv, effect, prng);
    let seen = treatments;
    let look;
    for (const blocks of looksUpTo(options.max, stopping)) {
      seen = treatments.map((each) => ({ ...each, trials: each.trials.slice(0, blocks) }));
      look = evaluateLook(seen, deriveSeed(seed, "step", step), boundsAfter(blocks, stopping, []), interest);
      if (look.open.length === 0) break;
    }
    const result = {
      treatments: seen,
      comparisons: look?.claims ?? [],
      verdict: { status: "complete", timings: { isValid: true } },
    };
    return /** @type {any} */ ({ result, directory: "" });
  };
  const plan = { candidates, objective, maxRegression: MAX_REGRESSION };
  return bisect(/** @type {any} */ (plan), measure);
}

const rows = [];
for (const [kind, effect, revisions, cv] of /** @type {const} */ ([
  ["none", 1, 16, 0.03],
  ["none", 1, 16, 0.1],
  ["one", 1.1, 16, 0.03],
  ["one", 1.2, 16, 0.03],
  ["one", 1.2, 16, 0.1],
  ["one", 1.5, 16, 0.1],
  ["one", 1.2, 128, 0.03],
  ["gradual", 1.2, 16, 0.03],
])) {
  const prng = new Prng(deriveSeed("bisect", kind, effect, revisions, cv));
  const count = { named: 0, ranges: 0, false: 0, unconfirmed: 0, silent: 0, steps: 0, trials: 0 };
  for (let i = 0; i < options.histories; i++) {
    const { culprit, slowness } = history(revisions, kind, effect, prng);
    const { outcome, firstWorse, lastGood, steps } = await bisectOnce(slowness, cv, i + 1, prng);
    const [low, high] = [Number(lastGood?.id), Number(firstWorse?.id)];
    const isAnswer = outcome === "found" || outcome === "range";
    const isTrue = kind === "gradual" || (kind === "one" && low < culprit && culprit <= high);
    count.named += Number(outcome === "found" && isTrue);
    count.ranges += Number(outcome === "range" && isTrue);
    count.false += Number(isAnswer && !isTrue);
    count.unconfirmed += Number(outcome === "unconfirmed");
    count.silent += Number(outcome === "no-regression" || outcome === "inconclusive");
    count.steps += steps.length;
    count.trials += steps.reduce((sum, { trials }) => sum + 2 * trials, 0);
  }
  const n = options.histories;
  rows.push({
    ...{ kind, effect, revisions, cv },
    namedPercent: percent(count.named, n),
    rangePercent: percent(count.ranges, n),
    falsePercent: percent(count.false, n),
    unconfirmedPercent: percent(count.unconfirmed, n),
    silentPercent: percent(count.silent, n),
    steps: Number((count.steps / n).toFixed(1)),
    trials: Math.round(count.trials / n),
    // Number of trials that a measurement of every revision would take, each paired with the good one and with a step's
    // number of trials.
    everyTrials: Math.round((count.trials / count.steps) * revisions),
  });
  if (!options.json) console.log(Object.values(rows.at(-1) ?? {}).join("\t"));
}
if (options.json) console.log(JSON.stringify({ histories: options.histories, rows }, null, 2));
const most = 5 + 4 * 100 * Math.sqrt((0.05 * 0.95) / options.histories);
process.exitCode = rows.some(({ falsePercent }) => falsePercent > most) ? 1 : 0;
