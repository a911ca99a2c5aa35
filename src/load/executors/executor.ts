// The contract of an executor: name, keys of `load`, cross-key rules, resolved settings and the pacer.
// A new executor is a file here and a line in `registry.ts`.
import type * as z from "zod";
import type { Finding } from "../../syntax/problems.js";
import type { ConstantRatePlan } from "../arrivals.js";
import type { LoadKeys } from "../keys.js";
import type { Pacer, PacingContext } from "../pacer.js";

/** Settings outside of `load` on which a load depends. */
export interface LoadContext {
  /** Number of clients that the role or scenario states; it overrides a number in the load itself. */
  readonly clients: number | undefined;
  /** Number of clients if nothing states it. */
  readonly defaultClients: number;
  readonly windowMs: number;
}

export interface RuleContext {
  readonly roleClients: number | undefined;
  readonly clients: number | undefined;
  /** Length of the window in ms; Infinity if a budget ends the window. */
  readonly windowMs: number;
}

export interface Budget {
  readonly iterations: number;
  readonly mostMs: number;
}

/** Executor of the warm-up, for an executor that runs in the window. */
export type WarmUpPlan = { readonly executor: "constant-clients" } | ConstantRatePlan;

export interface Executor<
  Name extends string,
  Keys extends z.ZodRawShape,
  Plan extends { readonly executor: Name },
  Settings extends Plan & { readonly clients: number },
> {
  readonly name: Name;
  readonly description: string;
  /** True if a schedule starts iterations, regardless of completions. */
  readonly isOpenLoop: boolean;
  readonly clientsKey?: string;
  /** True if clients continue from the warm-up into the window, whose start resets no count. */
  readonly continuesIntoWindow?: boolean;
  /** Keys of `load` besides `executor`. A key is required unless its schema is optional. */
  keys(vocabulary: LoadKeys): Keys;
  /** Resolves the settings without refusing any: `rules` find invalid combinations. */
  resolve(input: z.output<z.ZodObject<Keys>>, surroundings: LoadContext): Settings;
  rules?(input: z.output<z.ZodObject<Keys>>, settings: Settings, surroundings: RuleContext): Finding[];
  budget?(settings: Settings): Budget;
  words(settings: Settings): string;
  /** Plan of the warm-up: it uses up no budget, and levels that change stay at their start. */
  warmUp(plan: Plan): Plan | WarmUpPlan;
  pacer(context: PacingContext, plan: Plan): Pacer;
}

/** Description shared by open loops that state a rate. */
export const OPEN_LOOP_DESCRIPTION = "work starts at a rate, also if the database cannot keep up (open loop)";

/** Defines an executor; infers its types from its parts. */
export function defineExecutor<
  const Name extends string,
  Keys extends z.ZodRawShape,
  Plan extends { readonly executor: Name },
  Settings extends Plan & { readonly clients: number },
>(executor: Executor<Name, Keys, Plan, Settings>): Executor<Name, Keys, Plan, Settings> {
  return executor;
}
