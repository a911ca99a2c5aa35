// The loads whose client CPU `bench/cost.mjs` compares: scenarios of train-sim without a target, in the keys of 0.1.0.
import { readFileSync } from "node:fs";

const CLIENTS = 8;
const closed = { executor: "constant-clients", clients: CLIENTS, thinkTime: 0 };
const cycle = (statementShape) => ({
  ...{ payload: "text", topology: "cycle", statementShape, batch: 20, appDelay: 0 },
  actors: { cycle: { workers: 1, load: closed } },
});
const bank = readFileSync(new URL("../../scenarios/bank.sql", import.meta.url), "utf8");

export const CASES = {
  "single-statement": cycle("single-statement"),
  "set-based": cycle("set-based"),
  bank: {
    ...{ workload: { file: "bank.sql", sql: bank }, accounts: 10_000, retry: { attempts: 100 } },
    actors: { clients: { workers: 1, load: closed } },
  },
  calls: {
    ...{ workload: "calls", batchesPerDay: 500, sizes: { small: 40, medium: 400, large: 2000 } },
    actors: { loaders: { workers: 1, load: closed }, probes: false },
  },
};
