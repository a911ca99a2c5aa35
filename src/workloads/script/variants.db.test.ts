// Variants of a file and two files, on a real server: each treatment has its own tables, and both outputs for CI are written.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BUDGET, bankIn } from "../../../test/support/bank.js";
import { onlyResultIn, scratchDirectory } from "../../../test/support/train-sim.js";

const SQL = `-- schema
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL);
-- variant: one
-- preload
INSERT INTO item VALUES (1, 0);
-- variant: two
-- schema
ALTER TABLE item ADD place text DEFAULT 'here';
CREATE INDEX ON item (n) WHERE place = 'here';
-- preload
INSERT INTO item VALUES (1, 0), (2, 0);
-- name: look
-- counts: rows
SELECT id FROM item;
-- name: add
UPDATE item SET n = n + 1 WHERE id = 1;
-- invariant: ids are those of the preload
SELECT count(*) BETWEEN 1 AND 2 FROM item;
`;

const bank = bankIn("variants");

it("each variant of a file, and another file, has its own schema and rows, on shared operations", async () => {
  const directory = scratchDirectory();
  const [junit, markdown, other] = ["out.xml", "out.md", "other.sql"].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  writeFileSync(other, SQL.replace("-- name: add", "-- name: raise"));
  const more = { actors: BUDGET, diagnosis: { ceiling: false } };
  const options = ["--junit", junit, "--markdown", markdown, "--against", other, "--verbose"];
  const { ended, out } = await bank.run(SQL, more, process.env, options);
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { result } = onlyResultIn(out);
  expect(result.treatments.map(({ id }) => id)).toEqual([
    "bank.sql-one",
    "bank.sql-two",
    "other.sql-one",
    "other.sql-two",
  ]);
  const rowsOfLook = result.treatments.map(({ trials: [trial] }) => {
    const { events = 0, transactions = 1 } = trial?.operations.look ?? {};
    return events / transactions;
  });
  expect(rowsOfLook).toEqual([1, 2, 1, 2]);
  expect(ended.stdout).toContain("only shared ones are compared: add of bank.sql; raise of other.sql");
  expect(readFileSync(junit, "utf8")).toMatch(
    /<testsuite name="integrity" tests="4" failures="0" errors="0"/,
  );
  expect(readFileSync(markdown, "utf8")).toContain("| look | other.sql-two |");
});
