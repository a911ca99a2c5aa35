// The peers by name. Each has `prepare`, which finds or sets up its program, or throws with the reason why it is not
// available. It resolves to the version and to `start`.
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
