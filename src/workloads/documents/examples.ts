import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "Updates of large documents, a few of them most of the time",
      yaml: `name: document-updates
workload: documents
column: jsonb
index: btree-id
shape: large
bytes: 8kB
toast: external
update: jsonb_set
mix: { read: 50, insert: 0, update: 40, slice: 10 }
slice: record
keys: zipfian
skew: 0.99
documents: 5000
actors:
  clients: { load: { clients: 16 } }
trial: { drain: false }
`,
    },
  ],
  refused: [
    {
      title: "a GIN index on a column that has none",
      yaml: "name: x\nworkload: documents\ncolumn: json\nindex: gin",
    },
    {
      title: "documents smaller than their names",
      yaml: "name: x\nworkload: documents\nshape: large\nbytes: 512B",
    },
  ],
};
