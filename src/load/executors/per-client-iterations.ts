import type { Pacer, PacingContext } from "../pacer.js";
import { closedLoop } from "./closed-loop.js";
import { defineExecutor, type WarmUpPlan } from "./executor.js";
import { budgetKeys, resolveBudget, type BudgetSettings } from "./iterations.js";

interface Plan {
  readonly executor: "per-client-iterations";
  readonly iterations: number;
}

export const perClientIterations = defineExecutor({
  name: "per-client-iterations",
  description: "each client has one",
  isOpenLoop: false,
  keys: budgetKeys,
  resolve: (given, surroundings): Plan & BudgetSettings => ({
    executor: "per-client-iterations",
    ...resolveBudget(given, surroundings),
  }),
  budget: ({ iterations, clients, maxDurationMs }) => ({
    iterations: iterations * clients,
    mostMs: maxDurationMs,
  }),
  words: ({ iterations }) => ` ${iterations}`,
  warmUp: (): WarmUpPlan => ({ executor: "constant-clients" }),
  pacer: (context: PacingContext, { iterations }: Plan) => pacer(context, iterations),
});

function pacer(context: PacingContext, iterations: number): Pacer {
  const done = new Map<number, number>();
  const countOf = (client: number): number => done.get(client) ?? 0;
  return closedLoop(context, {
    hasIterationLeft: (client) => countOf(client) < iterations,
    take: (client) => {
      done.set(client, countOf(client) + 1);
      return true;
    },
  });
}
