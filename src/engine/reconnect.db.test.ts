// A pooler that goes away and comes back while the load runs, on the built program with two real PgBouncers: the
// clients of the other one go on, those of this one come back by themselves, and no event is lost or doubled.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pgBouncerEnv } from "../testing/pgbouncers.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../testing/train-sim.js";

/** Clients take turns over the poolers, so that each group has some at either. */
const SCENARIO = `
name: reconnect
seed: 5
payload: text
batch: 5
appDelay: 0
pool: { strategy: pgbouncer, mode: transaction, size: 4, instances: 2 }
actors:
  producers: { load: { clients: 4, thinkTime: 20ms } }
  consumers: { load: { clients: 4 } }
  archivers: { load: { clients: 2 } }
trial: { warmUp: 500ms, duration: 8s, drain: 30s }
trials: 1
faults: [{ at: 1s, kind: pgbouncer-kill, instance: 1, for: 3s }]
diagnosis: { ceiling: false }
`;

it("clients of a pooler that stays go on while those of one that was killed wait for it, and nothing is lost", async () => {
  const out = join(scratchDirectory(), "results");
  const ended = await trainSim(["run", writeScenarioFile(SCENARIO), "--out", out, "--quiet"], {
    env: pgBouncerEnv("1.24"),
  });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const { directory, result } = onlyResultIn(out);
  const [trial] = result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "complete", integrity: { verdict: "ok", lost: 0, duplicated: 0 } });
  const { add } = trial?.operations ?? {};
  // Nobody gave up: three seconds are within every transaction's deadline.
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
  // Those that waited tell so in the part that waiting is, and came back: the slowest add took as long as the outage.
  expect(add?.parts?.find(({ name: part }) => part === "backoff")?.meanMs).toBeGreaterThan(0);
  expect(add?.responseTimeMs?.max).toBeGreaterThan(1000);
}, 120_000);
