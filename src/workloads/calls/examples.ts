import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "A day of call records, by COPY and by INSERT",
      yaml: `name: call-records
workload: calls
storage: unlogged
batchesPerDay: 100
batchesBefore: 0
analyze: true
dimensions: all
sizes: { small: 100, medium: 1000, large: 5000 }
commit: per-batch
factors:
  ingest: [copy, insert]
  indexes: [none, five, brin]
actors:
  loaders: { load: { executor: shared-iterations, clients: 1, iterations: 100 } }
  probes: { load: { clients: 1, thinkTime: 500ms } }
trial: { warmUp: 0, drain: false }
`,
    },
  ],
  refused: [
    {
      title: "a level of storage that the table of calls lacks",
      yaml: "name: x\nworkload: calls\nindexes: brin\nstorage: pax\ndialect: cloudberry\ntarget: { kind: url, urls: ['postgresql://u@h/d'] }",
    },
  ],
};
