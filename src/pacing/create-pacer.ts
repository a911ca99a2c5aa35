// The registry of executors: a new one is a file in `executors/` and a line here.
// Nothing else knows all of them.
import { constantClients } from "./executors/constant-clients.js";
import { perClientIterations } from "./executors/per-client-iterations.js";
import { sharedIterations } from "./executors/shared-iterations.js";
import type { Pacer, PacingContext } from "./pacer.js";

/** Which executor, with its budget where it has one. */
export type PacingPlan =
  | { readonly executor: "constant-clients" }
  | { readonly executor: "shared-iterations"; readonly iterations: number }
  | { readonly executor: "per-client-iterations"; readonly iterations: number };

export function createPacer(plan: PacingPlan, context: PacingContext): Pacer {
  switch (plan.executor) {
    case "constant-clients":
      return constantClients(context);
    case "shared-iterations":
      return sharedIterations(context, plan.iterations);
    case "per-client-iterations":
      return perClientIterations(context, plan.iterations);
  }
}
