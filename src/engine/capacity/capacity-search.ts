// Double or halve, bisect on the log scale, confirm, then ask the upper bound again. One disturbed probe never decides.
import type { Capacity, CapacityDrift, CapacityProbe } from "../../results/capacity-schema.js";
import { capacityDrift, DRIFT_GAIN_MIN } from "./capacity-drift.js";
import type { RateOutcome } from "./capacity-likelihood.js";

export interface SearchOptions {
  readonly startRatePerSecond: number;
  readonly leastRatePerSecond: number;
  readonly mostRatePerSecond: number;
  /** Bisecting ends when the lowest failing rate is at most this share above the highest holding rate. */
  readonly precision: number;
  readonly confirmations: number;
}

export type ProbePurpose = Pick<CapacityProbe, "purpose" | "discarded">;

export type ProbeRequest = ProbePurpose & Pick<CapacityProbe, "ratePerSecond">;

/** Yields probes, one after another, and receives whether the rate held. */
type ProbeSequence<Result> = Generator<ProbeRequest, Result, boolean>;

export type SearchResult = Pick<Capacity, "outcome" | "ratePerSecond" | "failsAtPerSecond" | "drift">;

/** Number of probes after which a search ends without a rate. */
export const PROBES_MAX = 80;
/** Number of probes of a rate, out of 3, that decide. */
const PROBE_MAJORITY = 2;

/** Rounds a rate to three significant digits, which people can repeat. */
export function roundRate(ratePerSecond: number): number {
  return Number(ratePerSecond.toPrecision(3));
}

/** Whether a probe counts for the capacity: not the first on a cold server, nor one that waits for recovery. */
export function counts({ purpose, discarded }: ProbePurpose): boolean {
  return discarded !== true && purpose !== "recover";
}

/** Thrown through the search to end it without a rate. */
class InconclusiveSearchError extends Error {
  constructor(readonly drift?: CapacityDrift) {
    super("inconclusive");
  }
}

export class CapacitySearch {
  private readonly heldRates = new Set<number>();
  private readonly confirmedRates = new Set<number>();
  /** Evidence that a rate fails: one probe, 2 of 3, or 2 of the probes that asked it again later. */
  private readonly failureByRate = new Map<number, "once" | "bound" | "again">();
  private readonly outcomes: RateOutcome[] = [];
  private probeCount = 0;
  /** Whether the last probe failed, as it does under an overload. */
  private isOverloaded = false;
  private outcome: SearchResult["outcome"] = "stopped";
  private drift: CapacityDrift | undefined;

  constructor(private readonly options: SearchOptions) {}

  *probes(): ProbeSequence<void> {
    try {
      this.outcome = yield* this.search();
    } catch (error) {
      if (!(error instanceof InconclusiveSearchError)) throw error;
      this.outcome = "inconclusive";
      this.drift = error.drift;
    }
  }

  get result(): SearchResult {
    const { outcome, low, high, drift } = this;
    const isKnown = outcome === "found" || outcome === "at-least";
    return {
      outcome,
      ratePerSecond: isKnown ? low : null,
      failsAtPerSecond: high === Number.POSITIVE_INFINITY ? null : high,
      ...(drift && { drift }),
    };
  }

  private *search(): ProbeSequence<SearchResult["outcome"]> {
    yield* this.holds(this.start, { purpose: "bracket", discarded: true });
    this.isOverloaded = false;
    for (;;) {
      yield* this.narrow();
      const { low, high } = this;
      if (low === 0) return "none";
      if (!(yield* this.isConfirmed(low))) continue;
      if (high === Number.POSITIVE_INFINITY) return "at-least";
      if (this.failureByRate.get(high) === "again") {
        this.requireNoDrift();
        return "found";
      }
      yield* this.askAgain(high, 0, "again");
    }
  }

  /** Narrows the bracket until the lowest rate that bounds the search is near the highest that held, or a limit is reached. */
  private *narrow(): ProbeSequence<void> {
    const { leastRatePerSecond: least, mostRatePerSecond: most, precision } = this.options;
    for (;;) {
      if (!(yield* this.isRecovered())) continue;
      const { low, high } = this;
      const isCapacityBracketed = low > 0 && high < Number.POSITIVE_INFINITY;
      const middle = roundRate(Math.sqrt(low * high));
      if (this.failureByRate.get(high) === "once" && (low > 0 || high <= least))
        yield* this.askAgain(high, 1, "bound");
      else if (low >= most || high <= least || (isCapacityBracketed && high / low <= 1 + precision)) return;
      else if (isCapacityBracketed && (middle <= low || middle >= high)) return;
      else if (isCapacityBracketed) yield* this.ask(middle, "bisect");
      else if (low > 0) yield* this.ask(Math.min(roundRate(low * 2), most), "bracket");
      else if (high < Number.POSITIVE_INFINITY)
        yield* this.ask(Math.max(roundRate(high / 2), least), "bracket");
      else yield* this.ask(this.start, "bracket");
    }
  }

  private *ask(rate: number, purpose: "bracket" | "bisect"): ProbeSequence<void> {
    if (yield* this.holds(rate, { purpose })) this.heldRates.add(rate);
    else this.failureByRate.set(rate, "once");
  }

  /** Probes a rate until 2 of at most 3 probes agree; `previousFailures` counts failures so far. */
  private *askAgain(
    rate: number,
    previousFailures: number,
    failureEvidence: "bound" | "again",
  ): ProbeSequence<void> {
    let [held, failed] = [0, previousFailures];
    while (held < PROBE_MAJORITY && failed < PROBE_MAJORITY) {
      if (!(yield* this.isRecovered())) return;
      if (yield* this.holds(rate, { purpose: "bracket" })) held++;
      else failed++;
    }
    this.failureByRate.delete(rate);
    if (held < PROBE_MAJORITY) this.failureByRate.set(rate, failureEvidence);
    else {
      this.heldRates.add(rate);
      this.requireNoDrift();
    }
  }

  /** Whether enough repetitions hold: a quarter may fail, at least one, because stalls make some fail. */
  private *isConfirmed(rate: number): ProbeSequence<boolean> {
    const { confirmations } = this.options;
    const failuresMax = Math.max(1, Math.floor(confirmations / 4));
    let [held, failed] = [this.confirmedRates.has(rate) ? confirmations : 0, 0];
    while (held < confirmations && failed <= failuresMax) {
      if (!(yield* this.isRecovered())) return false;
      if (yield* this.holds(rate, { purpose: "confirm" })) held++;
      else failed++;
    }
    if (held === confirmations) this.confirmedRates.add(rate);
    else this.discardRate(rate);
    return held === confirmations;
  }

  /**
   * Whether the best rate holds after an overload, if necessary after a probe of half the rate. If it fails, refutes the
   * rate.
   */
  private *isRecovered(): ProbeSequence<boolean> {
    const { low } = this;
    if (!this.isOverloaded || low === 0) return true;
    const recoveryProbe = { purpose: "recover" } as const;
    if (yield* this.holds(low, recoveryProbe)) return true;
    yield* this.holds(Math.max(roundRate(low / 2), this.options.leastRatePerSecond), recoveryProbe);
    if (yield* this.holds(low, recoveryProbe)) return true;
    this.discardRate(low);
    return false;
  }

  private discardRate(rate: number): void {
    this.heldRates.delete(rate);
    this.confirmedRates.delete(rate);
    this.failureByRate.set(rate, "again");
    this.requireNoDrift();
  }

  private requireNoDrift(): void {
    const drift = capacityDrift(this.outcomes, DRIFT_GAIN_MIN.reported);
    if (drift) throw new InconclusiveSearchError(drift);
  }

  private *holds(rate: number, about: ProbePurpose): ProbeSequence<boolean> {
    if (this.probeCount === PROBES_MAX) throw new InconclusiveSearchError();
    const held = yield { ratePerSecond: rate, ...about };
    if (counts(about)) this.outcomes.push({ ratePerSecond: rate, held, position: this.probeCount });
    this.probeCount++;
    this.isOverloaded = !held;
    return held;
  }

  private get start(): number {
    const { startRatePerSecond, leastRatePerSecond, mostRatePerSecond } = this.options;
    return Math.min(Math.max(roundRate(startRatePerSecond), leastRatePerSecond), mostRatePerSecond);
  }

  private get low(): number {
    return Math.max(0, ...this.heldRates);
  }

  private get high(): number {
    return Math.min(...[...this.failureByRate.keys()].filter((rate) => rate > this.low));
  }
}
