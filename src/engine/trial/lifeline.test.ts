import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Lifeline } from "./lifeline.js";

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

it("ends a wait with the last words of the server, whatever the wait is for", async () => {
  const lifeline = new Lifeline();
  lifeline.watchServer("the database server", Promise.resolve("it crashed"));
  await expect(lifeline.hold(never())).rejects.toThrow("the database server went away: it crashed");
  await expect(lifeline.hold(never())).rejects.toThrow("it crashed");
});

it("ends a wait with the error of what fails, and hands on what was waited for otherwise", async () => {
  const lifeline = new Lifeline();
  expect(await lifeline.hold(Promise.resolve(7))).toBe(7);
  lifeline.watch(Promise.reject(new Error("a worker crashed")));
  await expect(lifeline.hold(never())).rejects.toThrow("a worker crashed");
});

it("keeps nothing of a trial that is over, while the server goes on", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const lost = never<string>();
  const waitedFor = async (): Promise<WeakRef<object>> => {
    const lifeline = new Lifeline();
    lifeline.watchServer("the database server", lost);
    const trial = { histograms: new Float64Array(1000) };
    await lifeline.hold(Promise.resolve(trial));
    lifeline.release();
    return new WeakRef(trial);
  };
  const trial = await waitedFor();
  await new Promise(setImmediate); // a WeakRef is kept for the turn in which it was made
  collect();
  expect(trial.deref()).toBeUndefined();
  expect(lost).toBeInstanceOf(Promise); // and is still there
});
