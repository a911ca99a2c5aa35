// The arrival schedule of an open loop. Each worker makes the whole schedule from the same seed and takes its share, so that a
// role's arrivals do not depend on the number of workers, and Poisson arrivals stay exactly Poisson.
import { Prng } from "../foundation/prng.js";
import type { RateCurve } from "./rate-curve.js";

export const ARRIVAL_DISTRIBUTIONS = ["poisson", "uniform"] as const;
export type ArrivalDistribution = (typeof ARRIVAL_DISTRIBUTIONS)[number];

export interface OpenLoopPlan {
  readonly distribution: ArrivalDistribution;
  /** Longest wait of an arrival for a free client; if undefined, it waits until the phase ends. */
  readonly maxWaitMs?: number;
}

export interface ConstantRatePlan extends OpenLoopPlan {
  readonly executor: "constant-arrival-rate";
  /** Rate of the whole role, over all its workers. */
  readonly ratePerSecond: number;
}

export interface Arrival {
  /** Position in the role's schedule, from 0. */
  readonly number: number;
  /** Due time in milliseconds since the schedule's start. */
  readonly offsetMs: number;
}

/** The part of the role's arrivals that one worker serves: arrivals are dealt to clients in turn. */
export interface WorkerShare {
  readonly totalClients: number;
  readonly workers: number;
  readonly workerIndex: number;
}

/** One worker's arrivals in order. Equal arguments give equal schedules. */
export class ArrivalSchedule {
  private readonly prng: Prng;
  private number = -1;
  private due = 0;
  private upcomingArrival: Arrival;

  constructor(
    private readonly curve: RateCurve,
    private readonly distribution: ArrivalDistribution,
    private readonly share: WorkerShare,
    seed: number,
  ) {
    this.prng = new Prng(seed);
    this.upcomingArrival = this.nextArrival();
  }

  /** Returns the next arrival without taking it; its offset is Infinity after the last one. */
  peek(): Arrival {
    return this.upcomingArrival;
  }

  take(): Arrival {
    const arrival = this.upcomingArrival;
    this.upcomingArrival = this.nextArrival();
    return arrival;
  }

  private nextArrival(): Arrival {
    do {
      this.number++;
      // -log(1 - u) is an exponential gap with mean 1; the rate curve turns counts of arrivals into moments.
      this.due = this.distribution === "uniform" ? this.number : this.due - Math.log(1 - this.prng.float());
    } while (!this.isArrivalForThisWorker(this.number));
    return { number: this.number, offsetMs: this.curve.timeOfCount(this.due) };
  }

  private isArrivalForThisWorker(number: number): boolean {
    const { totalClients, workers, workerIndex } = this.share;
    return (number % totalClients) % workers === workerIndex;
  }
}
