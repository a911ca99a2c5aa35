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
    {
      title: "Scripts with tables of their own, in place of a path such as ./jobs-schema.sql",
      yaml: `name: claims
workload:
  pgbench:
    - script: claim.sql
      sql: |
        BEGIN;
        -- or end
        SELECT id FROM jobs WHERE state = 'ready' LIMIT 1 FOR UPDATE SKIP LOCKED \\gset
        UPDATE jobs SET state = 'done' WHERE id = :id;
        END;
  tables:
    file: jobs-schema.sql
    sql: |
      CREATE TABLE jobs (id bigint GENERATED ALWAYS AS IDENTITY, state text NOT NULL);
      -- preload
      INSERT INTO jobs (state) SELECT 'ready' FROM generate_series(1, 10000 * :scale);
      -- invariant: states are known
      SELECT bool_and(state IN ('ready', 'done')) FROM jobs;
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
