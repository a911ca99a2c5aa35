// The contract of an executor: name, keys of `load`, cross-key rules, resolved settings and the pacer.
// A new executor is a file here and a line in `registry.ts`.
import type * as z from "zod";
import type { Finding } from "../../syntax/problems.js";
import type { ConstantRatePlan } from "../arrivals.js";
import type { LoadKeys } from "../keys.js";
import type { Pacer, PacingContext } from "../pacer.js";

/** What of the rest of the scenario a load depends on. */
export interface LoadSurroundings {
  /** Clients as the group or the scenario gives them, before those of the load itself. */
  readonly clients: number | undefined;
  /** Where nothing says how many there are. */
  readonly defaultClients: number;
  readonly windowMs: number;
}

export interface RuleSurroundings {
  /** The group's own `clients`. */
  readonly groupClients: number | undefined;
  /** Those of the group or of the scenario. */
  readonly clients: number | undefined;
  /** Infinity where a budget ends the window. */
  readonly windowMs: number;
}

/** Iterations that end the window. */
export interface Budget {
  /** Of all clients together. */
  readonly iterations: number;
  /** Most time that they may take. */
  readonly mostMs: number;
}

/** How an executor paces clients in the window, and what paces them before it. */
export type WarmUpPlan = { readonly executor: "constant-clients" } | ConstantRatePlan;

export interface Executor<
  Name extends string,
  Keys extends z.ZodRawShape,
  Plan extends { readonly executor: Name },
  Settings extends Plan & { readonly clients: number },
> {
  readonly name: Name;
  readonly description: string;
  /** Whether arrivals are independent of completions: iterations start by a schedule. */
  readonly isOpenLoop: boolean;
  /** Key of `load` that says how many clients there are, where `clients` does not. */
  readonly clientsKey?: string;
  /** Whether clients go on from the warm-up into the window, where nothing is counted from its start. */
  readonly goesOn?: boolean;
  /** Keys of `load` beside `executor`; one that is not optional is needed. */
  keys(vocabulary: LoadKeys): Keys;
  /** Refuses nothing: what makes no sense is found by the rules. */
  resolve(given: z.output<z.ZodObject<Keys>>, surroundings: LoadSurroundings): Settings;
  /** What the schema cannot say; paths are below the group. */
  rules?(given: z.output<z.ZodObject<Keys>>, settings: Settings, surroundings: RuleSurroundings): Finding[];
  budget?(settings: Settings): Budget;
  /** What it does, beyond its name: ` 5`, ` 20/s, poisson`. */
  words(settings: Settings): string;
  /** Uses up no budget, and what changes over time stays as it begins. */
  warmUp(plan: Plan): Plan | WarmUpPlan;
  pacer(context: PacingContext, plan: Plan): Pacer;
}

/** What open loops with a rate of their own are described as. */
export const WORK_AT_A_RATE = "work starts at a rate, also if the database cannot keep up (open loop)";

/** Says what an executor's types are, of what it is made of. */
export function defineExecutor<
  const Name extends string,
  Keys extends z.ZodRawShape,
  Plan extends { readonly executor: Name },
  Settings extends Plan & { readonly clients: number },
>(executor: Executor<Name, Keys, Plan, Settings>): Executor<Name, Keys, Plan, Settings> {
  return executor;
}
