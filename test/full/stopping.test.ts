// An experiment that ends when it is decided, on a real server: stopped by a signal, continued in the same order, ended by
// a look, and reported alike by all readers of its directory.
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { levelAtLastLook, plannedLooks } from "../../src/analysis/statistics/group-sequential.js";
import { interruptedRun, onlyResultIn, trainSim } from "../support/train-sim.js";
import { UNDISTURBED_KEYS } from "../support/undisturbed.js";

// The second treatment waits a hundred times as long inside each transaction, so that the difference is clear.
const SCENARIO = `
name: until-decided
factors: { appDelay: [{ add: 1ms, process: 0, archive: 0 }, { add: 100ms, process: 0, archive: 0 }] }
batch: 1
actors:
  producers: { load: { clients: 2, thinkTime: 5ms } }
  consumers: false
  archivers: false
trial: { warmUp: 100ms, duration: 500ms, drain: false }
trials: { min: 5, max: 7, until: decided }
thresholds: { add: avg<60000 }
diagnosis: { ceiling: false, ${UNDISTURBED_KEYS} }
`;

it("an experiment with `until: decided` resumes in its order, ends at a look and can be verified", async () => {
  const { directory, result: stopped } = await interruptedRun(SCENARIO, '"trial":3,');
  expect(stopped.stopping).toMatchObject({ min: 5, max: 7, looks: [] });

  const resumed = await trainSim(["run", "--resume", directory]);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  const { result } = onlyResultIn(dirname(directory));
  // On a busy machine even this difference may stay undecided until the last block.
  const { blocks = 0, reason } = result.stopping ?? {};
  const looks = plannedLooks(5, 7).filter((look) => look <= blocks);
  expect(result.stopping).toMatchObject({
    min: 5,
    max: 7,
    looks,
    level: levelAtLastLook(looks, 7),
    claims: 1,
  });
  expect(resumed.stderr).toContain(`after ${blocks} blocks: `);
  const ended = reason === "decided" ? `Decided after ${blocks} of at most 7 blocks` : "All 7 blocks ran";
  expect(resumed.stdout.replaceAll("\n", " ")).toContain(ended);
  const run = result.treatments.flatMap(({ id, trials }) => trials.map(({ number }) => ({ id, number })));
  const order = run.sort((a, b) => a.number - b.number).map(({ id }) => id);
  expect(order).toEqual(stopped.scenario.trialOrder.slice(0, 2 * blocks));
  expect(result.verdict.status).not.toBe("aborted");

  expect((await trainSim(["report", directory, "--verify"])).exitCode).toBe(0);
  expect((await trainSim(["report", directory])).stdout.replaceAll("\n", " ")).toContain(ended);
  const again = await trainSim(["run", "--resume", directory]);
  expect(again.exitCode, again.stderr).toBe(0);
  expect(onlyResultIn(dirname(directory)).result.comparisons).toEqual(result.comparisons);
}, 300_000);
