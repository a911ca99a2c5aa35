// Scenarios with scripts of pgbench, for the reference.
import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  taken: [
    {
      title:
        "Scripts of pgbench, with their weights; the text of one is in the scenario, a path, as ./look.sql@9, is the usual way",
      yaml: `name: scripts
workload:
  pgbench:
    - builtin:tpcb-like@1
    - script: look.sql@9
      sql: |
        \\set aid random(1, :hot)
        SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
  scale: 1
  define: { hot: 1000 }
factors: { hot: [10, 100000] }
`,
    },
  ],
  refused: [
    {
      title: "a script that runs a program of this machine",
      yaml: 'name: x\nworkload: { pgbench: [{ script: x.sql, sql: "\\\\shell date\\nSELECT 1;" }] }',
    },
  ],
};
