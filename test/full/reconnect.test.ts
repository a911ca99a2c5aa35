// A pooler that goes away and comes back during the load, on the built program with two real PgBouncers: clients of the
// other one go on, clients of this one go on there and return, and no event is lost or duplicated.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pgBouncerEnv } from "../support/pgbouncers.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

/** Clients are assigned to the two poolers in turn, so that each role has clients at both; producers never pause. */
const SCENARIO = `
name: reconnect
seed: 5
payload: text
batch: 2
appDelay: 0
pool: { strategy: pgbouncer, mode: transaction, size: 4, instances: 2 }
actors:
  producers: { load: { clients: 4, thinkTime: 0 } }
  consumers: { load: { clients: 4, thinkTime: 15ms } }
  archivers: { load: { clients: 2, thinkTime: 15ms } }
trial: { warmUp: 500ms, duration: 9s, drain: 30s }
trials: 1
faults: [{ at: 1s, kind: pooler-kill, instance: 1, for: 2500ms }]
diagnosis: { ceiling: false }
`;

it("clients of a killed pooler go on at the other pooler and return later, and no event is lost", async () => {
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet"], {
    env: pgBouncerEnv(),
  });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const [trial] = result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0, duplicated: 0 } });
  const { add } = trial?.operations ?? {};
  // No transaction failed: each reached the other pooler before its deadline.
  expect(add?.failures).toEqual({});
  expect(Object.keys(add?.retriesBySqlstate ?? {}).join()).toMatch(/ECONNREFUSED|08006|ECONNRESET/);
  const { injectedAtSeconds = 0, clearedAtSeconds } = trial?.faults?.[0] ?? {};
  const trials = join(directory, "trials");
  const [name = ""] = readdirSync(trials);
  const rows = readFileSync(join(trials, name, "timeseries.csv"), "utf8")
    .trim()
    .split("\n")
    .slice(1);
  const added = rows.map((row) => row.split(",")).filter(([, operation]) => operation === "add");
  const during = added.filter(
    ([second]) => Number(second) > injectedAtSeconds && Number(second) + 1 < (clearedAtSeconds ?? 0),
  );
  expect(during.length).toBeGreaterThan(0);
  for (const [second, , transactions] of during)
    expect(Number(transactions), `second ${second}`).toBeGreaterThan(0);
  expect(add?.parts?.find(({ name: part }) => part === "backoff")?.meanMs).toBeGreaterThan(0);
  const [killed, stayed] = trial?.endpoints ?? [];
  expect([killed?.clients, stayed?.clients]).toEqual([5, 5]);
  expect((killed?.lost ?? 0) + (killed?.refused ?? 0)).toBeGreaterThan(0);
  expect(stayed).toMatchObject({ lost: 0, refused: 0 });
  expect(stayed?.connects, "clients of the other one came").toBeGreaterThan(5);
  expect(killed?.connects, "and went home").toBeGreaterThan(5);
});
