// Zipf's distribution over 1 .. n by rejection-inversion (Hörmann and Derflinger, 1996): exact for every exponent above 0,
// constant time, no table.
import type { Prng } from "./prng.js";

export class Zipf {
  private readonly areaAtFirst: number;
  private readonly areaAtLast: number;
  /** Distance from a whole number within which a draw is accepted without a further test. */
  private readonly acceptDistance: number;

  /**
   * `n`, at least 1, is the largest number drawn. `s`, above 0, is the exponent (YCSB: 0.99): a larger one draws 1 more
   * often.
   */
  constructor(
    private readonly n: number,
    private readonly s: number,
  ) {
    this.areaAtFirst = this.integral(1.5) - 1;
    this.areaAtLast = this.integral(n + 0.5);
    this.acceptDistance = 2 - this.inverseIntegral(this.integral(2.5) - this.weight(2));
  }

  draw(prng: Prng): number {
    for (;;) {
      const u = this.areaAtLast + prng.float() * (this.areaAtFirst - this.areaAtLast);
      const x = this.inverseIntegral(u);
      const k = Math.min(this.n, Math.max(1, Math.round(x)));
      if (k - x <= this.acceptDistance || u >= this.integral(k + 0.5) - this.weight(k)) return k;
    }
  }

  private weight(x: number): number {
    return x ** -this.s;
  }

  private integral(x: number): number {
    const log = Math.log(x);
    const t = (1 - this.s) * log;
    return t === 0 ? log : (Math.expm1(t) / t) * log;
  }

  private inverseIntegral(area: number): number {
    const t = Math.max(-1, (1 - this.s) * area);
    return Math.exp(t === 0 ? area : (Math.log1p(t) / t) * area);
  }
}
