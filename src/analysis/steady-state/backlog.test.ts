// When a queue was back after a fault: from series made by hand, each with one possible mistake.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backlogRecoveriesOf, type BacklogSample } from "./backlog.js";

/** One sample a second, from the end of the first second on; null for a missed sample. */
const samplesOf = (events: readonly (number | null)[]): BacklogSample[] =>
  events.flatMap((each, second) => (each === null ? [] : [{ atSeconds: second + 1, events: each }]));
const at = (injectedAtSeconds: number, clearedAtSeconds: number | null) => ({
  injectedAtSeconds,
  clearedAtSeconds,
});
const only = (events: readonly (number | null)[], injected: number, cleared: number | null) =>
  backlogRecoveriesOf(samplesOf(events), [at(injected, cleared)], events.length)[0];

describe("the backlog after a fault", () => {
  test("recovers at the first sample after the clearing that is at most the highest before the fault", () => {
    const events = [3, 9, 5, 4, 6, 200, 500, 400, 100, 9, 7, 8, 3];
    expect(only(events, 5.4, 7.5)).toEqual({ before: 9, most: 500, recoverySeconds: 2.5 });
  });

  test("has a recovery time of 0 if it never rose, also with one sample a second", () => {
    expect(only([3, 9, 5, 4, 6, 8, 9, 2, 4, 5], 5.4, 5.9)).toEqual({
      before: 9,
      most: 8,
      recoverySeconds: 0,
    });
  });

  test("is assessed with a single earlier sample if the queue returns to that sample's length or stays below", () => {
    expect(only([5, 60, 40, 5, 4, 5], 1.2, 1.7)).toEqual({ before: 5, most: 60, recoverySeconds: 2.3 });
    expect(only([5, 4, 3, 5, 4], 1.2, 1.7)).toEqual({ before: 5, most: 4, recoverySeconds: 0 });
  });

  test("has a recovery time of 0 if it never rose until the window ended, and none without a later sample", () => {
    expect(only([5, 9, 4, 6, 5, 8], 4.2, 5.9)).toEqual({ before: 9, most: 8, recoverySeconds: 0 });
    expect(only([5, 9, 4, 6, 5, 8], 4.2, 6.1)).toMatchObject({ recoverySeconds: null });
  });

  test("does not recover by one low sample, nor by samples during the fault", () => {
    expect(only([5, 5, 5, 60, 0, 70, 80, 4, 5, 3], 3, 6.5)).toMatchObject({ recoverySeconds: 1.5 });
    expect(only([5, 5, 5, 0, 0, 0, 80, 5, 5, 5], 3, 6.5)).toMatchObject({ recoverySeconds: 1.5 });
  });

  test("recovers although the queue fluctuates as it did before", () => {
    expect(only([2, 10, 4, 90, 8, 12, 7, 9], 3, 3.5)).toMatchObject({ before: 10, recoverySeconds: 1.5 });
  });

  test("is assessed by the samples that exist", () => {
    expect(only([5, 5, 4, null, null, 40, 5, null, 4, 3], 3.5, 5.5)).toEqual({
      before: 5,
      most: 40,
      recoverySeconds: 1.5,
    });
    const rare = [5, null, null, 4, null, null, 3, null, null, 60, null, null, 4, null, null];
    expect(only(rare, 7.5, 8)).toEqual({ before: 5, most: 60, recoverySeconds: 5 });
    expect(only(rare.slice(0, -1), 7.5, 8)).toMatchObject({ recoverySeconds: null });
  });

  test("is compared with the last ten undisturbed samples", () => {
    const events = [...Array<number>(5).fill(1000), ...Array<number>(10).fill(10), 500, 100, 10, 10, 10];
    expect(only(events, 15, 15.5)).toEqual({ before: 10, most: 500, recoverySeconds: 2.5 });
  });

  test.each([
    [[5, 5, 5, 50, 50, 50, 50], 3, null, { before: 5, most: 50 }, "it was never cleared"],
    [
      [5, 5, 5, 50, 40, 30, 20],
      3,
      4,
      { before: 5, most: 50 },
      "the window ended before it had been back for 3 s",
    ],
    [[5, 5, 5, 50, 5, 5], 3, 4, { before: 5, most: 50 }, "the window ended before it had been back for 3 s"],
    [[5, 5, 5, 5], 0.5, 1, {}, "no undisturbed sample came before it"],
    [
      [5, 50, 9, 8, 7, 6],
      1.5,
      1.9,
      { before: 5, most: 50 },
      "the window ended before it had been back for 3 s, and only 1 of 3 undisturbed samples came before the fault",
    ],
    [[5, 5, 5], 3, 3.2, { before: 5 }, "there is no sample after it"],
  ])("has no recovery time: %j from %d to %s", (events, injected, cleared, seen, recoveryReason) => {
    expect(only(events, injected, cleared)).toEqual({ ...seen, recoverySeconds: null, recoveryReason });
  });

  test("is compared with samples before the first fault if the queue does not recover between faults", () => {
    const events = [4, 5, 4, 50, 60, 40, 90, 80, 5, 5, 5, 5];
    expect(backlogRecoveriesOf(samplesOf(events), [at(3, 4.5), at(6, 7.5)], 12)).toEqual([
      {
        before: 5,
        most: 60,
        recoverySeconds: null,
        recoveryReason: "the next fault came before it had been back for 3 s",
      },
      { before: 5, most: 90, recoverySeconds: 1.5 },
    ]);
  });

  test("is assessed for every fault, and never has a negative recovery time", () => {
    const faults = fc.array(
      fc.tuple(fc.double({ min: 0, max: 20, noNaN: true }), fc.double({ min: 0, max: 5, noNaN: true })),
    );
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(20)), { maxLength: 20 }), faults, (events, spans) => {
        const ordered = spans.sort(([a], [b]) => a - b).map(([from, length]) => at(from, from + length));
        const backlogs = backlogRecoveriesOf(samplesOf(events), ordered, events.length);
        expect(backlogs).toHaveLength(ordered.length);
        for (const { recoverySeconds, recoveryReason, before, most } of backlogs) {
          expect(recoverySeconds === null).toBe(recoveryReason !== undefined);
          expect(recoverySeconds ?? 0).toBeGreaterThanOrEqual(0);
          if (recoverySeconds !== null && recoverySeconds > 0)
            expect(most).toBeGreaterThan(before ?? Infinity);
        }
      }),
    );
  });
});
