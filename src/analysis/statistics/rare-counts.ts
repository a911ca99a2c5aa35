// Exact for independent events; clumped events carry less information: a fault may lose a hundred at once. Pure.
import { counted } from "../../foundation/units.js";

const CONFIDENCE_LEVEL = 0.95;
const BISECTION_HALVINGS = 200;
const FRACTION_TERMS_MAX = 10_000;
const DIVISOR_MIN = 1e-300;

/** Lanczos' coefficients for g = 7. */
const LANCZOS_COEFFICIENTS = [
  0.999_999_999_999_809_9, 676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_1,
  -176.615_029_162_140_6, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6,
  1.505_632_735_149_311_6e-7,
];

function lnGamma(x: number): number {
  const shiftedX = x - 1;
  const series = LANCZOS_COEFFICIENTS.reduce(
    (sum, term, i) => (i === 0 ? term : sum + term / (shiftedX + i)),
    0,
  );
  const base = shiftedX + LANCZOS_COEFFICIENTS.length - 1.5;
  return 0.5 * Math.log(2 * Math.PI) + (shiftedX + 0.5) * Math.log(base) - base + Math.log(series);
}

/** Lentz's continued fraction of the incomplete beta function. */
function betaFraction(x: number, a: number, b: number): number {
  const awayFromZero = (value: number): number => (Math.abs(value) < DIVISOR_MIN ? DIVISOR_MIN : value);
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let [c, result] = [1, d];
  for (let m = 1; m < FRACTION_TERMS_MAX; m++) {
    const evenTerm = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const oddTerm = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [evenTerm, oddTerm]) {
      d = 1 / awayFromZero(1 + term * d);
      c = awayFromZero(1 + term / c);
      step = c * d;
      result *= step;
    }
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return result;
}

/** The regularised incomplete beta function: the share of a beta distribution that is below `x`. */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const prefactor = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (prefactor * betaFraction(x, a, b)) / a
    : 1 - (prefactor * betaFraction(1 - x, b, a)) / b;
}

function betaQuantile(share: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < BISECTION_HALVINGS && low < high; i++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (betaCdf(middle, a, b) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** Smallest and largest true share that explains `count` of `all`; each end is missed with the chance `tail`. */
function shareBounds(count: number, all: number, tail: number): ShareInterval {
  return {
    low: count === 0 ? 0 : betaQuantile(tail, count, all - count + 1),
    high: count === all ? 1 : betaQuantile(1 - tail, count + 1, all - count),
  };
}

/**
 * Clopper and Pearson's 95 % interval of the true share if `count` of `all` were seen. If `count` is 0 or `all`, one end is
 * fixed and the other has the whole 5 %: 0 of n is at most 3/n.
 */
export function shareInterval(count: number, all: number): ShareInterval {
  const isOneSided = count === 0 || count === all;
  return shareBounds(count, all, isOneSided ? 1 - CONFIDENCE_LEVEL : (1 - CONFIDENCE_LEVEL) / 2);
}

/** Events of one kind among all possible events. */
export interface RareCount {
  readonly count: number;
  readonly all: number;
}

function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

/**
 * Text of a rare count: `0 of 5000 trials, at most 0.06 % with 95 % confidence`, `12 of 5000 trials, 0.24 % (95 % CI [0.12
 * %, 0.42 %])`.
 */
export function rareCountText({ count, all, unit }: RareCount & { readonly unit: string }): string {
  const { low, high } = shareInterval(count, all);
  const countText = `${count} of ${counted(all, unit)}`;
  if (count === 0) return `${countText}, at most ${percentText(high)} with 95 % confidence`;
  return `${countText}, ${percentText(count / all)} (95 % CI [${percentText(low)}, ${percentText(high)}])`;
}

/**
 * Exact 95 % interval of the ratio of the rate of `over` to the rate of `under`, by the binomial distribution of the split
 * of all events between the two. `high` is infinite if `under` has no events. Undefined if neither has events.
 */
export function rateRatioInterval(over: RareCount, under: RareCount): ShareInterval | undefined {
  const events = over.count + under.count;
  if (events === 0 || over.all === 0 || under.all === 0) return undefined;
  const share = shareBounds(over.count, events, (1 - CONFIDENCE_LEVEL) / 2);
  const ratioOf = (part: number): number =>
    part >= 1 ? Number.POSITIVE_INFINITY : ((part / (1 - part)) * under.all) / over.all;
  return { low: ratioOf(share.low), high: ratioOf(share.high) };
}
