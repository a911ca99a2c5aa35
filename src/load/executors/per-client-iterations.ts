// `per-client-iterations`: every client runs the same number of iterations, then is done.
// Counts are kept per client, not shared, so a slow client is waited for and never helped out.
import type { Pacer, PacingContext } from "../pacer.js";
import { closedLoop } from "./closed-loop.js";

export function perClientIterations(context: PacingContext, iterations: number): Pacer {
  const done = new Map<number, number>();
  const countOf = (client: number): number => done.get(client) ?? 0;
  return closedLoop(context, {
    isLeft: (client) => countOf(client) < iterations,
    take: (client) => {
      done.set(client, countOf(client) + 1);
      return true;
    },
  });
}
