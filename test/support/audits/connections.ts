// Workload connections: two clients that insert three rows each.
import type { AuditedFamily } from "./family.js";

export const connections: AuditedFamily = {
  scenario: {
    workload: "connections",
    weights: { account: 0, script: 1 },
    actors: { clients: { clients: 2 } },
  },
  iterations: { clients: 6 },
  changes: [
    {
      what: "a missing row",
      kind: "deleted",
      change: "DELETE FROM test_tbl WHERE id = 2",
      found: { lost: 1 },
      named: ["lost 2: acknowledged, and not in the table"],
    },
    {
      what: "a row replaced by another row",
      kind: "invented",
      change: "UPDATE test_tbl SET id = 77 WHERE id = 2",
      found: { lost: 1, unexpected: 1 },
      named: ["lost 2", "unexpected 77: in the table, and never sent"],
    },
    {
      what: "a row without an id",
      change: "UPDATE test_tbl SET id = NULL WHERE id = 2",
      found: { lost: 1, unexpected: 1 },
      named: ["unexpected null: in the table, and never sent"],
    },
    {
      what: "a row that exists three times",
      kind: "doubled",
      change: "INSERT INTO test_tbl SELECT t.* FROM test_tbl AS t, generate_series(1, 2) WHERE id = 1",
      found: { duplicated: 1 },
      named: ["duplicated 1: in the table 3 times"],
    },
    {
      what: "a row with another name",
      kind: "changed",
      change: "UPDATE test_tbl SET name = 'x' WHERE id = 10000000001",
      found: { changed: 1 },
      named: ["changed 10000000001: another name than was sent"],
    },
  ],
};
