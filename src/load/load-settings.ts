// The load of a group of clients, resolved: which executor starts its transactions, by which plan, and the traffic of a
// simulated day. Every duration is in milliseconds, and nothing is optional that the engine would have to guess.
import type { ConstantArrivalRatePlan } from "./executors/constant-arrival-rate.js";
import type { DailyArrivalRatePlan, DayPart } from "./executors/daily-arrival-rate.js";
import type { RampingArrivalRatePlan } from "./executors/ramping-arrival-rate.js";
import type { RampingClientsPlan } from "./executors/ramping-clients.js";

export const MAX_CLIENTS = 100_000;

/** Inclusive range, uniform. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const BATCH_SIZES = ["small", "medium", "large"] as const;
export type BatchSizeName = (typeof BATCH_SIZES)[number];

/** Some hours of a simulated day: how busy they are, and how large their batches. */
export interface ProfileHours extends DayPart {
  /** Chance of each size; they add up to 1. */
  readonly mix: Readonly<Record<BatchSizeName, number>>;
}

/** Traffic by hour of a simulated day. */
export interface Profile {
  readonly name: string;
  readonly dayMs: number;
  /** In order; they cover the day. */
  readonly hours: readonly ProfileHours[];
  /** Events of a batch. */
  readonly sizes: Readonly<Record<BatchSizeName, number>>;
}

/** `clients` is the most that work at once: in an open loop, those that arrivals are given to. */
export type ExecutorSettings =
  | { readonly executor: "constant-clients"; readonly clients: number }
  | ({ readonly clients: number } & RampingClientsPlan)
  | ({ readonly clients: number } & ConstantArrivalRatePlan)
  | ({ readonly clients: number } & RampingArrivalRatePlan)
  | ({ readonly clients: number } & DailyArrivalRatePlan & { readonly profile: Profile })
  | {
      readonly executor: "shared-iterations";
      readonly clients: number;
      /** Iterations over all clients and workers of the group together. */
      readonly iterations: number;
      readonly maxDurationMs: number;
    }
  | {
      readonly executor: "per-client-iterations";
      readonly clients: number;
      /** Iterations of each client. */
      readonly iterations: number;
      readonly maxDurationMs: number;
    };

export type LoadSettings = ExecutorSettings & {
  /** Pause of a client between two iterations, uniform, in milliseconds. */
  readonly thinkTimeMs: Range;
  /** Clients start one by one, evenly over this time, in milliseconds. */
  readonly rampUpMs: number;
};

/** Whether arrivals are independent of completions: iterations start by a schedule. */
export function isOpenLoop({ executor }: Pick<LoadSettings, "executor">): boolean {
  return executor.endsWith("-arrival-rate");
}

/** The most time that the iteration budget of a group may take; undefined for one that has none. */
export function budgetMs(load: LoadSettings): number | undefined {
  return "maxDurationMs" in load ? load.maxDurationMs : undefined;
}
