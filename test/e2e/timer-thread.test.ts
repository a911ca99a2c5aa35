// The timer thread of the built program. It needs no database.
import { afterEach, describe, expect, it } from "vitest";
import { monotonicMs } from "../../src/foundation/clock.js";
import { TimerThread } from "../../src/load/timer.js";

const timers: TimerThread[] = [];
const failures: unknown[] = [];

/** A timer, the moments at which it fired, and the moments that its callback returns. */
function startTimer() {
  const fired: number[] = [];
  const waiting: (() => void)[] = [];
  const following: number[] = [];
  const timer = new TimerThread(
    () => {
      fired.push(monotonicMs());
      waiting.shift()?.();
      return following.shift() ?? Number.POSITIVE_INFINITY;
    },
    (error) => failures.push(error),
  );
  timers.push(timer);
  return { timer, fired, following, next: () => new Promise<void>((resolve) => waiting.push(resolve)) };
}

afterEach(async () => {
  await Promise.all(timers.splice(0).map((timer) => timer.close()));
  expect(failures.splice(0)).toEqual([]);
});

describe("TimerThread", () => {
  it("fires once for each time that is set, and never early", async () => {
    const { timer, fired, next } = startTimer();
    const due: number[] = [];
    for (let times = 0; times < 50; times++) {
      due.push(monotonicMs() + (times % 5) * 0.7);
      const firing = next();
      timer.set(due.at(-1) as number);
      await firing;
    }
    expect(fired).toHaveLength(50);
    for (const [index, atMs] of fired.entries()) expect(atMs).toBeGreaterThanOrEqual(due[index] as number);
  });

  it("fires only for the time set last", async () => {
    const { timer, fired, next } = startTimer();
    const sinceMs = monotonicMs();
    const firing = next();
    timer.set(sinceMs + 1e6);
    timer.set(Number.POSITIVE_INFINITY);
    timer.set(sinceMs + 30);
    await firing;
    expect(fired[0]).toBeGreaterThanOrEqual(sinceMs + 30);
    // If this timer fired wrongly, it would have fired by the time that another timer has made some round trips.
    const other = startTimer();
    for (let times = 0; times < 5; times++) {
      const fires = other.next();
      other.timer.set(monotonicMs() + 2);
      await fires;
    }
    expect(fired).toHaveLength(1);
  });

  it("fires again at the time that its callback returns, or at an earlier time set since", async () => {
    const { timer, fired, following, next } = startTimer();
    const sinceMs = monotonicMs();
    following.push(sinceMs + 40, sinceMs + 1e6);
    timer.set(sinceMs + 10);
    await next();
    const firing = next();
    timer.set(sinceMs + 20);
    await firing;
    expect(fired[1]).toBeGreaterThanOrEqual(sinceMs + 20);
    expect(fired[1]).toBeLessThan(sinceMs + 1e6);
    expect(fired).toHaveLength(2);
    timer.set(monotonicMs() + 5);
    await next();
    expect(fired).toHaveLength(3);
  });

  it("ends its thread when it is closed before its time, and reports no failure", async () => {
    const { timer, fired } = startTimer();
    timer.set(monotonicMs() + 1e6);
    await timer.close();
    expect(fired).toEqual([]);
  });
});
