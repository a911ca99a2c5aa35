// The peers by name. Each has `prepare`, which finds or sets up its program or throws with the reason why it cannot be
// had, and gives its version and `start`.
import * as dbworkload from "./dbworkload.mjs";
import * as pgbench from "./pgbench.mjs";
import * as procedure from "./procedure.mjs";
import { prepareShape } from "./train-sim.mjs";

export const PEERS = {
  "train-sim": { prepare: prepareShape("single-statement") },
  "train-sim/set-based": { prepare: prepareShape("set-based") },
  pgbench,
  procedure,
  dbworkload,
};
