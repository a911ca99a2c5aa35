// A duet on real servers: both treatments run in the same seconds and exchange their servers; an interrupted duet continues
// in pairs.
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { interruptedRun, onlyResultIn, trainSim } from "../support/train-sim.js";
import { UNDISTURBED_KEYS } from "../support/undisturbed.js";

const SCENARIO = `
name: duet
factors: { appDelay: [{ add: 1ms, process: 0, archive: 0 }, { add: 100ms, process: 0, archive: 0 }] }
batch: 1
actors:
  producers: { load: { clients: 2, thinkTime: 5ms } }
  consumers: false
  archivers: false
trial: { warmUp: 100ms, duration: 500ms, drain: false }
trials: 5
order: duet
diagnosis: { ceiling: false, ${UNDISTURBED_KEYS} }
`;

it("a duet measures both treatments in the same seconds, and resumes with whole pairs", async () => {
  const { directory } = await interruptedRun(SCENARIO, '"trial":5,');

  const resumed = await trainSim(["run", "--resume", directory]);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  const { result } = onlyResultIn(dirname(directory));
  expect(resumed.stdout.replaceAll("\n", " ")).toContain("Both treatments ran at the same time");
  const [quick, slow] = result.treatments.map(({ trials }) => trials);
  expect([quick?.length, slow?.length]).toEqual([5, 5]);
  for (const [i, trial] of (quick ?? []).entries()) {
    const other = slow?.[i];
    expect(trial.status).toBe("complete");
    expect(Math.abs(Date.parse(trial.startedAt) - Date.parse(other?.startedAt ?? ""))).toBeLessThan(5);
    expect((trial.duet?.server ?? 0) + (other?.duet?.server ?? 0)).toBe(3);
    expect(trial.servers?.[0]?.endpoint).not.toBe(other?.servers?.[0]?.endpoint);
  }
  const mean = result.comparisons.find(({ operation, metric }) => operation === "add" && metric === "mean");
  expect(mean).toMatchObject({
    verdict: expect.stringMatching(/^(finding|exploratory)$/) as string,
    blocks: 5,
  });
  expect(mean?.ratio).toBeGreaterThan(1);
  const verified = await trainSim(["report", directory, "--verify"]);
  expect(verified.exitCode, verified.stdout).toBe(0);
}, 300_000);
