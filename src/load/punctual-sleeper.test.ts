// Sleepers that a timer wakes, with an injected clock. test/e2e/timer-thread.test.ts tests the real timer thread.
import { describe, expect, it } from "vitest";
import { PunctualSleeper } from "./punctual-sleeper.js";

function world() {
  const state = { now: 0, set: [] as number[], isClosed: false, timers: 0 };
  let onDue = (): number => Number.NaN;
  const sleeper = new PunctualSleeper(
    () => state.now,
    (callback) => {
      state.timers++;
      onDue = callback;
      return {
        set: (dueMs) => state.set.push(dueMs),
        close: () => Promise.resolve(void (state.isClosed = true)),
      };
    },
  );
  const woken: number[] = [];
  return {
    state,
    sleeper,
    woken,
    wait: (dueMs: number) => void sleeper.sleepUntil(dueMs).then(() => woken.push(dueMs)),
    /** Fires the timer and lets woken sleepers continue; resolves to the timer's next moment. */
    fire: async (atMs: number) => {
      state.now = atMs;
      const nextMs = onDue();
      await Promise.resolve();
      return nextMs;
    },
  };
}

describe("PunctualSleeper", () => {
  it("sets its timer to the earliest due time, for any order of sleepers", () => {
    const { wait, state } = world();
    for (const dueMs of [7, 9, 3, 5]) wait(dueMs);
    expect(state.set).toEqual([7, 3]);
    expect(state.timers).toBe(1);
  });

  it("wakes sleepers that are due, in order, and returns the next due time", async () => {
    const { wait, fire, woken } = world();
    for (const dueMs of [7, 3, 3, 5]) wait(dueMs);
    expect(await fire(5)).toBe(7);
    expect(woken).toEqual([3, 3, 5]);
    expect(await fire(7)).toBe(Number.POSITIVE_INFINITY);
    expect(woken).toEqual([3, 3, 5, 7]);
  });

  it("wakes no sleeper early, and fires again for sleepers that are not due yet", async () => {
    const { wait, fire, woken } = world();
    wait(5);
    expect(await fire(4.9)).toBeCloseTo(5.15);
    expect(woken).toEqual([]);
  });

  it("leaves a quarter of a millisecond between two firings", async () => {
    const { wait, fire } = world();
    for (const dueMs of [1, 1.1, 2]) wait(dueMs);
    expect(await fire(1.01)).toBeCloseTo(1.26);
    expect(await fire(1.3)).toBe(2);
  });

  it("wakes all sleepers when the phase ends, and does not fire afterwards", async () => {
    const { wait, sleeper, woken, state } = world();
    for (const dueMs of [3, 5]) wait(dueMs);
    const asleep = sleeper.sleep(1e6);
    sleeper.wakeAll();
    await asleep;
    expect(woken).toEqual([3, 5]);
    expect(state.set.at(-1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("ends pauses by its timer thread if it runs", async () => {
    const { sleeper, state, fire } = world();
    sleeper.startTimer();
    state.now = 10;
    let isOver = false;
    const pause = sleeper.pause(2.5).then(() => (isOver = true));
    expect(state.set).toEqual([12.5]);
    await fire(12.4);
    expect(isOver).toBe(false);
    await fire(12.5);
    expect(isOver).toBe(true);
    await pause;
    await sleeper.pause(0);
    expect(state.set).toEqual([12.5]);
  });

  it("ends pauses by timers of the event loop if no timer thread runs", async () => {
    const { sleeper, state } = world();
    const pause = sleeper.pause(1e6);
    expect(state).toMatchObject({ timers: 0, set: [] });
    sleeper.wakeAll();
    await pause;
  });

  it("starts no timer thread without a sleeper, and closes a started one", async () => {
    const idle = world();
    await idle.sleeper.close();
    expect(idle.state).toMatchObject({ timers: 0, isClosed: false });
    const busy = world();
    busy.wait(3);
    await busy.sleeper.close();
    expect(busy.state.isClosed).toBe(true);
    expect(busy.woken).toEqual([3]);
  });
});
