import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "What connecting costs, with another workload",
      yaml: `name: reconnecting
workload: connections
target: { kind: embedded, auth: trust, tls: true }
prepared: simple
script: select-1
weights: { account: 1, script: 1 }
scale: 1
factors:
  pool:
    - { strategy: direct, reconnect: per-transaction }
    - { strategy: pgbouncer, mode: session, size: 20, reconnect: per-transaction }
actors:
  clients: { load: { executor: per-client-iterations, clients: 20, iterations: 1000 } }
trial: { warmUp: 0, drain: false }
`,
    },
  ],
  refused: [{ title: "a key of another workload", yaml: "name: x\nworkload: connections\npayload: text" }],
};
