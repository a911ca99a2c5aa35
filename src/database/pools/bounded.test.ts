import { describe, expect, it } from "vitest";
import { eachBounded } from "./bounded.js";

describe("eachBounded", () => {
  it("runs every task once with no more than the limit under way", async () => {
    let underWay = 0;
    let most = 0;
    const seen: number[] = [];
    await eachBounded(50, 4, async (index) => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      seen.push(index);
      underWay--;
    });
    expect(most).toBe(4);
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  it("begins nothing after a failure, waits for what is under way and rejects with the first failure", async () => {
    const begun: number[] = [];
    let settled = 0;
    const all = eachBounded(10, 2, async (index) => {
      begun.push(index);
      await new Promise(setImmediate);
      settled++;
      throw new Error(`task ${index}`);
    });
    await expect(all).rejects.toThrow("task 0");
    expect(begun).toEqual([0, 1]);
    expect(settled).toBe(2);
  });

  it("does nothing for no tasks", async () => {
    await eachBounded(0, 4, () => Promise.reject(new Error("never")));
  });
});
