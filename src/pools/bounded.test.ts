import { describe, expect, it } from "vitest";
import { eachBounded, Semaphore } from "./bounded.js";

describe("eachBounded", () => {
  it("runs every task once, with at most the limit in progress", async () => {
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

  it("starts no task after a failure, waits for tasks in progress and rejects with the first failure", async () => {
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

  it("resolves without a task", async () => {
    await eachBounded(0, 4, () => Promise.reject(new Error("never")));
  });
});

describe("a gate", () => {
  it("passes at most its limit at once and others in order, also after failures", async () => {
    const gate = new Semaphore(3);
    let underWay = 0;
    let most = 0;
    const order: number[] = [];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, number) =>
        gate.pass(async () => {
          most = Math.max(most, ++underWay);
          order.push(number);
          await new Promise(setImmediate);
          underWay--;
          if (number % 2 === 1) throw new Error(`task ${number}`);
          return number;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(10);
    expect(await gate.pass(async () => "free again")).toBe("free again");
  });
});
