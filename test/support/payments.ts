// A user-defined workload: one of its operations has the name of one of Train Events, without any of that flow.
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
