// 5 % is spent over the planned blocks in proportion (Kim and DeMets 1987, power 1), and a look claims what the share since the last
// look pays for. Levels come from integrating a sum that has passed no bound yet (Armitage, McPherson and Rowe 1969).
import { SIGNIFICANCE_LEVEL } from "./limits.js";
import { normalCdf, rootOf } from "./statistics.js";

/** Largest factor by which the number of blocks grows from one look to the next; it grows by one block at least. */
const LOOK_GROWTH_MAX = 1.5;
/**
 * Number of independent questions that levels assume, which is more than an experiment asks. A level holds for the smallest
 * p of many questions: the more independent these are, the less the looks have in common, and the more the looks cost.
 */
const ASSUMED_QUESTIONS = 100;
/** Steps of Simpson's rule for the density of sums that have passed no bound yet. */
const SIMPSON_STEPS = 200;

/** Numbers of blocks after which looks are planned, from `min` to `max` at about equal ratios. */
export function plannedLooks(min: number, max: number): number[] {
  const steps = Math.max(1, Math.ceil(Math.log(max / min) / Math.log(LOOK_GROWTH_MAX)));
  const looks = Array.from({ length: steps + 1 }, (_, i) => Math.round(min * (max / min) ** (i / steps)));
  return [...new Set(looks)];
}

/** A density at points of an axis, each weighted as Simpson's rule sums it up. */
interface Density {
  readonly points: readonly number[];
  readonly weights: readonly number[];
}

function integral({ points, weights }: Density, f: (point: number) => number): number {
  return points.reduce((sum, point, i) => sum + (weights[i] as number) * f(point), 0);
}

/** The density of a sum after one more step with this standard deviation, cut off at `bound` on both sides. */
function densityAfterStep(before: Density, bound: number, deviation: number): Density {
  const width = (2 * bound) / SIMPSON_STEPS;
  const points = Array.from({ length: SIMPSON_STEPS + 1 }, (_, i) => -bound + i * width);
  const weights = points.map((point, i) => {
    const simpsonWeight = (i === 0 || i === SIMPSON_STEPS ? 1 : i % 2 === 1 ? 4 : 2) * (width / 3);
    const density = integral(before, (from) => Math.exp(-(((point - from) / deviation) ** 2) / 2));
    return (simpsonWeight * density) / (deviation * Math.sqrt(2 * Math.PI));
  });
  return { points, weights };
}

/**
 * Two-sided critical values of a standard normal statistic, one for each look. `information` of the looks ascends, in any
 * unit; `spentChances` are the chances to have passed a bound by each look.
 */
export function criticalValues(information: readonly number[], spentChances: readonly number[]): number[] {
  let density: Density = { points: [0], weights: [1] };
  return information.map((currentInformation, i) => {
    const deviation = Math.sqrt(currentInformation - (information[i - 1] ?? 0));
    const share = (spentChances[i] as number) - (spentChances[i - 1] ?? 0);
    const passingChance = (bound: number): number =>
      integral(
        density,
        (sum) => normalCdf((sum - bound) / deviation) + normalCdf((-bound - sum) / deviation),
      );
    const bound = rootOf((each) => passingChance(each) - share, 0, 10 * Math.sqrt(currentInformation));
    density = densityAfterStep(density, bound, deviation);
    return bound / Math.sqrt(currentInformation);
  });
}

/** Level, 0 .. 0.05, at which the last of `looks` may claim. Looks are ascending numbers of blocks, of at most `max`. */
export function levelAtLastLook(looks: readonly number[], max: number): number {
  const levelOfOneQuestion = (share: number): number => 1 - (1 - share) ** (1 / ASSUMED_QUESTIONS);
  const spentLevels = looks.map((blocks) => levelOfOneQuestion((SIGNIFICANCE_LEVEL * blocks) / max));
  const lastCriticalValue = criticalValues(looks, spentLevels).at(-1) ?? 0;
  return 1 - (1 - 2 * normalCdf(-lastCriticalValue)) ** ASSUMED_QUESTIONS;
}
