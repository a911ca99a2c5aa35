// `shared-iterations`: all clients of a role share one budget of iterations, an atomic counter in memory of all its workers.
import { counted } from "../../foundation/units.js";
import type { Pacer, PacingContext } from "../pacer.js";
import { closedLoop } from "./closed-loop.js";
import { defineExecutor, type WarmUpPlan } from "./executor.js";
import { budgetKeys, resolveBudget, type BudgetSettings } from "./iterations.js";

interface Plan {
  readonly executor: "shared-iterations";
  readonly iterations: number;
}

export const sharedIterations = defineExecutor({
  name: "shared-iterations",
  description: "the clients share a budget",
  isOpenLoop: false,
  keys: budgetKeys,
  resolve: (given, surroundings): Plan & BudgetSettings => ({
    executor: "shared-iterations",
    ...resolveBudget(given, surroundings),
  }),
  rules(_, { iterations, clients }) {
    if (iterations >= clients) return [];
    const message = `${counted(iterations, "shared iteration")} for ${clients} clients: some would have none`;
    return [{ path: ["load", "iterations"], message }];
  },
  budget: ({ iterations, maxDurationMs }) => ({ iterations, mostMs: maxDurationMs }),
  words: ({ iterations }) => ` ${iterations}`,
  warmUp: (): WarmUpPlan => ({ executor: "constant-clients" }),
  pacer: (context: PacingContext, { iterations }: Plan) => pacer(context, iterations),
});

function pacer(context: PacingContext, iterations: number): Pacer {
  const pausing = new Set<() => void>();
  const hasIterationLeft = (): boolean => Atomics.load(context.sharedCounter, 0) < iterations;

  const settle = (): void => {
    if (hasIterationLeft()) return;
    for (const wake of pausing) wake();
    pausing.clear();
  };
  const take = (): boolean => {
    if (!hasIterationLeft()) return false;
    const hasTakenIteration = Atomics.add(context.sharedCounter, 0, 1) < iterations;
    settle();
    return hasTakenIteration;
  };
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve, reject) => {
      pausing.add(resolve);
      context
        .sleep(ms)
        .finally(() => pausing.delete(resolve))
        .then(resolve, reject);
    });

  return { ...closedLoop({ ...context, sleep }, { hasIterationLeft, take }), settle };
}
