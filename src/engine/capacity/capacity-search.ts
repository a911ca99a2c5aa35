// The search for the highest rate that holds, apart from what a probe is. Double or halve until one rate holds and one
// does not, then bisect on the log scale; then confirm the best one, and ask its upper bound again. One probe may be
// spoilt: the first is discarded, a rate bounds the search only once it failed 2 of 3 probes, and an upper bound that
// holds when it is asked again reopens the search. Every rate is asked again and confirmed at most once, so the search
// ends however noisy its probes are. Pure but for the probes.
import type { CapacityProbe } from "../../results/capacity-schema.js";

export interface SearchOptions {
  readonly startRatePerSecond: number;
  readonly leastRatePerSecond: number;
  readonly mostRatePerSecond: number;
  /** Ratio of the lowest failing to the highest holding rate at which bisecting ends, less 1. */
  readonly precision: number;
  /** Times that the final rate must hold again. */
  readonly confirmations: number;
}

/** What a probe is for; the first of a search is discarded. */
export type ProbePurpose = Pick<CapacityProbe, "purpose" | "discarded">;

/** Whether the rate holds; undefined when the search is to stop. */
export type Probe = (ratePerSecond: number, about: ProbePurpose) => Promise<boolean | undefined>;

export interface SearchResult {
  readonly outcome: "found" | "at-least" | "none" | "stopped";
  /** Null unless found or at least. */
  readonly ratePerSecond: number | null;
  readonly failsAtPerSecond: number | null;
}

/** Of 3 probes of a rate, those that decide. */
const MAJORITY = 2;

/** Three significant digits: a rate that people can repeat. */
export function roundRate(ratePerSecond: number): number {
  return Number(ratePerSecond.toPrecision(3));
}

/** Thrown through the search where a probe says that it is to stop. */
class Stopped extends Error {}

class Search {
  private readonly held = new Set<number>();
  private readonly confirmed = new Set<number>();
  /** What shows that a rate fails: one probe, 2 of 3, or 2 of those that asked it again later. */
  private readonly failed = new Map<number, "once" | "bound" | "again">();

  constructor(
    private readonly probe: Probe,
    private readonly options: SearchOptions,
  ) {}

  async run(): Promise<SearchResult> {
    try {
      return this.result(await this.outcome());
    } catch (error) {
      if (error instanceof Stopped) return this.result("stopped");
      throw error;
    }
  }

  private async outcome(): Promise<SearchResult["outcome"]> {
    await this.holds(this.start, { purpose: "bracket", discarded: true });
    for (;;) {
      await this.narrow();
      const { low, high } = this;
      if (low === 0) return "none";
      if (!(await this.isConfirmed(low))) continue;
      if (high === Number.POSITIVE_INFINITY) return "at-least";
      if (this.failed.get(high) === "again") return "found";
      await this.askAgain(high, 0, "again");
    }
  }

  /** Until the lowest rate that bounds the search is near the highest that held, or a limit is reached. */
  private async narrow(): Promise<void> {
    const { leastRatePerSecond: least, mostRatePerSecond: most, precision } = this.options;
    for (;;) {
      const { low, high } = this;
      const isBracketed = low > 0 && high < Number.POSITIVE_INFINITY;
      const middle = roundRate(Math.sqrt(low * high));
      if (this.failed.get(high) === "once" && (low > 0 || high <= least))
        await this.askAgain(high, 1, "bound");
      else if (low >= most || high <= least || (isBracketed && high / low <= 1 + precision)) return;
      else if (isBracketed && (middle <= low || middle >= high)) return;
      else if (isBracketed) await this.ask(middle, "bisect");
      else if (low > 0) await this.ask(Math.min(roundRate(low * 2), most), "bracket");
      else if (high < Number.POSITIVE_INFINITY)
        await this.ask(Math.max(roundRate(high / 2), least), "bracket");
      else await this.ask(this.start, "bracket");
    }
  }

  private async ask(rate: number, purpose: "bracket" | "bisect"): Promise<void> {
    if (await this.holds(rate, { purpose })) this.held.add(rate);
    else this.failed.set(rate, "once");
  }

  /** Until 2 of at most 3 probes agree; `failedAlready` of them have been. */
  private async askAgain(rate: number, failedAlready: number, shown: "bound" | "again"): Promise<void> {
    let [held, failed] = [0, failedAlready];
    while (held < MAJORITY && failed < MAJORITY)
      if (await this.holds(rate, { purpose: "bracket" })) held++;
      else failed++;
    this.failed.delete(rate);
    if (held === MAJORITY) this.held.add(rate);
    else this.failed.set(rate, shown);
  }

  /** One in four of the repetitions may be spoilt, and one of fewer. */
  private async isConfirmed(rate: number): Promise<boolean> {
    const { confirmations } = this.options;
    const failedMost = Math.max(1, Math.floor(confirmations / 4));
    let [held, failed] = [this.confirmed.has(rate) ? confirmations : 0, 0];
    while (held < confirmations && failed <= failedMost)
      if (await this.holds(rate, { purpose: "confirm" })) held++;
      else failed++;
    if (held === confirmations) this.confirmed.add(rate);
    else {
      this.held.delete(rate);
      this.failed.set(rate, "again");
    }
    return held === confirmations;
  }

  private async holds(rate: number, about: ProbePurpose): Promise<boolean> {
    const holds = await this.probe(rate, about);
    if (holds === undefined) throw new Stopped();
    return holds;
  }

  private get start(): number {
    const { startRatePerSecond, leastRatePerSecond, mostRatePerSecond } = this.options;
    return Math.min(Math.max(roundRate(startRatePerSecond), leastRatePerSecond), mostRatePerSecond);
  }

  /** Highest rate that holds; 0 without any. */
  private get low(): number {
    return Math.max(0, ...this.held);
  }

  /** Lowest rate above it that fails. */
  private get high(): number {
    return Math.min(...[...this.failed.keys()].filter((rate) => rate > this.low));
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
