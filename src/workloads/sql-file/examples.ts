// A scenario that holds its workload's text, like a resolved scenario.
import type { WorkloadExamples } from "../workload.js";

export const examples: WorkloadExamples = {
  valid: [
    {
      title: "Your own workload, with its file in the scenario in place of a path such as ./count.sql",
      yaml: `name: count
workload:
  label: one-counter
  file: count.sql
  sql: |
    -- setting: rows = 10
    -- schema
    CREATE TABLE counter (id int PRIMARY KEY, n bigint NOT NULL);
    -- preload
    INSERT INTO counter SELECT g, 0 FROM generate_series(1, :rows) g;
    -- name: count
    -- param: id = uniform(1, :rows)
    -- expect: rows = 1
    UPDATE counter SET n = n + 1 WHERE id = :id;
    -- invariant: nothing is below 0
    SELECT min(n) >= 0 FROM counter;
factors: { rows: [1, 100] }
`,
    },
    {
      title: "Tables that a migration tool makes, in the files of a commit as compare --base-ref stores it",
      yaml: `name: migrated
workload:
  file: shop.sql
  sql: |
    -- preload
    INSERT INTO item SELECT g, 0 FROM generate_series(1, 1000) g;
    -- name: sell
    -- param: id = uniform(1, 1000)
    UPDATE item SET sold = sold + 1 WHERE id = :id;
  migrate:
    command: npx node-pg-migrate up --schema "$TRAIN_SIM_NAMESPACE"
    directory: /srv/shop
    files: [/srv/shop/migrations]
    timeout: 5m
    checkout: { repository: /srv/shop, commit: 8a1f0c2b8a1f0c2b8a1f0c2b8a1f0c2b8a1f0c2b }
`,
    },
    {
      title: "A file for MySQL: its target decides how the text is read",
      yaml: `name: notes
workload:
  file: notes.sql
  syntax: mysql
  sql: |
    -- schema
    CREATE TABLE note (id char(36) PRIMARY KEY, \`text\` varchar(40) DEFAULT 'it\\'s'); # all notes
    -- name: write
    -- param: id = uuid()
    INSERT INTO note (id) VALUES (:id);
    -- invariant: every note is there
    -- acknowledged: write.id
    SELECT id FROM note;
target: mysql://user@127.0.0.1:3306/test
`,
    },
  ],
  refused: [
    {
      title: "migrations for another database than PostgreSQL",
      yaml: 'name: x\nworkload: { sql: "-- name: t\\nSELECT 1", migrate: [sh, migrate.sh] }\ntarget: mysql://u@127.0.0.1:3306/test',
    },
    {
      title: "a setting of another type than its default",
      yaml: 'name: x\nworkload: { sql: "-- setting: rows = 10\\n-- name: t\\nSELECT :rows" }\nrows: many',
    },
  ],
};
