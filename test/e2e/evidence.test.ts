// Evidence of real trials on the built program: every second of the window in `evidence.csv`, totals that agree with the
// clients' counts, and planted causes that must be found.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import { readEvidence } from "../../src/results/evidence-file.js";
import { evidenceMetricOf } from "../../src/workloads/evidence.js";
import type { TrialResult } from "../../src/results/result-schema.js";
import { trialPath } from "../../src/results/directory.js";
import { onlyResultIn, scratchDirectory, trainSim, writeScenarioFile } from "../support/train-sim.js";

const BASE = `
name: evidence
seed: 5
trials: 1
payload: jsonb
actors:
  producers: { load: { clients: 2, thinkTime: 5ms } }
  consumers: { load: { clients: 4, thinkTime: 5ms } }
  archivers: { load: { clients: 1, thinkTime: 5ms } }
batch: { min: 5, max: 10 }
trial: { warmUp: 1s, duration: 4s, drain: 10s }
diagnosis: { ceiling: false }
`;

interface Sampled {
  readonly trial: TrialResult;
  readonly samples: readonly { readonly second: number; readonly metric: string; readonly value: number }[];
}

async function run(...set: string[]): Promise<Sampled> {
  const out = join(scratchDirectory(), "results");
  const overrides = set.flatMap((one) => ["--set", one]);
  await trainSim(["run", writeScenarioFile(BASE), "--out", out, ...overrides]);
  const { directory, result } = onlyResultIn(out);
  const [treatment] = result.treatments;
  const trial = treatment?.trials[0];
  if (!treatment || !trial) throw new Error("no trial");
  const samples: { second: number; metric: string; value: number }[] = [];
  for await (const row of readEvidence(trialPath(directory, 1, treatment.id))) samples.push(row);
  return { trial, samples };
}

function valuesOf({ samples }: Sampled, metric: string): number[] {
  return samples.filter((each) => each.metric === metric).map(({ value }) => value);
}

describe("the evidence of a trial", () => {
  it("covers every second of the window, and its totals agree with the clients' counts", async () => {
    const sampled = await run("actors.readers=false");
    const { trial, samples } = sampled;
    const { database, operations } = trial;
    expect(trial.status).toBe("complete");
    // A busy machine may take a sample too late, which is counted; the reading at the end always exists.
    const seconds = [...new Set(samples.map(({ second }) => second))];
    expect(seconds.length + (database.sampling?.missed ?? 0)).toBeGreaterThanOrEqual(4);
    expect([0, 1, 2, 3]).toEqual(expect.arrayContaining(seconds));
    expect(seconds).toContain(3);
    expect(database.sampling?.samples).toBe(seconds.length);
    expect(samples.filter(({ metric }) => evidenceMetricOf(metric) === undefined)).toEqual([]);
    expect(valuesOf(sampled, "queue.pending").length).toBeGreaterThan(0);
    const done = Object.values(operations).reduce(
      (sum, each) => sum + each.transactions + each.emptyPolls,
      0,
    );
    // Sessions report their counts up to a second late, at both ends of the window of four seconds.
    expect(database.commits).toBeGreaterThan(done / 2);
    expect(database.commits).toBeLessThan(done * 2);
    const added = operations.add?.events ?? 0;
    const unstated = database.skipped?.find(({ reason }) => reason.includes("no cost per event is stated"));
    if (unstated) {
      // On a busy machine the readings for the ends of the window may be missing.
      expect(database.perEvent).toBeUndefined();
    } else {
      expect(database.perEvent).toMatchObject({ events: added });
      expect(database.perEvent?.walBytes).toBeCloseTo((database.walBytes ?? 0) / added, 6);
      // A document of 900 bytes is in the log at least once.
      expect(database.perEvent?.walBytes).toBeGreaterThan(900);
      expect(database.perEvent?.indexBytes).toBeGreaterThan(0);
      expect(database.perEvent?.serverCpuMs).toBeGreaterThan(0);
    }
    expect(database.walFsyncMs).toBeGreaterThan(0);
    const insert = database.statements?.find(({ name }) => name === "add.events");
    expect(insert?.rows).toBeGreaterThan(added * 0.9);
    expect(database.waits?.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6);
  });

  fullIt("has totals and no samples if sampling is off", async () => {
    const { trial, samples } = await run("evidence.every=off", "trial.duration=1s");
    expect(samples).toEqual([]);
    expect(trial.database.walBytes).toBeGreaterThan(0);
    expect(trial.database).not.toHaveProperty("sampling");
    expect(trial.database).not.toHaveProperty("sessionsActive");
  });

  fullIt(
    "shows consumers that wait for row locks with for-update, and no such waits with skip-locked",
    async () => {
      // All clients compete for the first event of the queue, and each holds it for the app delay.
      const contention = [
        "appDelay=200ms",
        "trial.duration=6s",
        "trial.drain=false",
        "actors.consumers.load.clients=6",
        "preload=500",
      ];
      const waiting = await run("locking=for-update", ...contention);
      expect(waiting.trial.database.blocked?.max).toBeGreaterThanOrEqual(3);
      expect(waiting.trial.database.longestChain).toBeGreaterThanOrEqual(3);
      expect(waiting.trial.database.waits?.[0]?.event).toMatch(/^Lock:/);
      const skipping = await run("locking=skip-locked", ...contention);
      expect(skipping.trial.database.longestChain).toBeLessThan(3);
      expect(skipping.trial.database.sessionsIdleInTransaction?.mean).toBeGreaterThan(1);
    },
  );
});
