// Simulates trials for benches of the statistics: designs, noises, and experiments from them in which nothing differs, or
// one treatment differs in one operation.
import { planTrials } from "#program/scenario/plan/trial-order.js";
import { normal } from "./noises.mjs";

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
export const DESIGNS = [
  { name: "2", levels: oneFactor(2) },
  { name: "3", levels: oneFactor(3) },
  { name: "6", levels: oneFactor(6) },
  { name: "2x2", levels: grid(2, 2) },
  { name: "3x2", levels: grid(3, 2) },
];
/** Noises, each with a drift over blocks in units of the noise, and with the share of trials that are disturbed. */
export const NOISES = [
  { name: "plain", drift: 0, spikes: 0 },
  { name: "drift", drift: 2, spikes: 0 },
  { name: "spikes", drift: 0.5, spikes: 0.04 },
];
export const OPERATIONS = /** @type {const} */ (["add", "process", "archive"]);
export const CV = 0.05;

/**
 * Log-normal trials in the order that the program plans: noise that a trial's operations share, noise of an operation that
 * its metrics share, and noise of each metric. With `place` each later place of a block is slower by that logarithm;
 * `series` draws the shared noise of each trial, with a deviation of 1, for all trials in their order.
 *
 * @param {Design} design
 * @param {number} blocks
 * @param {{ drift: number, spikes: number, place?: number, series?: (prng: import("#program/foundation/prng.js").Prng, trials: number) => number[] }} noise
 * @param {number} cv
 * @param {number} effect times on `process` of the second treatment
 * @param {import("#program/foundation/prng.js").Prng} prng
 */
export function simulateTrials(design, blocks, noise, cv, effect, prng) {
  const drifts = Array.from({ length: blocks }, () => noise.drift * cv * normal(prng));
  const ids = design.levels.map((levels) => Object.values(levels).join("-"));
  const seed = prng.intBetween(0, 2 ** 31);
  const order = planTrials(ids, { trials: blocks, order: "interleaved", seed });
  const inOrder = noise.series?.(prng, order.length);
  return design.levels.map((levels, treatment) => {
    const id = ids[treatment] ?? "";
    const numbers = order.flatMap(({ treatmentId, number }) => (treatmentId === id ? [number] : []));
    const trials = drifts.map((drift, block) => {
      const number = numbers[block] ?? 0;
      const later = (noise.place ?? 0) * ((number - 1) % ids.length);
      const shared = inOrder ? (inOrder[number - 1] ?? 0) : 0.5 * normal(prng);
      const spike = prng.float() < noise.spikes ? 0.3 + 1.2 * prng.float() : 0;
      const operations = OPERATIONS.map((operation) => {
        const own = 0.6 * normal(prng);
        const slower = treatment === 1 && operation === "process" ? Math.log(effect) : 0;
        /** @param {number} scale */
        const factor = (scale) =>
          Math.exp(scale * cv * (shared + own + 0.62 * normal(prng)) + drift + spike + slower + later);
        const [mean, p99] = [10 * factor(1), 40 * factor(2)];
        const eventsPerSecond = 500 / factor(1);
        const responseTimeMs = { mean, p50: mean, p95: p99, p99 };
        return [operation, { eventsPerSecond, transactions: 15_000, responseTimeMs }];
      });
      return {
        ...{ number, block, status: "complete", windowSeconds: 30 },
        ...{ operations: Object.fromEntries(operations), lifecycle: {} },
      };
    });
    return /** @type {TreatmentResult} */ (/** @type {unknown} */ ({ id, levels, trials, merged: null }));
  });
}

/** @param {number} part @param {number} of */
export const percent = (part, of) => Number(((100 * part) / of).toFixed(1));
