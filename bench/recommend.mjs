// Measures the quality of recommendations: the program's own search and holdout run on simulated configurations, in a flat
// space and on hills of four factors with interactions. The bench also counts how often a configuration that is 20 % faster
// is recommended if its p(99) lies near the limit of a condition. A trial takes one unit of time. The bench exits with 1 if
// a flat space gets a change recommended in more than 5 % of runs, by more than chance. Run `npm run build` first.
//
//   node bench/recommend.mjs [--runs 200] [--json]
import { Prng } from "#program/foundation/prng.js";
import { compareTreatments } from "#program/analysis/comparison/comparisons.js";
import { recommend } from "#program/engine/recommend/recommend.js";
import { parseScenario } from "#program/scenario/loader.js";
import { readOptions } from "./options.mjs";
import { normal } from "./noises.mjs";

const { runs, json } = readOptions({ runs: 200 });
/** @param {string} factors in YAML's flow style */
function experimentOf(factors) {
  const yaml = `
name: simulated
seed: 1
topology: cycle
pool: { strategy: pg-pool }
trial: { warmUp: 0s, duration: 1s, drain: 0s }
factors: { ${factors} }
`;
  return parseScenario(yaml, "simulated.yaml");
}
const HILLS = experimentOf(
  "pool.size: 1..128, batch: [1, 2, 4, 8, 16], payload: [jsonb, text], target.settings.work_mem: 1..8MB",
);
const FEW = experimentOf("pool.size: 1..8, payload: [jsonb, text]");
const objective = /** @type {const} */ ({
  operation: "add",
  metric: "eventsPerSecond",
  isMaximised: true,
  words: "maximise add.events/s",
});
const TRIAL_MS = 10_000;
const LIMIT_MS = 50;
const condition = /** @type {import("#program/scenario/objective.js").Condition} */ ({
  ...{ operation: "add", metric: "p99", operator: "<", bound: LIMIT_MS, words: "add: p(99)<50" },
});
/** Standard deviation of the logarithm of a trial's 99th percentile. */
const P99_NOISE = 0.1;

/**
 * The logarithm of the rate of a configuration: a parabola in each ordered factor with its top anywhere, a step of the
 * payload, and one interaction. `height` scales all of it; 0 makes it flat.
 *
 * @param {number} height
 * @param {Prng} prng
 */
function surface(height, prng) {
  const [top, batchTop, memTop] = [7 * prng.float(), 4 * prng.float(), 3 * prng.float()];
  const [step, mixed] = [normal(prng), normal(prng)];
  /** @param {Readonly<Record<string, unknown>>} values */
  return (values) => {
    const size = Math.log2(Number(values["pool.size"]));
    const batch = Math.log2(Number(values["batch"]));
    const mem = Math.log2(Number.parseFloat(String(values["target.settings.work_mem"])));
    const isText = values["payload"] === "text" ? 1 : 0;
    const hills =
      ((size - top) / 7) ** 2 + 0.5 * ((batch - batchTop) / 4) ** 2 + 0.1 * ((mem - memTop) / 3) ** 2;
    return height * (-hills + 0.15 * step * isText + 0.15 * mixed * isText * (size / 7));
  };
}

/**
 * @param {{ experiment: typeof HILLS, rate: ReturnType<typeof surface>, p99Ms?: (values: Readonly<Record<string, unknown>>) => number }} server
 * @param {number} noise
 * @param {number} trials of the budget
 * @param {number} seed
 */
async function simulateSearch({ experiment, rate, p99Ms }, noise, trials, seed) {
  const prng = new Prng(seed + 1_000_000);
  let nowMs = 0;
  /** @type {import("#program/engine/recommend/recommend.js").Measure} */
  const measure = async (_, set) => {
    const given = new Map(
      set.map((each) => /** @type {[string, string]} */ (each.split(/=(.*)/s).slice(0, 2))),
    );
    const include = /** @type {Record<string, unknown>[]} */ (JSON.parse(given.get("include") ?? "[]"));
    const blocks = Number(given.get("trials") ?? 5);
    const treatments = include.map((values, i) => ({
      id: `t${i}`,
      levels: { one: `t${i}` },
      trials: Array.from({ length: blocks }, (_, block) => ({
        number: block * include.length + i + 1,
        block,
        status: "complete",
        windowSeconds: 10,
        lifecycle: {},
        operations: {
          add: {
            eventsPerSecond: 1000 * Math.exp(rate(values) + noise * normal(prng)),
            ...(p99Ms && { responseTimeMs: { p99: p99Ms(values) * Math.exp(P99_NOISE * normal(prng)) } }),
          },
        },
      })),
    }));
    nowMs += blocks * include.length * TRIAL_MS;
    const comparisons = compareTreatments(/** @type {any} */ (treatments), seed);
    const verdict = { status: "ok", counts: { isValid: true }, timings: { isValid: true } };
    return /** @type {any} */ ({ treatments, comparisons, verdict });
  };
  const varied = { ...experiment, seed };
  const conditions = p99Ms ? [condition] : [];
  const plan = { experiment: varied, objective, conditions, budgetMs: trials * TRIAL_MS, loads: [] };
  const { advice, present, proposal } = await recommend(plan, measure, () => nowMs);
  const every = spaceRates(rate);
  const own = rate(advice === "change" && proposal ? proposal.values : present.values);
  return {
    advice,
    regret: Math.max(...every) - own,
    gain: own - rate(present.values),
    spent: nowMs / TRIAL_MS / trials,
  };
}

/** @param {(values: Readonly<Record<string, unknown>>) => number} rate */
function spaceRates(rate) {
  const rates = [];
  for (let size = 1; size <= 128; size *= 2)
    for (const batch of [1, 2, 4, 8, 16])
      for (const payload of ["jsonb", "text"])
        for (const mem of ["1MB", "2MB", "4MB", "8MB"])
          rates.push(rate({ "pool.size": size, batch, payload, "target.settings.work_mem": mem }));
  return rates;
}

/** @param {readonly number[]} values @param {number} share */
const quantileOf = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;

const rows = [];
for (const [label, height] of /** @type {const} */ ([
  ["flat", 0],
  ["gentle", 0.2],
  ["steep", 1],
]))
  for (const noise of [0.03, 0.1])
    for (const trials of [60, 150]) {
      const results = [];
      for (let run = 0; run < runs; run++) {
        const rate = surface(height, new Prng(5000 + run));
        results.push(await simulateSearch({ experiment: HILLS, rate }, noise, trials, 5000 + run));
      }
      const changes = results.filter(({ advice }) => advice === "change");
      rows.push({
        label,
        noise,
        trials,
        changed: changes.length / runs,
        worse: changes.filter(({ gain }) => gain < 0).length / runs,
        gain: quantileOf(
          results.map(({ gain }) => gain),
          0.5,
        ),
        regret: quantileOf(
          results.map(({ regret }) => regret),
          0.5,
        ),
        regret90: quantileOf(
          results.map(({ regret }) => regret),
          0.9,
        ),
        spent: Math.max(...results.map(({ spent }) => spent)),
      });
    }
/** @type {(values: Readonly<Record<string, unknown>>) => boolean} */
const isFaster = (values) => values["payload"] === "text" && values["pool.size"] === 4;
const nearLimit = [];
for (const share of [0.5, 0.9, 0.95, 1.02, 1.05, 1.2])
  for (const trials of [60, 150, 400]) {
    let changed = 0;
    for (let run = 0; run < runs; run++) {
      const rate = (values) => (isFaster(values) ? Math.log(1.2) : 0);
      const p99Ms = (values) => LIMIT_MS * (isFaster(values) ? share : 0.5);
      const { advice } = await simulateSearch({ experiment: FEW, rate, p99Ms }, 0.03, trials, 9000 + run);
      if (advice === "change") changed++;
    }
    nearLimit.push({ share, trials, changed: changed / runs });
  }
const bound = 0.05 + 2.6 * Math.sqrt((0.05 * 0.95) / runs);
const isMissed = rows.some(({ label, changed }) => label === "flat" && changed > bound);
/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(1)} %`;
if (json) console.log(JSON.stringify({ runs, rows, nearLimit, isMissed }, null, 2));
else {
  for (const { label, noise, trials, changed, worse, gain, regret, regret90, spent } of rows)
    console.log(
      `${label.padEnd(6)} noise ${percent(noise)}, ${trials} trials: change ${percent(changed)}, for the worse ${percent(worse)}, ` +
        `gain ${percent(Math.expm1(gain))}, regret ${percent(-Math.expm1(-regret))} (90 %: ${percent(-Math.expm1(-regret90))}), budget ${spent.toFixed(2)}`,
    );
  for (const { share, trials, changed } of nearLimit)
    console.log(`20 % faster, p(99) ${share} of the limit, ${trials} trials: change ${percent(changed)}`);
}
process.exitCode = isMissed ? 1 : 0;
