import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "Scripts of pgbench with their weights, in place of a path such as ./look.sql@9",
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
factors: { scale: [1, 10] }
`,
    },
  ],
  refused: [
    {
      title: "a scale that is no number",
      yaml: "name: x\nworkload: { pgbench: [builtin:select-only] }\nscale: large",
    },
  ],
};
