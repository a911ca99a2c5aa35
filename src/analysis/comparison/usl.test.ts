import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { fitUsl, peakOf, rSquared, uslThroughput, type UslParameters, type ThroughputPoint } from "./usl.js";
import { fitCurves, type Curve } from "./usl-verdict.js";

function pointsOf(clients: readonly number[], throughput: readonly number[]): ThroughputPoint[] {
  return clients.map((each, i) => ({ clients: each, throughput: throughput[i] as number }));
}

/** SPEC SDM91 on a SPARCcenter 2000: the worked example of Gunther's book and of R's package usl. */
const SPARC = pointsOf([1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]);
/** A ray tracer on 1 to 64 processors, from the same package; throughput there never falls. */
const RAYTRACER = pointsOf(
  [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64],
  [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310],
);
const LEVELS = [1, 2, 4, 8, 16, 32, 64];

/** Throughput in blocks of trials around a known law; `noise` is relative, and `shared` moves a whole block. */
function curvesOf(truth: UslParameters, blocks: number, noise: number, prng: Prng, levels = LEVELS): Curve[] {
  const wiggle = (size: number): number =>
    size * (prng.float() + prng.float() + prng.float() + prng.float() - 2) * Math.sqrt(3);
  return Array.from({ length: blocks }, () => {
    const shared = wiggle(noise);
    return levels.map((clients) => ({
      clients,
      throughput: uslThroughput(truth, clients) * (1 + shared + wiggle(noise)),
    }));
  });
}

describe("fitUsl", () => {
  it("agrees with R's usl package and SciPy on the published example", () => {
    const fit = fitUsl(SPARC);
    if (!fit) throw new Error("it converges");
    // coef(usl(throughput ~ load, specsdm91)): alpha 0.0277, beta 0.000104, gamma 89.995; peak 96.52.
    // scipy.optimize.curve_fit, SciPy 1.17:
    expect(fit.lambda).toBeCloseTo(89.99523283504277, 4);
    expect(fit.sigma).toBeCloseTo(0.027728475491599597, 8);
    expect(fit.kappa).toBeCloseTo(0.00010436548357726233, 10);
    expect(peakOf(fit)).toBeCloseTo(96.51956109629947, 3);
    expect(rSquared(SPARC, fit)).toBeCloseTo(0.9895614780531269, 8);
    const residuals = SPARC.map(({ clients, throughput }) => throughput - uslThroughput(fit, clients));
    expect(Math.min(...residuals)).toBeCloseTo(-81.7, 1);
    expect(Math.max(...residuals)).toBeCloseTo(111.1, 1);
  });

  it("gives a negative kappa for data that never bend, as SciPy does", () => {
    const fit = fitUsl(RAYTRACER);
    expect(fit?.lambda).toBeCloseTo(24.766174019907364, 4);
    expect(fit?.sigma).toBeCloseTo(0.07814784788456396, 7);
    expect(fit?.kappa).toBeCloseTo(-0.00020112127910304175, 9);
    expect(peakOf({ lambda: 1, sigma: 0.1, kappa: -0.1 })).toBe(Number.POSITIVE_INFINITY);
  });

  it("recovers the parameters of an exact curve", () => {
    const truth = { lambda: 120, sigma: 0.05, kappa: 0.002 };
    const fit = fitUsl(LEVELS.map((clients) => ({ clients, throughput: uslThroughput(truth, clients) })));
    for (const name of ["lambda", "sigma", "kappa"] as const)
      expect((fit?.[name] ?? 0) / truth[name]).toBeCloseTo(1, 6);
  });
});

describe("fitCurves", () => {
  const truth = { lambda: 500, sigma: 0.08, kappa: 0.001 };
  const prng = new Prng(5);

  it("gives intervals that cover known parameters about as often as they state", () => {
    const runs = 30;
    const covered = { lambda: 0, sigma: 0, kappa: 0, peakClients: 0 };
    for (let i = 0; i < runs; i++) {
      const fit = fitCurves(curvesOf(truth, 5, 0.03, prng), i);
      if (fit.status !== "fitted" || !fit.peakClients) throw new Error(JSON.stringify(fit));
      expect(fit.rSquared).toBeGreaterThan(0.9);
      const known = { ...truth, peakClients: Math.sqrt((1 - truth.sigma) / truth.kappa) };
      for (const name of ["lambda", "sigma", "kappa", "peakClients"] as const) {
        const { value, low, high } = fit[name] ?? { value: 0, low: 0, high: 0 };
        expect(low <= value && value <= high).toBe(true);
        if (low <= known[name] && known[name] <= high) covered[name]++;
      }
    }
    // Binomial(30, 0.95) is below 25 with probability 0.003; the seed is fixed.
    for (const count of Object.values(covered)) expect(count).toBeGreaterThanOrEqual(25);
  });

  it("gives the same result for the same seed", () => {
    const curves = curvesOf(truth, 5, 0.03, new Prng(1));
    expect(fitCurves(curves, 3)).toEqual(fitCurves(curves, 3));
  });

  it("refuses fewer than five levels, fewer than five blocks and curves that do not bend", () => {
    const reason = (curves: Curve[]): string => {
      const fit = fitCurves(curves, 1);
      return fit.status === "refused" ? fit.reason : `fitted: ${JSON.stringify(fit)}`;
    };
    expect(reason(curvesOf(truth, 5, 0.01, prng, [1, 2, 4, 8]))).toMatch(/^4 distinct levels of clients/);
    expect(reason(curvesOf(truth, 4, 0.01, prng))).toMatch(/^4 complete blocks of trials/);
    expect(reason([])).toMatch(/^0 distinct levels/);
    const repeatPoints = (points: readonly ThroughputPoint[]): Curve[] =>
      Array.from({ length: 5 }, () => points);
    expect(reason(repeatPoints(RAYTRACER))).toMatch(
      /^kappa is at its bound \(-0.000201\): throughput does not fall/,
    );
    const superlinear = LEVELS.map((clients) => ({
      clients,
      throughput: clients ** 1.2 / (1 + clients / 500),
    }));
    expect(reason(repeatPoints(superlinear))).toMatch(/^sigma is at its bound/);
    const jumpy = pointsOf(LEVELS, [100, 10, 100, 10, 100, 10, 100]);
    expect(reason(repeatPoints(jumpy))).toMatch(/^(the law does not describe|sigma|kappa|least squares)/);
    const straight = Array.from({ length: 20 }, (_, i) =>
      reason(curvesOf({ lambda: 10, sigma: 0, kappa: 0 }, 5, 0.03, new Prng(i), [1, 2, 3, 4, 5, 6])),
    );
    for (const each of straight) expect(each).not.toMatch(/^fitted/);
  });

  it("fits a curve that levels off, without a peak beyond the measured levels", () => {
    const amdahl = { lambda: 100, sigma: 0.2, kappa: 0.0000001 };
    const fits = Array.from({ length: 10 }, (_, i) => fitCurves(curvesOf(amdahl, 6, 0.02, new Prng(i)), i));
    for (const fit of fits) {
      if (fit.status === "refused") expect(fit.reason).toMatch(/kappa is at its bound/);
      else {
        expect(fit.peakClients).toBeNull();
        expect(fit.peakReason).toMatch(
          /^the peak is not identified: its interval \[\d+, (infinity|\d+)\] reaches/,
        );
        expect(fit.sigma.low).toBeLessThan(0.2);
        expect(fit.sigma.high).toBeGreaterThan(0.19);
      }
    }
    expect(fits.some(({ status }) => status === "fitted")).toBe(true);
  });
});
