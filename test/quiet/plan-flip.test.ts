// Whole runs with a plan that differs in one trial: a caveat if the plan made the trial slower, otherwise a sentence.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { flipSentences } from "../../src/report/findings/caveats.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

/** Workload whose index is missing in the third trial. The database's comment keeps the number of the trial. */
const workload = (rows: number, columns: string): string => `-- workload: flip
-- schema
CREATE TABLE item (id int PRIMARY KEY, kind int NOT NULL, filler text NOT NULL);
DO $$ DECLARE
  known text := shobj_description((SELECT oid FROM pg_database WHERE datname = current_database()), 'pg_database');
  trial int := coalesce(substring(known FROM '^[0-9]+$')::int, 0) + 1;
BEGIN
  EXECUTE format('COMMENT ON DATABASE %I IS %L', current_database(), trial);
  IF trial <> 3 THEN CREATE INDEX item_kind ON item (kind); END IF;
END $$;
-- preload
INSERT INTO item SELECT g, g, repeat('x', 20) FROM generate_series(1, ${rows}) g;
-- name: look
-- readonly
-- param: kind = uniform(1, ${rows})
SELECT ${columns} FROM item WHERE kind = :kind;
`;

const scenario = (file: string): string => `
name: flip
seed: 4
workload: ${file}
trials: 4
actors: { clients: { load: { clients: 2, thinkTime: 5ms } } }
trial: { warmUp: 300ms, duration: 2500ms, drain: false }
diagnosis: { ceiling: false }
`;

it.each([
  ["a separate caveat if the statement is slower with it", 60_000, "filler", true],
  // A pause of 5 ms hides the 0.1 ms by which the other plan is slower.
  ["part of one sentence for all flips if no trial is slower", 1_000, "filler, pg_sleep(0.005)", false],
])("a plan that differs in one trial is %s", async (_, rows, columns, isCostly) => {
  const scratch = scratchDirectory();
  const file = join(scratch, "flip.sql");
  writeFileSync(file, workload(rows, columns));
  const { exitCode, stdout, stderr } = await trainSim([
    ...["run", writeScenarioFile(scenario(file)), "--out", join(scratch, "results")],
  ]);
  expect(exitCode, stderr).toBe(0);
  const { result } = onlyResultIn(join(scratch, "results"));
  const { costly, idle } = flipSentences(result.treatments);
  const screen = stdout.replaceAll(/\n +/g, " ");
  if (isCostly) {
    expect(costly[0]).toMatch(
      /^Plan flip: look.select of \S+: Index Scan item_kind.* in trials 1, 2, 4 .* in trial 3 /,
    );
    expect(screen).toContain(costly[0]);
  } else {
    expect(costly).toEqual([]);
    expect(idle).toMatch(
      /^Plan flips that changed a transaction by less than 10 % of its time: look.select of /,
    );
  }
});
