// The executors, in the order of the reference. A new executor is a file here and a line in this list.
import type * as z from "zod";
import type { Pacer, PacingContext } from "../pacer.js";
import { constantArrivalRate } from "./constant-arrival-rate.js";
import { constantClients } from "./constant-clients.js";
import { dailyArrivalRate } from "./daily-arrival-rate.js";
import type { Executor } from "./executor.js";
import { perClientIterations } from "./per-client-iterations.js";
import { rampingArrivalRate } from "./ramping-arrival-rate.js";
import { rampingClients } from "./ramping-clients.js";
import { sharedIterations } from "./shared-iterations.js";

export const EXECUTORS = [
  constantClients,
  rampingClients,
  sharedIterations,
  perClientIterations,
  constantArrivalRate,
  rampingArrivalRate,
  dailyArrivalRate,
] as const;

type RegisteredExecutor = (typeof EXECUTORS)[number];
export type ExecutorName = RegisteredExecutor["name"];
export type PacingPlan = Parameters<RegisteredExecutor["pacer"]>[1];
/**
 * Settings of any executor. `clients` is the largest number of active clients; in an open loop, of clients that serve
 * arrivals.
 */
export type ExecutorSettings = ReturnType<RegisteredExecutor["resolve"]>;

type AnyExecutor = Executor<ExecutorName, z.ZodRawShape, PacingPlan, ExecutorSettings>;

/**
 * Executors by name. A plan belongs to its executor, which the compiler cannot follow through a lookup, so the type is
 * widened.
 */
const BY_NAME = new Map(EXECUTORS.map((each): [string, AnyExecutor] => [each.name, each as AnyExecutor]));

export function executorOf({ executor }: { readonly executor: ExecutorName }): AnyExecutor {
  const namedExecutor = BY_NAME.get(executor);
  if (!namedExecutor) throw new Error(`there is no executor ${executor}`);
  return namedExecutor;
}

export function createPacer(plan: PacingPlan, context: PacingContext): Pacer {
  return executorOf(plan).pacer(context, plan);
}

export function warmUpPlan(plan: PacingPlan): PacingPlan {
  return executorOf(plan).warmUp(plan);
}
