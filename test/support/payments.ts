// A workload of the user's own: one of its operations is called as one of Train Events, and is none of that flow.
import type { ResultDocument } from "../../src/results/result-schema.js";

export const PAYMENTS: ResultDocument["workload"] = {
  name: "payments",
  isOwn: true,
  operations: {
    add: { verb: "makes", unit: "payments" },
    process: { verb: "settles", unit: "payments" },
  },
  roles: { clients: { operations: ["add", "process"], arrivals: ["add", "process"] } },
  audited: { one: "payment", acknowledged: "paid" },
};
