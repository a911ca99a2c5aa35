// An experiment that is killed (SIGKILL) in the middle and continued, with the built program on a real server. Complete
// trials stay unchanged, the interrupted one is set aside, and the result is whole.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { fullIt } from "../support/lanes.js";
import { HistogramSet, percentileMs } from "../../src/metrics/histograms.js";
import { readTrialHistograms } from "../../src/results/reader.js";
import type { ResultDocument } from "../../src/results/result-schema.js";
import { testNamespace } from "../support/namespace.js";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  trainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const SCENARIO = `
name: resumed
factors: { payload: [text, jsonb-manual] }
batch: 5
actors:
  producers: { load: { clients: 2, thinkTime: 30ms } }
  consumers: { load: { clients: 2, thinkTime: 15ms } }
  archivers: false
trial: { warmUp: 200ms, duration: 1s, drain: 10s }
trials: 2
diagnosis: { ceiling: false }
`;

const [one, other] = [ownDatabase("resume"), ownDatabase("resume")];

async function killedInThirdTrial(scenario: string): Promise<{ directory: string; result: ResultDocument }> {
  const out = join(scratchDirectory(), "results");
  const { child, ended } = startTrainSim(["run", scenario, "--out", out, "--quiet"]);
  await untilLogged(out, '"trial":3,');
  child.kill("SIGKILL");
  await ended;
  return onlyResultIn(out);
}

async function mergedP99Ms(directory: string, result: ResultDocument, treatmentId: string): Promise<number> {
  const merged = new HistogramSet();
  const treatment = result.treatments.find(({ id }) => id === treatmentId);
  for (const { number } of treatment?.trials ?? [])
    merged.add(await readTrialHistograms(directory, number, treatmentId));
  const histogram = merged.get("add.response");
  if (!histogram) throw new Error("nothing was added");
  return percentileMs(histogram, 99);
}

it("a killed experiment refuses another scenario, and continues at its first unfinished trial", async () => {
  const scenario = writeScenarioFile(SCENARIO);
  const { directory, result: killed } = await killedInThirdTrial(scenario);
  expect(killed.verdict).toMatchObject({
    status: "aborted",
    reasons: [expect.stringMatching(/^unfinished: 2 of 4 trials/)],
  });
  expect((await trainSim(["report", directory])).stdout).toContain("ABORTED: these results are partial");
  const trials = join(directory, "trials");
  const names = readdirSync(trials).sort();
  const stored = names.slice(0, 2).map((name) => readFileSync(join(trials, name, "trial.json"), "utf8"));

  const refused = await trainSim(["run", scenario, "--set", "trial.duration=2s", "--resume", directory]);
  expect(refused).toMatchObject({ exitCode: 104, stdout: "" });
  expect(refused.stderr).toContain("holds another experiment: trial.duration is 1s there, 2s now");
  expect(readdirSync(trials).sort()).toEqual(names);

  const resumed = await trainSim(["run", "--resume", directory]);
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain(`2 of 4 trials complete in ${directory}`);
  const { result } = onlyResultIn(dirname(directory));
  expect(result.verdict.status).not.toBe("aborted");
  expect(result.treatments.map((each) => each.trials.map(({ index, status }) => [index, status]))).toEqual([
    [
      [0, "complete"],
      [1, "complete"],
    ],
    [
      [0, "complete"],
      [1, "complete"],
    ],
  ]);
  expect(names.slice(0, 2).map((name) => readFileSync(join(trials, name, "trial.json"), "utf8"))).toEqual(
    stored,
  );
  expect(readdirSync(trials).filter((name) => name.includes(".partial-"))).toEqual([
    `${names[2] ?? ""}.partial-1`,
  ]);
  for (const treatment of result.treatments) {
    const add = treatment.merged?.operations.add;
    const sum = treatment.trials.reduce(
      (total, { operations }) => total + (operations.add?.transactions ?? 0),
      0,
    );
    expect(add?.transactions).toBe(sum);
    expect(add?.responseTimeMs?.p99).toBe(await mergedP99Ms(directory, result, treatment.id));
  }
  expect(readdirSync(directory)).not.toContain("running");
  expect(result.diagnosis).toContainEqual(expect.objectContaining({ rule: "resumed" }));

  const again = await trainSim(["run", scenario, "--resume", directory, "--json"]);
  expect(again.exitCode, again.stderr).toBe(0);
  expect(JSON.parse(again.stdout)).toEqual(result);
}, 180_000);

fullIt(
  "an experiment continues on its second server, whose settings differ and where no trial has run yet",
  async () => {
    await one.admin.query(`ALTER DATABASE ${one.endpoint.database} SET work_mem = '5MB'`);
    await one.admin.query(`ALTER DATABASE ${other.endpoint.database} SET work_mem = '7MB'`);
    const allow = (is: boolean): Promise<unknown> =>
      one.admin.query(`ALTER DATABASE ${other.endpoint.database} ALLOW_CONNECTIONS ${is}`);
    // The seed puts the second URL first.
    const urls = [urlOf(other.endpoint), urlOf(one.endpoint)];
    const scenario = writeScenarioFile(
      SCENARIO.replace("payload: [text, jsonb-manual]", `target.url: ${JSON.stringify(urls)}`)
        .replace("trials: 2", "trials: 1")
        .concat(`payload: text\nseed: 3\nnamespace: ${testNamespace("resume")}\ntarget: { kind: url }\n`),
    );
    const out = join(scratchDirectory(), "results");
    // Every server is checked before the first trial; the second server goes away during the trial on the first.
    const { ended } = startTrainSim(["run", scenario, "--out", out]);
    await untilLogged(out, "phase measure");
    await allow(false);
    expect((await ended).exitCode).toBe(111);
    await allow(true);
    const { directory } = onlyResultIn(out);
    const env = { ...process.env, PGPASSWORD: one.endpoint.password ?? "" };
    const resumed = await trainSim(["run", "--resume", directory], { env });
    expect(resumed.stderr).not.toContain("ran elsewhere");
    const { result } = onlyResultIn(out);
    const trials = result.treatments.flatMap((treatment) => treatment.trials);
    expect(trials.map(({ status }) => status)).toEqual(["complete", "complete"]);
    expect(result.environment.settings["work_mem"]?.split(" | ").sort()).toEqual(["5MB", "7MB"]);
  },
);
