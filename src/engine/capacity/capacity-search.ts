// The search for the highest rate that holds, apart from what a probe is. Double or halve until one rate holds and one
// does not, then bisect on the log scale; then confirm the best one, and ask its upper bound again. One probe may be
// spoilt: the first is discarded, a rate bounds the search only once it failed 2 of 3 probes, and an upper bound that
// holds when it is asked again reopens the search. After each overload the best rate has to hold again, since an overload
// may slow the next probe. A machine that drifts, or too many probes, end the search without a rate. Pure but for the probes.
import type { Capacity, CapacityDrift, CapacityProbe } from "../../results/capacity-schema.js";
import { capacityDrift, DRIFT_GAIN } from "./capacity-drift.js";
import type { RateOutcome } from "./capacity-likelihood.js";

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

export type SearchResult = Pick<Capacity, "outcome" | "ratePerSecond" | "failsAtPerSecond" | "drift">;

/** Probes after which a search ends without a rate. */
export const PROBES_MOST = 80;
/** Of 3 probes of a rate, those that decide. */
const MAJORITY = 2;

/** Three significant digits: a rate that people can repeat. */
export function roundRate(ratePerSecond: number): number {
  return Number(ratePerSecond.toPrecision(3));
}

/** Whether a probe counts for the capacity: not the first on a cold server, nor one that waits for recovery. */
export function counts({ purpose, discarded }: ProbePurpose): boolean {
  return discarded !== true && purpose !== "recover";
}

/** Thrown through the search to end it without a rate. */
class Ended extends Error {
  constructor(
    readonly outcome: "stopped" | "inconclusive",
    readonly drift?: CapacityDrift,
  ) {
    super(outcome);
  }
}

class Search {
  private readonly held = new Set<number>();
  private readonly confirmed = new Set<number>();
  /** Evidence that a rate fails: one probe, 2 of 3, or 2 of the probes that asked it again later. */
  private readonly failed = new Map<number, "once" | "bound" | "again">();
  private readonly counted: RateOutcome[] = [];
  private probes = 0;
  /** Whether the last probe failed, as it does under an overload. */
  private isOverloaded = false;

  constructor(
    private readonly probe: Probe,
    private readonly options: SearchOptions,
  ) {}

  async run(): Promise<SearchResult> {
    try {
      return this.result(await this.outcome());
    } catch (error) {
      if (error instanceof Ended) return this.result(error.outcome, error.drift);
      throw error;
    }
  }

  private async outcome(): Promise<SearchResult["outcome"]> {
    await this.holds(this.start, { purpose: "bracket", discarded: true });
    this.isOverloaded = false;
    for (;;) {
      await this.narrow();
      const { low, high } = this;
      if (low === 0) return "none";
      if (!(await this.isConfirmed(low))) continue;
      if (high === Number.POSITIVE_INFINITY) return "at-least";
      if (this.failed.get(high) === "again") {
        this.requireSteady();
        return "found";
      }
      await this.askAgain(high, 0, "again");
    }
  }

  /** Until the lowest rate that bounds the search is near the highest that held, or a limit is reached. */
  private async narrow(): Promise<void> {
    const { leastRatePerSecond: least, mostRatePerSecond: most, precision } = this.options;
    for (;;) {
      if (!(await this.isRecovered())) continue;
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
    while (held < MAJORITY && failed < MAJORITY) {
      if (!(await this.isRecovered())) return;
      if (await this.holds(rate, { purpose: "bracket" })) held++;
      else failed++;
    }
    this.failed.delete(rate);
    if (held < MAJORITY) this.failed.set(rate, shown);
    else {
      this.held.add(rate);
      this.requireSteady();
    }
  }

  /** One in four of the repetitions may be spoilt, and one of fewer. */
  private async isConfirmed(rate: number): Promise<boolean> {
    const { confirmations } = this.options;
    const failedMost = Math.max(1, Math.floor(confirmations / 4));
    let [held, failed] = [this.confirmed.has(rate) ? confirmations : 0, 0];
    while (held < confirmations && failed <= failedMost) {
      if (!(await this.isRecovered())) return false;
      if (await this.holds(rate, { purpose: "confirm" })) held++;
      else failed++;
    }
    if (held === confirmations) this.confirmed.add(rate);
    else this.refute(rate);
    return held === confirmations;
  }

  /** Whether the best rate holds after an overload, if need be after a probe of half of it. If not, refutes it. */
  private async isRecovered(): Promise<boolean> {
    const { low } = this;
    if (!this.isOverloaded || low === 0) return true;
    const recover = { purpose: "recover" } as const;
    if (await this.holds(low, recover)) return true;
    await this.holds(Math.max(roundRate(low / 2), this.options.leastRatePerSecond), recover);
    if (await this.holds(low, recover)) return true;
    this.refute(low);
    return false;
  }

  private refute(rate: number): void {
    this.held.delete(rate);
    this.confirmed.delete(rate);
    this.failed.set(rate, "again");
    this.requireSteady();
  }

  private requireSteady(): void {
    const drift = capacityDrift(this.counted, DRIFT_GAIN.shown);
    if (drift) throw new Ended("inconclusive", drift);
  }

  private async holds(rate: number, about: ProbePurpose): Promise<boolean> {
    if (this.probes === PROBES_MOST) throw new Ended("inconclusive");
    const held = await this.probe(rate, about);
    if (held === undefined) throw new Ended("stopped");
    if (counts(about)) this.counted.push({ ratePerSecond: rate, held, position: this.probes });
    this.probes++;
    this.isOverloaded = !held;
    return held;
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

  private result(outcome: SearchResult["outcome"], drift?: CapacityDrift): SearchResult {
    const isKnown = outcome === "found" || outcome === "at-least";
    return {
      outcome,
      ratePerSecond: isKnown ? this.low : null,
      failsAtPerSecond: this.high === Number.POSITIVE_INFINITY ? null : this.high,
      ...(drift && { drift }),
    };
  }
}

export async function searchCapacity(probe: Probe, options: SearchOptions): Promise<SearchResult> {
  return new Search(probe, options).run();
}
