// Whom a bell wakes and when it is set, under a clock moved by hand. The bell's own thread is tried in test/e2e/bell.test.ts.
import { describe, expect, it } from "vitest";
import { PunctualSleeper } from "./punctual-sleeper.js";

function world() {
  const state = { now: 0, set: [] as number[], isClosed: false, bells: 0 };
  let onRing = (): number => Number.NaN;
  const sleeper = new PunctualSleeper(
    () => state.now,
    (ring) => {
      state.bells++;
      onRing = ring;
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
    wait: (dueMs: number) => void sleeper.until(dueMs).then(() => woken.push(dueMs)),
    /** Lets those who were woken go on, too; resolves to the bell's next moment. */
    ring: async (atMs: number) => {
      state.now = atMs;
      const nextMs = onRing();
      await Promise.resolve();
      return nextMs;
    },
  };
}

describe("PunctualSleeper", () => {
  it("sets its bell to the earliest appointment, whatever order they come in", () => {
    const { wait, state } = world();
    for (const dueMs of [7, 9, 3, 5]) wait(dueMs);
    expect(state.set).toEqual([7, 3]);
    expect(state.bells).toBe(1);
  });

  it("wakes whose moment has come, in order, and says when the next one's is", async () => {
    const { wait, ring, woken } = world();
    for (const dueMs of [7, 3, 3, 5]) wait(dueMs);
    expect(await ring(5)).toBe(7);
    expect(woken).toEqual([3, 3, 5]);
    expect(await ring(7)).toBe(Number.POSITIVE_INFINITY);
    expect(woken).toEqual([3, 3, 5, 7]);
  });

  it("wakes nobody early, and rings again for who is left", async () => {
    const { wait, ring, woken } = world();
    wait(5);
    expect(await ring(4.9)).toBeCloseTo(5.15);
    expect(woken).toEqual([]);
  });

  it("leaves a quarter of a millisecond between two rings", async () => {
    const { wait, ring } = world();
    for (const dueMs of [1, 1.1, 2]) wait(dueMs);
    expect(await ring(1.01)).toBeCloseTo(1.26);
    expect(await ring(1.3)).toBe(2);
  });

  it("wakes all at once when the phase ends, and then rings for nobody", async () => {
    const { wait, sleeper, woken, state } = world();
    for (const dueMs of [3, 5]) wait(dueMs);
    const asleep = sleeper.sleep(1e6);
    sleeper.wakeAll();
    await asleep;
    expect(woken).toEqual([3, 5]);
    expect(state.set.at(-1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("ends pauses by the bell, too, where there is one", async () => {
    const { sleeper, state, ring } = world();
    sleeper.hangBell();
    state.now = 10;
    let isOver = false;
    const pause = sleeper.pause(2.5).then(() => (isOver = true));
    expect(state.set).toEqual([12.5]);
    await ring(12.4);
    expect(isOver).toBe(false);
    await ring(12.5);
    expect(isOver).toBe(true);
    await pause;
    await sleeper.pause(0);
    expect(state.set).toEqual([12.5]);
  });

  it("leaves pauses to timers where there is none", async () => {
    const { sleeper, state } = world();
    const pause = sleeper.pause(1e6);
    expect(state).toMatchObject({ bells: 0, set: [] });
    sleeper.wakeAll();
    await pause;
  });

  it("has no bell where nobody has an appointment, and closes the one it has", async () => {
    const idle = world();
    await idle.sleeper.close();
    expect(idle.state).toMatchObject({ bells: 0, isClosed: false });
    const busy = world();
    busy.wait(3);
    await busy.sleeper.close();
    expect(busy.state.isClosed).toBe(true);
    expect(busy.woken).toEqual([3]);
  });
});
