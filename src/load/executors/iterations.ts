import type * as z from "zod";
import type { LoadKeys } from "../keys.js";
import type { LoadContext } from "./executor.js";

const DEFAULT_MAX_DURATION_MS = 600_000;

export const budgetKeys = ({ iterations, maxDuration, clients, thinkTime, rampUp }: LoadKeys) => ({
  iterations,
  maxDuration: maxDuration.optional(),
  clients,
  thinkTime: thinkTime.optional(),
  rampUp: rampUp.optional(),
});

export interface BudgetSettings {
  readonly clients: number;
  readonly iterations: number;
  readonly maxDurationMs: number;
}

export function resolveBudget(
  input: z.output<z.ZodObject<ReturnType<typeof budgetKeys>>>,
  { clients, defaultClients }: LoadContext,
): BudgetSettings {
  return {
    clients: clients ?? input.clients ?? defaultClients,
    iterations: input.iterations,
    maxDurationMs: input.maxDuration ?? DEFAULT_MAX_DURATION_MS,
  };
}
