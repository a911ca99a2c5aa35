// A law that the measurements do not identify is refused: three parameters can be drawn through almost anything.
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Estimate, UslFit } from "../../results/result-schema.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import { expandedConfidence, mean, quantile } from "../statistics/statistics.js";
import { fitUsl, peakOf, rSquared, type UslParameters, type ThroughputPoint } from "./usl.js";

/** Minimum number of levels for a fit: one for each of three parameters, and two to spare. */
const LEVELS_MIN = 5;
const BOOTSTRAP_RESAMPLES = 2000;
const R_SQUARED_MIN = 0.9;
/** Farthest peak that is stated, in multiples of the highest level; a peak further out is a guess. */
const PEAK_EXTRAPOLATION_MAX = 2;
const LAMBDA_INTERVAL_RATIO_MAX = 4;

export type Curve = readonly ThroughputPoint[];

function averagedPoints(curves: readonly Curve[]): ThroughputPoint[] {
  return (curves[0] ?? []).map(({ clients }, level) => ({
    clients,
    throughput: mean(curves.map((curve) => curve[level]?.throughput ?? Number.NaN)),
  }));
}

const threeDigits = (value: number): string => Number(value.toPrecision(3)).toString();

/** Reason why the fit is no scalability law, or why these points do not determine it; undefined if there is none. */
function objection(points: readonly ThroughputPoint[], fit: UslParameters): string | undefined {
  const parameterAtBound = fit.sigma <= 0 ? "sigma" : fit.kappa <= 0 ? "kappa" : undefined;
  if (parameterAtBound === "kappa")
    return `kappa is at its bound (${threeDigits(fit.kappa)}): throughput does not fall up to the highest level measured; add levels with more clients`;
  if (parameterAtBound)
    return `sigma is at its bound (${threeDigits(fit.sigma)}): throughput grows faster than the number of clients, which the law excludes`;
  if (fit.sigma >= 1)
    return `sigma is ${threeDigits(fit.sigma)}: a second client adds no throughput; add levels with fewer clients`;
  const explainedShare = rSquared(points, fit);
  if (explainedShare < R_SQUARED_MIN)
    return `the law does not describe these points: R squared is ${explainedShare.toFixed(2)}, at least ${R_SQUARED_MIN} is required`;
  return undefined;
}

function peakEstimate(
  value: number,
  resampledPeaks: readonly number[],
  confidence: number,
  highestLevel: number,
) {
  const interval = intervalOf(value, resampledPeaks, confidence);
  if (interval.high <= PEAK_EXTRAPOLATION_MAX * highestLevel) return { peakClients: interval };
  const [low, high] = [interval.low, interval.high].map((end) =>
    Number.isFinite(end) ? String(Math.round(end)) : "infinity",
  );
  const peakReason =
    `the peak is not identified: its interval [${low ?? ""}, ${high ?? ""}] reaches beyond ` +
    `${PEAK_EXTRAPOLATION_MAX} times the highest level, ${highestLevel}; add higher levels`;
  return { peakClients: null, peakReason };
}

function intervalOf(value: number, resampledValues: readonly number[], confidence: number): Estimate {
  const tail = (1 - confidence) / 2;
  // Infinite peaks become very large numbers, because a quantile would interpolate infinities to NaN.
  const finiteValues = resampledValues.map((each) => Math.min(each, Number.MAX_SAFE_INTEGER));
  const intervalEndAt = (q: number): number => {
    const at = quantile(finiteValues, q);
    return at >= Number.MAX_SAFE_INTEGER / 1e6 ? Number.POSITIVE_INFINITY : Math.max(0, at);
  };
  return { value, low: intervalEndAt(tail), high: intervalEndAt(1 - tail) };
}

export function fitCurves(curves: readonly Curve[], seed: number): UslFit {
  const refusal = (reason: string): UslFit => ({ status: "refused", reason });
  const levels = new Set(curves[0]?.map(({ clients }) => clients)).size;
  if (levels < LEVELS_MIN)
    return refusal(`${levels} distinct levels of clients; three parameters need at least ${LEVELS_MIN}`);
  if (curves.length < BLOCKS_MIN)
    return refusal(`${curves.length} complete blocks of trials; intervals need at least ${BLOCKS_MIN}`);
  const points = averagedPoints(curves);
  const levelsWithoutThroughput = points.flatMap(({ clients, throughput }) =>
    throughput === 0 ? [clients] : [],
  );
  if (levelsWithoutThroughput.length > 0)
    return refusal(
      `no throughput at all at ${levelsWithoutThroughput.join(", ")} ${levelsWithoutThroughput.join() === "1" ? "client" : "clients"}, which the law excludes`,
    );
  const fit = fitUsl(points);
  if (!fit) return refusal("least squares did not converge");
  const reason = objection(points, fit);
  if (reason !== undefined) return refusal(reason);
  const prng = new Prng(deriveSeed(seed, "usl"));
  const pickCurve = (): Curve => curves[prng.intBetween(0, curves.length - 1)] as Curve;
  const refits = Array.from({ length: BOOTSTRAP_RESAMPLES }, () =>
    fitUsl(averagedPoints(curves.map(pickCurve))),
  );
  const resampledFits = refits.filter((each) => each !== undefined);
  if (resampledFits.length < 0.99 * BOOTSTRAP_RESAMPLES)
    return refusal("least squares did not converge for more than 1 % of the resamples");
  const confidence = expandedConfidence(curves.length);
  const estimate = (name: keyof UslParameters): Estimate =>
    intervalOf(
      fit[name],
      resampledFits.map((each) => each[name]),
      confidence,
    );
  const [lambda, sigma, kappa] = [estimate("lambda"), estimate("sigma"), estimate("kappa")];
  if (sigma.low === 0 && kappa.low === 0)
    return refusal("no curvature: sigma and kappa do not differ from 0 at the levels measured");
  if (sigma.high >= 1 || !(lambda.high <= LAMBDA_INTERVAL_RATIO_MAX * lambda.low))
    return refusal(
      `the trials do not agree on a curve: lambda [${threeDigits(lambda.low)}, ${threeDigits(lambda.high)}], sigma [${threeDigits(sigma.low)}, ${threeDigits(sigma.high)}]`,
    );
  const highestLevel = Math.max(...points.map(({ clients }) => clients));
  return {
    status: "fitted",
    lambda,
    sigma,
    kappa,
    ...peakEstimate(peakOf(fit), resampledFits.map(peakOf), confidence, highestLevel),
    rSquared: rSquared(points, fit),
  };
}
