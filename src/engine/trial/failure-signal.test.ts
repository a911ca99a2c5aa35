import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { FailureSignal } from "./failure-signal.js";

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

it("a lost server rejects every wait with the reason of the loss", async () => {
  const failures = new FailureSignal();
  failures.watchServer("the database server", Promise.resolve("it crashed"));
  await expect(failures.race(never())).rejects.toThrow("the database server went away: it crashed");
  await expect(failures.race(never())).rejects.toThrow("it crashed");
});

it("a failed worker rejects a wait with the error of the worker", async () => {
  const failures = new FailureSignal();
  expect(await failures.race(Promise.resolve(7))).toBe(7);
  failures.watch(Promise.reject(new Error("a worker crashed")));
  await expect(failures.race(never())).rejects.toThrow("a worker crashed");
});

it("a released signal keeps no reference to a finished trial", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const lost = never<string>();
  const waitedFor = async (): Promise<WeakRef<object>> => {
    const failures = new FailureSignal();
    failures.watchServer("the database server", lost);
    const trial = { histograms: new Float64Array(1000) };
    await failures.race(Promise.resolve(trial));
    failures.release();
    return new WeakRef(trial);
  };
  const trial = await waitedFor();
  await new Promise(setImmediate); // a WeakRef is kept for the turn in which it was made
  collect();
  expect(trial.deref()).toBeUndefined();
  expect(lost).toBeInstanceOf(Promise); // the server's promise outlives the trial
});
