import { describe, expect, it } from "vitest";
import { Prng } from "../foundation/prng.js";
import { RetryPolicy } from "./retry-policy.js";

const settings = { attempts: 8, baseMs: 10, ceilingMs: 100, deadlineMs: 1_000 };
const policy = (seed = 1) => new RetryPolicy(settings, new Prng(seed));

/** Many waits after attempt number `attempt`, none near the deadline. */
function waits(attempt: number): number[] {
  const one = policy();
  return Array.from({ length: 2_000 }, () => one.backoffMs(attempt, 0, 0) ?? Number.NaN);
}

describe("a retry policy", () => {
  it.each([
    [1, 10],
    [2, 20],
    [4, 80],
    [5, 100],
    [7, 100],
  ])("after attempt %i waits a time that is uniform between 0 and %i ms", (attempt, mostMs) => {
    const all = waits(attempt);
    expect(Math.min(...all)).toBeLessThan(mostMs * 0.01);
    expect(Math.max(...all)).toBeLessThan(mostMs);
    expect(Math.max(...all)).toBeGreaterThan(mostMs * 0.99);
    const mean = all.reduce((sum, ms) => sum + ms, 0) / all.length;
    expect(mean).toBeGreaterThan(mostMs * 0.47);
    expect(mean).toBeLessThan(mostMs * 0.53);
  });

  it("doubles each wait up to the ceiling, exactly, without jitter", () => {
    const exact = new RetryPolicy({ ...settings, jitter: "none" }, new Prng(1));
    const exactWaits = [1, 2, 3, 4, 5, 7].map((attempt) => exact.backoffMs(attempt, 0, 0));
    expect(exactWaits).toEqual([10, 20, 40, 80, 100, 100]);
  });

  it("gives different waits to clients that failed at the same moment", () => {
    const all = Array.from({ length: 500 }, (_, seed) => policy(seed).backoffMs(7, 0, 0));
    expect(new Set(all).size).toBe(500);
  });

  it("allows no attempt after the last one", () => {
    expect(policy().backoffMs(7, 0, 0)).toBeDefined();
    expect(policy().backoffMs(8, 0, 0)).toBeUndefined();
  });

  it("allows no attempt after the deadline, counted from the transaction's start", () => {
    const one = policy();
    expect(one.backoffMs(7, 5_000, 5_900)).toBeDefined(); // at most 100 ms
    expect(one.backoffMs(7, 5_000, 6_000)).toBeUndefined();
    const close = Array.from({ length: 500 }, () => one.backoffMs(7, 5_000, 5_950));
    expect(close).toContain(undefined);
    for (const waitMs of close) expect(5_950 + (waitMs ?? 0)).toBeLessThan(6_000);
  });

  it("allows no attempt after the end of the load", () => {
    const one = policy();
    one.forbidRetriesAfter(500);
    expect(one.backoffMs(1, 400, 490)).toBeDefined();
    expect(one.backoffMs(1, 499, 500)).toBeUndefined();
  });

  it("keeps its longest wait after thousands of attempts, without overflow", () => {
    const endless = new RetryPolicy({ ...settings, attempts: 10_000 }, new Prng(1));
    expect(endless.backoffMs(9_999, 0, 0)).toBeLessThan(100);
  });
});
