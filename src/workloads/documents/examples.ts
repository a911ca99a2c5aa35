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
    {
      title: "Scans, unwrapping and reads that are written back, from a cold cache",
      yaml: `name: document-scans
workload: documents
content: words
parse: build-object
index: multicolumn
mix: { read: 40, insert: 20, update: 0, modify: 20, scan: 10, unwrap: 10 }
keys: latest
trial: { warmUp: 0, coldCache: true }
`,
    },
  ],
  refused: [
    {
      title: "a GIN index on a column that has none",
      yaml: "name: x\nworkload: documents\ncolumn: json\nindex: gin",
    },
    {
      title: "a scan by an index without an order",
      yaml: "name: x\nworkload: documents\nindex: gin\nmix: E",
    },
    {
      title: "documents smaller than their names",
      yaml: "name: x\nworkload: documents\nshape: large\nbytes: 512B",
    },
  ],
};
