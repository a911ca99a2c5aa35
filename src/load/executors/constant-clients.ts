// `constant-clients`: each client runs one iteration after the other for as long as the phase lasts.
// It has no budget, so only the end of the phase stops it.
import type { Pacer, PacingContext } from "../pacer.js";
import { closedLoop } from "./closed-loop.js";

export function constantClients(context: PacingContext): Pacer {
  return closedLoop(context);
}
