// Parts of a log report: the track loses no second, columns lose no count, and the list of slow transactions neither loses
// nor repeats an entry.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecondTrack } from "./second-track.js";
import { SlowestTransactions, type SlowTransaction } from "./slowest.js";
import { TIMELINE_COLUMNS_MAX, ColumnSums } from "./timeline.js";

const busy = { finished: 20, failed: 0, longestMs: 5 };

function trackOf(seconds: readonly number[], facts = busy): SecondTrack {
  const track = new SecondTrack();
  for (const second of seconds) track.add(second, facts);
  return track;
}

describe("a track of seconds", () => {
  it("finds a stall with its seconds, its failed attempts and the longest transaction after it", () => {
    const track = trackOf([0, 1, 2, 6, 7]);
    track.add(4, { finished: 0, failed: 9, longestMs: 0 });
    track.add(6, { finished: 1, failed: 0, longestMs: 3100 });
    const stall = { fromSecond: 3, seconds: 3, failedAttempts: 9, longestAfterMs: 3100 };
    expect(track.stalls()).toEqual([stall]);
  });

  it("finds stalls across the limits of its memory blocks, for any order of seconds", () => {
    const seconds = [...Array.from({ length: 1020 }, (_, i) => i), 1030, 1031, 5000].reverse();
    const found = trackOf(seconds).stalls();
    expect(found.map(({ fromSecond, seconds: length }) => [fromSecond, length])).toEqual([
      [1020, 10],
      [1032, 3968],
    ]);
  });

  it("finds no stall before the first second, after the last one or in a rare operation", () => {
    expect(trackOf([5, 6, 7]).stalls()).toEqual([]);
    expect(trackOf([]).stalls()).toEqual([]);
    expect(trackOf([0, 3, 6, 9], { ...busy, finished: 1 }).stalls()).toEqual([]);
  });
});

describe("a spread of counts over columns", () => {
  it("keeps every count in at most 60 columns for any length of time", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 1000 })), {
          minLength: 1,
        }),
        (additions) => {
          const spread = new ColumnSums();
          for (const [second, count] of additions) spread.add(second, count);
          const sum = additions.reduce((total, [, count]) => total + count, 0);
          expect(spread.columns.reduce((total, count) => total + count, 0)).toBe(sum);
          expect(spread.columns.length).toBeLessThanOrEqual(TIMELINE_COLUMNS_MAX);
          for (const [column, count] of spread.columns.entries()) {
            const from = column * spread.columnSeconds;
            const inside = additions.filter(([s]) => s >= from && s < from + spread.columnSeconds);
            expect(count).toBe(inside.reduce((total, [, each]) => total + each, 0));
          }
        },
      ),
    );
  });
});

describe("the slowest transactions", () => {
  const one = (responseMs: number, more: Partial<SlowTransaction> = {}): SlowTransaction => ({
    operation: "add",
    actor: "producers",
    worker: 0,
    client: 1,
    second: 3,
    responseMs,
    serviceMs: null,
    poolWaitMs: null,
    attempts: null,
    parts: null,
    ...more,
  });

  it("are the slowest of all added ones, slowest first", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1e6 })),
        fc.integer({ min: 1, max: 8 }),
        (times, most) => {
          const slowest = new SlowestTransactions(most);
          times.forEach((ms, client) => slowest.add(one(ms, { client })));
          const expected = [...times].sort((a, b) => b - a).slice(0, most);
          expect(slowest.all.map(({ responseMs }) => responseMs)).toEqual(expected);
        },
      ),
    );
  });

  it("contain a transaction once if two lines describe it, in either order", () => {
    const fromSlow = one(100.0004, { serviceMs: 99, attempts: 2 });
    const fromSummary = one(100, { parts: { commit: 90 } });
    for (const lines of [
      [fromSlow, fromSummary],
      [fromSummary, fromSlow],
    ]) {
      const slowest = new SlowestTransactions(3);
      for (const line of lines) slowest.add(line);
      slowest.add(one(100, { client: 2 }));
      expect(slowest.all).toHaveLength(2);
      expect(slowest.all.find(({ client }) => client === 1)).toMatchObject({
        serviceMs: 99,
        attempts: 2,
        parts: { commit: 90 },
      });
    }
  });

  it("are empty if zero are requested", () => {
    const slowest = new SlowestTransactions(0);
    slowest.add(one(5));
    expect(slowest.all).toEqual([]);
  });
});
