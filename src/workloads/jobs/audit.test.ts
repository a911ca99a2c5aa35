// Losses and repeats of jobs, with and without a fault that explains them.
import { expect, it } from "vitest";
import { scratchDirectory } from "../../../test/support/train-sim.js";
import { parseScenario } from "../../scenario/loader.js";
import { JobMaker } from "./job.js";
import { Join } from "./audit.js";
import { RunFile } from "./run-file.js";
import type { Treatment } from "./settings.js";

const SEED = 7;
const [treatment] = parseScenario(
  "name: x\nworkload: jobs\npool: { strategy: own, size: 2 }\n",
  "x.yaml",
).treatments;
const settings = treatment?.settings as unknown as Treatment;
const maker = new JobMaker(settings, SEED);
const payloadOf = (batch: number) => maker.batch(0, batch)[0]?.payload ?? expect.fail("no job");

/** Three jobs of one enqueuer, acknowledged at 1000, 2000 and 3000 ms. `record` adds to their accounts. */
function joinOf(record: (file: RunFile) => void): Join {
  const directory = scratchDirectory();
  const file = new RunFile(directory, 0);
  for (const batch of [0, 1, 2]) file.batch(0, batch, 1000 * (batch + 1));
  record(file);
  file.close();
  const join = new Join([{ client: 0, sent: 3, failed: [], inDoubt: [] }], settings, SEED, true);
  join.readRecords(directory);
  return join;
}

const AROUND_SECOND = { spans: [{ sinceMs: 1500, untilMs: 2500 }], isAllowed: true, windowStartMs: 0 };

it("explains the loss of jobs that were acknowledged within the possible loss of a fault, and no other", () => {
  const join = joinOf((file) => file.run(payloadOf(2).id, "finished", 3100));
  join.compare(AROUND_SECOND, true);
  expect(join.found.counts.lost).toBe(2);
  expect(join.explained).toBe(1);
  expect(join.losses.total(0)).toMatchObject([{ operation: "enqueue", lost: 2, unexplained: 1 }]);
});

it("counts a job in doubt if a kill ended its run and the tables call it done, and one without a run as lost", () => {
  const join = joinOf((file) => {
    file.run(payloadOf(0).id, "started", 1100);
    file.run(payloadOf(0).id, "interrupted", 1200);
    file.run(payloadOf(2).id, "finished", 3100);
  });
  for (const batch of [0, 1])
    join.addStored({ id: payloadOf(batch).id, state: "done", payload: JSON.stringify(payloadOf(batch)) });
  expect(join.compare({ ...AROUND_SECOND, spans: [] }, true)).toMatchObject({ inDoubt: 1, notRerun: 0 });
  expect(join.found.counts.lost).toBe(1);
  expect(join.found.named).toMatchObject([{ kind: "lost", id: payloadOf(1).id }]);
});

it("lets a job of a queue that runs jobs at most once run twice only if a fault may have lost its claim", () => {
  const join = joinOf((file) => {
    for (const [batch, atMs] of [100, 2100, 3100].entries())
      for (const again of [0, 1000]) {
        file.run(payloadOf(batch).id, "started", atMs + again);
        file.run(payloadOf(batch).id, "finished", atMs + again + 10);
      }
  });
  expect(join.compare(AROUND_SECOND, false)).toMatchObject({ runTwice: 3 });
  expect(join.found.named.map(({ kind, id }) => [kind, id])).toEqual([
    ["duplicated", payloadOf(0).id],
    ["duplicated", payloadOf(2).id],
  ]);
});
