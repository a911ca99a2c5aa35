// `shared-iterations`: all clients of a group, over all its worker threads, share one budget of iterations.
// The budget is an atomic counter in shared memory, so exactly that many start, whoever is faster.
import type { Pacer, PacingContext } from "../pacer.js";
import { closedLoop } from "./closed-loop.js";

export function sharedIterations(context: PacingContext, iterations: number): Pacer {
  return closedLoop(context, () => {
    if (Atomics.load(context.sharedCounter, 0) >= iterations) return false;
    return Atomics.add(context.sharedCounter, 0, 1) < iterations;
  });
}
