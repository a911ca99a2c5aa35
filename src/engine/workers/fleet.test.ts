import { expect, it } from "vitest";
import { Barriers } from "./fleet.js";

it("a barrier waits for a report of each worker, in the workers' order", async () => {
  const barriers = new Barriers();
  const all = barriers.await("budget-done", [0, 1]);
  barriers.receive({ kind: "budget-done", finishedMs: 7 }, 1);
  barriers.receive({ kind: "ready" }, 0);
  barriers.receive({ kind: "budget-done", finishedMs: 5 }, 0);
  expect((await all).map(({ finishedMs }) => finishedMs)).toEqual([5, 7]);
});

it("a barrier does not wait for a worker that has ended", async () => {
  const barriers = new Barriers();
  const [reported, silent, alone] = [
    barriers.await("paused", [0, 1]),
    barriers.await("finished", [0, 1]),
    barriers.await("stopped", [1]),
  ];
  barriers.receive({ kind: "paused" }, 1);
  barriers.receive({ kind: "finished" }, 0);
  barriers.removeWorker(1);
  expect(await silent).toEqual([{ kind: "finished" }]);
  expect(await alone).toEqual([]);
  barriers.receive({ kind: "paused" }, 0);
  expect(await reported).toEqual([{ kind: "paused" }]);
});
