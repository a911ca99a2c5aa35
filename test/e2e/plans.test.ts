// Plans of a whole run, on the built program: the second trial lacks an index, and the summary says which statement was planned
// otherwise, where and how; a run without a flip says nothing of it.
import { join } from "node:path";
import { expect, it } from "vitest";
import { renderSummary } from "../../src/report/terminal/summary.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

/** `without`: number of the trial whose index is dropped. */
const scenario = (without: number): string => `
name: plans
seed: 1
trials: 3
workload:
  file: items.sql
  sql: |
    -- schema
    CREATE TABLE items (id int PRIMARY KEY, kind int NOT NULL, n int NOT NULL);
    CREATE INDEX items_kind ON items (kind);
    -- preload
    INSERT INTO items SELECT g, g, 0 FROM generate_series(1, 20000) g;
    DO $$ BEGIN
      CREATE SEQUENCE IF NOT EXISTS public.turns;
      IF nextval('public.turns') = ${without} THEN DROP INDEX items_kind; END IF;
    END $$;
    -- name: count
    -- param: key = uniform(1, 20000)
    SELECT n FROM items WHERE kind = :key;
    UPDATE items SET n = n + 1 WHERE id = :key;
actors: { clients: { load: { clients: 2 } } }
trial: { warmUp: 0s, duration: 3s }
diagnosis: { ceiling: false }
`;

async function run(without: number) {
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(scenario(without)), "--out", out]);
  const { directory, result } = onlyResultIn(out);
  const trials = result.treatments[0]?.trials ?? [];
  const plansOf = (statement: string) =>
    trials.map(({ plans = [] }) => plans.find((each) => each.statement === statement));
  return { ended, directory, result, plansOf };
}

it("tells a statement that was planned otherwise in one trial", async () => {
  const { ended, directory, result, plansOf } = await run(2);
  const [first, second, third] = plansOf("count.select");
  expect([first, second, third].map((planned) => planned?.plan)).toEqual([
    "Index Scan items_kind",
    "Seq Scan items",
    "Index Scan items_kind",
  ]);
  expect(third?.hash).toBe(first?.hash);
  expect(second?.hash).not.toBe(first?.hash);
  expect(new Set(plansOf("count.update").map((planned) => planned?.plan))).toEqual(
    new Set(["Index Scan items_pkey > Update items"]),
  );
  const flip =
    /Plan flip: count\.select of \S+: Index Scan items_kind in trials 1, 3 \([\d.]+ ms\); Seq Scan items in trial 2 \([\d.]+ ms\)\./;
  const said = ended.stdout.replaceAll(/\n +/g, " ");
  expect(said).toMatch(flip);
  expect(said).toMatch(/Plan flip: \S+ read items_kind in trials 1, 3; items from end to end in trial 2\./);
  expect(renderSummary(result, { directory })).toContain("(trial 2): Seq Scan items");
  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout).toBe(0);
});

it("tells nothing where all trials are planned alike", async () => {
  const { ended, plansOf } = await run(4);
  expect(new Set(plansOf("count.select").map((planned) => planned?.plan))).toEqual(
    new Set(["Index Scan items_kind"]),
  );
  expect(ended.stdout).toContain("Verdict");
  expect(ended.stdout).not.toContain("Plan flip");
});
