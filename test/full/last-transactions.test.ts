// The wait for the load's last transactions on the built program, in a separate database without the load of other tests: a
// stranger's lock blocks all of them, but neither the drain nor the run waits forever.
import { join } from "node:path";
import { expect, it } from "vitest";
import { ownDatabase } from "../support/own-database.js";
import { urlOf } from "../support/suite-server.js";
import {
  onlyResultIn,
  scratchDirectory,
  startTrainSim,
  untilLogged,
  writeScenarioFile,
} from "../support/train-sim.js";

const own = ownDatabase("last");

it("a run ends with 111 if a lock keeps its last transactions from ending, and keeps its figures", async () => {
  const out = join(scratchDirectory(), "results");
  const scenario = `
name: last
seed: 3
namespace: last
target: { kind: url, urls: ["${urlOf(own.endpoint)}"] }
payload: text
batch: 5
appDelay: 0
actors: { producers: { load: { clients: 3, thinkTime: 5ms } }, consumers: { load: { clients: 2, thinkTime: 5ms } }, archivers: { load: { clients: 1, thinkTime: 5ms } } }
trial: { warmUp: 200ms, duration: 3s, drain: 60s }
trials: 1
diagnosis: { ceiling: false }
`;
  const started = startTrainSim(["run", writeScenarioFile(scenario), "--out", out, "--quiet"]);
  await untilLogged(out, '"event":"summary","phase":"measure","operation"');
  await own.admin.query("BEGIN; LOCK TABLE last.event_status IN SHARE MODE");
  const ended = await started.ended;
  await own.admin.query("ROLLBACK");
  expect(ended.exitCode).toBe(111);
  expect(ended.stderr).toMatch(
    /last transactions did not end within 20 s, and the server shows no active session of this load/,
  );
  const [trial] = onlyResultIn(out).result.treatments[0]?.trials ?? [];
  expect(trial).toMatchObject({ status: "failed", integrity: { verdict: "ok" } });
  expect(trial?.integrity?.notAudited?.length).toBeGreaterThan(0);
  // The measurements from before the lock are kept.
  expect(trial?.operations.add?.transactions).toBeGreaterThan(0);
});
