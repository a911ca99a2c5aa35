import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "A row that every client updates, with another workload",
      yaml: `name: hot-row
workload: accounts
variant: aggregates
hotBranch: 0.5
isolation: repeatable read
scale: 10
retry: { attempts: 1 }
diagnosis: { maxFailureRatio: 1 }
actors:
  clients: { load: { clients: 16 } }
trial: { drain: false }
`,
    },
  ],
  refused: [
    { title: "more than all transfers to one branch", yaml: "name: x\nworkload: accounts\nhotBranch: 2" },
  ],
};
