// Failovers of queues, whose programs know one address. A primary without its standbys acknowledges for another second
// and is killed. Jobs run two seconds after their enqueueing at the earliest, so the jobs of that second have not run.
import { join } from "node:path";
import { expect, it } from "vitest";
import { runOverAgents } from "../support/agents.js";
import { LOSS_ALLOWED, trialOf } from "../support/lossy-run.js";
import { connectPrimary } from "../support/primary.js";

import {
  onlyResultIn,
  outputMatch,
  scratchDirectory,
  startTrainSim,
  writeScenarioFile,
} from "../support/train-sim.js";

const ROOT = join(import.meta.dirname, "../..");
const CUT = "{ at: 3s, kind: network-blackhole, between: replication, for: 2s }";

const scenarioOf = (keys: string, target: string, faults: string): string =>
  writeScenarioFile(`
name: queues
seed: 7
workload: jobs
profile: tuned
libraries: ${ROOT}
claim: { lease: 2s }
delay: 2s
handler: { min: 20ms, max: 60ms }
pool: { strategy: own, size: 16 }
target: { kind: embedded, auth: trust, ${target} }
actors:
  enqueuers: { load: { clients: 4, thinkTime: 20ms } }
  workers: { load: { clients: 8 } }
  bystanders: { load: { clients: 1, thinkTime: 20ms } }
trial: { warmUp: 0, duration: 10s, drain: 20s }
trials: 1
diagnosis: { ceiling: false }
faults: [${faults}]
${LOSS_ALLOWED}
${keys}`);

function startQueues(...parts: Parameters<typeof scenarioOf>) {
  const out = join(scratchDirectory(), "results");
  const file = scenarioOf(...parts);
  return { started: startTrainSim(["run", file, "--out", out]), out };
}

const QUEUES = ["lease", "held", "pg-boss", "graphile-worker"] as const;

it("a failover loses jobs of an asynchronous primary, all explained, and none of a synchronous primary", async () => {
  const { started, out } = startQueues(
    `factors: { queue: [${QUEUES.join(", ")}], target.replication: [async, sync] }`,
    "standbys: 2",
    `${CUT}, { at: 4s, kind: failover }`,
  );
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(0);
  const { result } = onlyResultIn(out);
  expect(result.diagnosis.map(({ rule }) => rule)).toContain("network-proxy");
  let lost = 0;
  for (const queue of QUEUES) {
    const [sync, async] = [trialOf(result, `${queue}-sync`), trialOf(result, `${queue}-async`)];
    expect(sync.integrity, queue).toMatchObject({ verdict: "ok", lost: 0, duplicated: 0, violations: [] });
    expect(sync.integrity?.losses, queue).toBeUndefined();
    expect(async.integrity, queue).toMatchObject({ verdict: "ok", duplicated: 0, violations: [] });
    lost += async.integrity?.lost ?? 0;
    for (const { operation, unexplained, firstAtSeconds = -1 } of async.integrity?.losses ?? []) {
      expect([operation, unexplained], queue).toEqual(["enqueue", 0]);
      expect(firstAtSeconds, queue).toBeGreaterThan(async.faults?.[1]?.mayLose?.sinceSeconds ?? Infinity);
    }
    for (const { faults, integrity, operations } of [sync, async]) {
      expect(faults?.[1]?.words, queue).toMatch(/^killed server_\d and promoted server_\d/);
      expect(operations["bystand"]?.transactions, queue).toBeGreaterThan(0);
      // Programs found the new primary. The program of graphile-worker may stop working without an end.
      if (queue !== "graphile-worker") expect(integrity?.waiting, queue).toBe(0);
      // Claims of pg-boss whose ends were lost last 15 minutes.
      if (queue === "lease" || queue === "held")
        expect(integrity, queue).toMatchObject({ stuck: 0, drained: true });
    }
  }
  expect(lost).toBeGreaterThan(0);
});

it("the audit finds a job that a stranger deletes after a switchover, although losses by faults are allowed", async () => {
  const { started, out } = startQueues(
    "queue: lease",
    "standbys: 1, replication: sync",
    "{ at: 1s, kind: switchover }",
  );
  await outputMatch(started, /fault switchover at \d+\.\d s is over/);
  const admin = await connectPrimary(started);
  const [row] = await admin.query(
    "DELETE FROM train_sim.jobs WHERE id = (SELECT max(id) FROM train_sim.jobs WHERE state = 'waiting') " +
      "RETURNING payload ->> 'id' AS id",
  );
  await admin.close();
  const { exitCode, stderr } = await started.ended;
  expect(exitCode, stderr).toBe(110);
  const { integrity } = trialOf(onlyResultIn(out).result);
  expect(integrity?.violations).toEqual([
    expect.stringMatching(/^1 of \d+ acknowledged jobs .* \(explained by a fault: 0 of 1\)$/),
  ]);
  expect(integrity?.named).toEqual([expect.objectContaining({ kind: "lost", id: row?.["id"] })]);
  expect(integrity?.losses).toMatchObject([{ operation: "enqueue", lost: 1, unexplained: 1 }]);
});

it("programs of agents find the new primary, too", async () => {
  const scenario = scenarioOf("queue: lease", "standbys: 1, replication: sync", "{ at: 2s, kind: failover }");
  const { result } = await runOverAgents(scenario, ["a1", "a2"]);
  const { integrity, faults } = trialOf(result);
  expect(faults?.[0]?.errors).not.toEqual({});
  expect(integrity).toMatchObject({ verdict: "ok", lost: 0, waiting: 0, drained: true });
});
