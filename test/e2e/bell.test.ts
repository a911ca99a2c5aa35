// The bell's thread, which is of the built program. It needs no database; tests that need the build are of that project.
import { afterEach, describe, expect, it } from "vitest";
import { monotonicMs } from "../../src/foundation/clock.js";
import { ThreadBell } from "../../src/load/bell.js";

const bells: ThreadBell[] = [];
const failures: unknown[] = [];

/** A bell, the moments at which it rang, and those that it is to ring at after a ring. */
function hang() {
  const rung: number[] = [];
  const waiting: (() => void)[] = [];
  const following: number[] = [];
  const bell = new ThreadBell(
    () => {
      rung.push(monotonicMs());
      waiting.shift()?.();
      return following.shift() ?? Number.POSITIVE_INFINITY;
    },
    (error) => failures.push(error),
  );
  bells.push(bell);
  return { bell, rung, following, next: () => new Promise<void>((resolve) => waiting.push(resolve)) };
}

afterEach(async () => {
  await Promise.all(bells.splice(0).map((bell) => bell.close()));
  expect(failures.splice(0)).toEqual([]);
});

describe("ThreadBell", () => {
  it("rings once for each moment that it is set to, and never before it", async () => {
    const { bell, rung, next } = hang();
    const due: number[] = [];
    for (let times = 0; times < 50; times++) {
      due.push(monotonicMs() + (times % 5) * 0.7);
      const rings = next();
      bell.set(due.at(-1) as number);
      await rings;
    }
    expect(rung).toHaveLength(50);
    for (const [index, atMs] of rung.entries()) expect(atMs).toBeGreaterThanOrEqual(due[index] as number);
  });

  it("rings for the last setting alone", async () => {
    const { bell, rung, next } = hang();
    const sinceMs = monotonicMs();
    const rings = next();
    bell.set(sinceMs + 1e6);
    bell.set(Number.POSITIVE_INFINITY);
    bell.set(sinceMs + 30);
    await rings;
    expect(rung[0]).toBeGreaterThanOrEqual(sinceMs + 30);
    // Another bell's round trips are time enough for a ring that should not be.
    const other = hang();
    for (let times = 0; times < 5; times++) {
      const rang = other.next();
      other.bell.set(monotonicMs() + 2);
      await rang;
    }
    expect(rung).toHaveLength(1);
  });

  it("rings for what it is told by whom it wakes, unless something sooner was set since", async () => {
    const { bell, rung, following, next } = hang();
    const sinceMs = monotonicMs();
    following.push(sinceMs + 40, sinceMs + 1e6);
    bell.set(sinceMs + 10);
    await next();
    const rings = next();
    bell.set(sinceMs + 20);
    await rings;
    expect(rung[1]).toBeGreaterThanOrEqual(sinceMs + 20);
    expect(rung[1]).toBeLessThan(sinceMs + 1e6);
    expect(rung).toHaveLength(2);
    bell.set(monotonicMs() + 5);
    await next();
    expect(rung).toHaveLength(3);
  });

  it("ends its thread when it is closed, set or not, and is no failure then", async () => {
    const { bell, rung } = hang();
    bell.set(monotonicMs() + 1e6);
    await bell.close();
    expect(rung).toEqual([]);
  });
});
