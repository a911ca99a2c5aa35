// The arrival schedule of an open loop. Each worker makes the whole schedule from the same seed and takes its share, so that a
// group's arrivals do not depend on the number of workers, and Poisson arrivals stay exactly Poisson.
import { Prng } from "../foundation/prng.js";
import type { RateCurve } from "./rate-curve.js";

/**
 * `poisson`: gaps are exponential, as of many users who do not know of each other; `uniform`: the curve's arrivals
 * evenly spaced.
 */
export const ARRIVAL_DISTRIBUTIONS = ["poisson", "uniform"] as const;
export type ArrivalDistribution = (typeof ARRIVAL_DISTRIBUTIONS)[number];

export interface OpenLoopPlan {
  readonly distribution: ArrivalDistribution;
  /** How long an arrival waits for a free client; without one it waits until the phase ends. */
  readonly maxWaitMs?: number;
}

export interface ConstantRatePlan extends OpenLoopPlan {
  readonly executor: "constant-arrival-rate";
  /** Of the group, over all its workers. */
  readonly ratePerSecond: number;
}

/** One arrival of the group's schedule. */
export interface Arrival {
  /** Position in the group's schedule, from 0. */
  readonly number: number;
  /** When it is due, in milliseconds since the schedule's start. */
  readonly offsetMs: number;
}

/** Which arrivals of the group are one worker's: those of its clients, dealt out one client after the other. */
export interface Share {
  readonly totalClients: number;
  readonly workers: number;
  readonly workerIndex: number;
}

/** One worker's arrivals in order. Two made with the same arguments give the same. */
export class ArrivalSchedule {
  private readonly prng: Prng;
  private number = -1;
  private due = 0;
  private upcoming: Arrival;

  constructor(
    private readonly curve: RateCurve,
    private readonly distribution: ArrivalDistribution,
    private readonly share: Share,
    seed: number,
  ) {
    this.prng = new Prng(seed);
    this.upcoming = this.following();
  }

  /** The next arrival, which stays; its offset is Infinity when there is none any more. */
  peek(): Arrival {
    return this.upcoming;
  }

  take(): Arrival {
    const taken = this.upcoming;
    this.upcoming = this.following();
    return taken;
  }

  private following(): Arrival {
    do {
      this.number++;
      // -log(1 - u) is an exponential gap with mean 1; the curve turns counts of arrivals into time.
      this.due = this.distribution === "uniform" ? this.number : this.due - Math.log(1 - this.prng.float());
    } while (!this.isMine(this.number));
    return { number: this.number, offsetMs: this.curve.timeOf(this.due) };
  }

  private isMine(number: number): boolean {
    const { totalClients, workers, workerIndex } = this.share;
    return (number % totalClients) % workers === workerIndex;
  }
}
