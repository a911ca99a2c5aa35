// When the load was back after a fault: from series made by hand, each with one possible mistake.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recoveriesOf } from "./recovery.js";

const flat = (seconds: number, value = 100): number[] => Array.from({ length: seconds }, () => value);
const at = (injectedAtSeconds: number, clearedAtSeconds: number | null) => ({
  injectedAtSeconds,
  clearedAtSeconds,
});
const only = (transactions: number[], injected: number, cleared: number | null) =>
  recoveriesOf(transactions, [at(injected, cleared)])[0];

describe("the recovery time of throughput", () => {
  test("counts from the clearing to the first recovered second", () => {
    const transactions = [...flat(5), 20, 0, 0, 40, 70, ...flat(5, 95)];
    expect(only(transactions, 5.2, 7.5)).toEqual({ recoverySeconds: 2.5 });
  });

  test("is 0 if throughput had recovered in the second of the clearing, or never fell", () => {
    expect(only(flat(12), 5, 7.5)).toEqual({ recoverySeconds: 0 });
  });

  test("does not end with a single high second, nor with seconds that are followed by low ones", () => {
    const transactions = [...flat(5), 0, 0, 95, 10, 10, 91, 89, 10, ...flat(4, 92)];
    expect(only(transactions, 5, 7)).toEqual({ recoverySeconds: 6 });
  });

  test("does not end with low seconds before a burst", () => {
    // 50, 50, 300 hold 90 % on the mean, but the first of them is not back.
    expect(only([...flat(5), 0, 50, 50, 300, 100, 100], 5, 6)).toEqual({ recoverySeconds: 2 });
  });

  test("ends despite noise if the mean has recovered", () => {
    expect(only([...flat(5), 0, 99, 80, 105, 88], 5, 6)).toEqual({ recoverySeconds: 0 });
  });

  test.each([
    [flat(10), 5, null, "it was never cleared"],
    [flat(10), 0.5, 2, "the window has no undisturbed second before it"],
    [[...flat(5, 0), ...flat(5)], 5, 6, "nothing was committed before it"],
    [[...flat(5), 0, 0, 100, 100], 5, 6, "the window ended before throughput had been back for 3 s"],
  ])("is unknown: %j from %d to %s", (transactions, injected, cleared, recoveryReason) => {
    expect(only(transactions, injected, cleared)).toEqual({ recoverySeconds: null, recoveryReason });
  });

  test("refers to the seconds before the first fault if throughput does not recover between faults", () => {
    const transactions = [...flat(5), 0, 0, 50, 50, 0, 0, 60, ...flat(4, 90)];
    expect(recoveriesOf(transactions, [at(5, 7), at(9, 11)])).toEqual([
      {
        recoverySeconds: null,
        recoveryReason: "the next fault came before throughput had been back for 3 s",
      },
      { recoverySeconds: 1 },
    ]);
  });

  test("is compared with the last ten undisturbed seconds", () => {
    const transactions = [...flat(20, 1000), ...flat(10, 100), 0, ...flat(3, 95)];
    expect(only(transactions, 30, 31)).toEqual({ recoverySeconds: 0 });
  });

  test("is assessed for a fault within another one", () => {
    const transactions = [...flat(5), ...flat(10, 100)];
    expect(recoveriesOf(transactions, [at(5, 14), at(6, 7)])).toHaveLength(2);
  });

  test("is never negative or beyond the window, and is unknown exactly if a reason is given", () => {
    const moments = fc
      .tuple(fc.double({ min: 0, max: 30, noNaN: true }), fc.double({ min: 0, max: 10, noNaN: true }))
      .map(([injected, length]) => at(injected, injected + length));
    const faults = fc.array(moments, { maxLength: 4 });
    const series = fc.array(fc.nat(200), { maxLength: 40 });
    fc.assert(
      fc.property(series, faults, (transactions, unordered) => {
        const ordered = [...unordered].sort((a, b) => a.injectedAtSeconds - b.injectedAtSeconds);
        recoveriesOf(transactions, ordered).forEach(({ recoverySeconds, recoveryReason }, index) => {
          expect(recoverySeconds === null).toBe(recoveryReason !== undefined);
          if (recoverySeconds === null) return;
          expect(recoverySeconds).toBeGreaterThanOrEqual(0);
          const backAt = (ordered[index]?.clearedAtSeconds ?? 0) + recoverySeconds;
          expect(backAt).toBeLessThanOrEqual(transactions.length);
        });
      }),
    );
  });
});
