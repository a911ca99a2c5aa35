// What is awaited of several workers, where one of them is gone.
import { expect, it } from "vitest";
import { Musters } from "./musters.js";

it("waits for one report of each, in their order", async () => {
  const musters = new Musters();
  const all = musters.await("budget-done", [0, 1]);
  musters.receive({ kind: "budget-done", finishedMs: 7 }, 1);
  musters.receive({ kind: "ready" }, 0);
  musters.receive({ kind: "budget-done", finishedMs: 5 }, 0);
  expect((await all).map(({ finishedMs }) => finishedMs)).toEqual([5, 7]);
});

it("expects nothing of a worker that is gone, whether it had reported or not", async () => {
  const musters = new Musters();
  const [reported, silent, alone] = [
    musters.await("paused", [0, 1]),
    musters.await("finished", [0, 1]),
    musters.await("stopped", [1]),
  ];
  musters.receive({ kind: "paused" }, 1);
  musters.receive({ kind: "finished" }, 0);
  musters.without(1);
  expect(await silent).toEqual([{ kind: "finished" }]);
  expect(await alone).toEqual([]);
  musters.receive({ kind: "paused" }, 0);
  expect(await reported).toEqual([{ kind: "paused" }]);
});
