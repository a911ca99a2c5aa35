// The search for the highest rate that holds, apart from what a probe is: double or halve until one rate holds and
// one does not, then bisect on the log scale, then repeat the best one, since a rate that held once may have been
// lucky. A rate that fails a repetition is lowered by a step and repeated anew. Pure but for the probes.
import type { CapacityProbe } from "../results/capacity-schema.js";

export interface SearchOptions {
  readonly startRatePerSecond: number;
  readonly leastRatePerSecond: number;
  readonly mostRatePerSecond: number;
  /** Ratio of the lowest failing to the highest holding rate at which bisecting ends, less 1. */
  readonly precision: number;
  /** Times that the final rate must hold again. */
  readonly confirmations: number;
}

/** Whether the rate holds; undefined when the search is to stop. */
export type Probe = (
  ratePerSecond: number,
  purpose: CapacityProbe["purpose"],
) => Promise<boolean | undefined>;

export interface SearchResult {
  readonly outcome: "found" | "at-least" | "none" | "stopped";
  /** Null unless found or at least. */
  readonly ratePerSecond: number | null;
  readonly failsAtPerSecond: number | null;
}

/** Three significant digits: a rate that people can repeat. */
export function roundRate(ratePerSecond: number): number {
  return Number(ratePerSecond.toPrecision(3));
}

class Search {
  /** Highest rate that held; 0 before any. */
  private low = 0;
  /** Lowest rate that failed. */
  private high = Number.POSITIVE_INFINITY;

  constructor(
    private readonly probe: Probe,
    private readonly options: SearchOptions,
  ) {}

  async run(): Promise<SearchResult> {
    if (!(await this.bracket()) || !(await this.bisect())) return this.result("stopped");
    if (this.low === 0) return this.result("none");
    return this.confirm();
  }

  /** False when stopped. */
  private async bracket(): Promise<boolean> {
    const { startRatePerSecond, leastRatePerSecond, mostRatePerSecond } = this.options;
    let rate = Math.min(Math.max(startRatePerSecond, leastRatePerSecond), mostRatePerSecond);
    for (;;) {
      const holds = await this.at(rate, "bracket");
      if (holds === undefined) return false;
      if (holds ? rate >= mostRatePerSecond : rate <= leastRatePerSecond) return true;
      if (this.low > 0 && this.high < Number.POSITIVE_INFINITY) return true;
      rate = holds ? Math.min(rate * 2, mostRatePerSecond) : Math.max(rate / 2, leastRatePerSecond);
    }
  }

  private async bisect(): Promise<boolean> {
    const { precision } = this.options;
    while (this.low > 0 && this.high < Number.POSITIVE_INFINITY && this.high / this.low > 1 + precision) {
      const rate = roundRate(Math.sqrt(this.low * this.high));
      if (rate <= this.low || rate >= this.high) return true;
      if ((await this.at(rate, "bisect")) === undefined) return false;
    }
    return true;
  }

  private async confirm(): Promise<SearchResult> {
    const { confirmations, leastRatePerSecond, precision } = this.options;
    let rate = this.low;
    for (let held = 0; held < confirmations;) {
      const holds = await this.probe(rate, "confirm");
      if (holds === undefined) return this.result("stopped");
      if (holds) {
        held++;
        continue;
      }
      held = 0;
      this.high = rate;
      if (rate <= leastRatePerSecond) return this.result("none");
      rate = Math.max(leastRatePerSecond, roundRate(rate / (1 + precision)));
    }
    this.low = rate;
    return this.result(this.high === Number.POSITIVE_INFINITY ? "at-least" : "found");
  }

  private async at(rate: number, purpose: "bracket" | "bisect"): Promise<boolean | undefined> {
    const holds = await this.probe(roundRate(rate), purpose);
    if (holds === true) this.low = roundRate(rate);
    if (holds === false) this.high = roundRate(rate);
    return holds;
  }

  private result(outcome: SearchResult["outcome"]): SearchResult {
    const isKnown = outcome === "found" || outcome === "at-least";
    return {
      outcome,
      ratePerSecond: isKnown ? this.low : null,
      failsAtPerSecond: this.high === Number.POSITIVE_INFINITY ? null : this.high,
    };
  }
}

export async function searchCapacity(probe: Probe, options: SearchOptions): Promise<SearchResult> {
  return new Search(probe, options).run();
}
