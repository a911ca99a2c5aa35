import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationText, formatDuration, formatSize, parseDurationMs, parseSizeBytes } from "./units.js";

describe("durations", () => {
  test.each([
    ["0", 0],
    ["250ms", 250],
    ["0.5s", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
    ["1m30s", 90_000],
    ["250us", 0.25],
    [" 10ms ", 10],
  ])("reads %s as %d milliseconds", (text, expected) => {
    expect(parseDurationMs(text)).toBeCloseTo(expected, 9);
  });

  test.each(["", "5", "ms", "5 s", "-5s", "5sec", "1e3s", "5s x", ".5s", "5.s", "Infinitys", "1d"])(
    "refuses %j as a duration",
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
    },
  );

  test("refuses an amount with too many digits for a number", () => {
    expect(parseDurationMs(`${"9".repeat(400)}s`)).toBeUndefined();
  });

  test.each([
    [0, "0s"],
    [0.25, "250us"],
    [1, "1ms"],
    [999, "999ms"],
    [1500, "1.5s"],
    [90_000, "1m30s"],
    [3_600_000, "1h"],
    [5_400_000, "1h30m"],
    [3_601_000, "1h1s"],
  ])("writes %d milliseconds as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test.each([
    [250, "250 ms"],
    [5000, "5 s"],
    [60_000, "1 min"],
    [5_400_000, "1 h 30 min"],
  ])("writes %i ms in a sentence as %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  test("whole milliseconds, and whole microseconds below a second, read back as written", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e11 }), (ms) => {
        expect(parseDurationMs(formatDuration(ms))).toBeCloseTo(ms, 3);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), (us) => {
        expect(parseDurationMs(formatDuration(us / 1000))).toBeCloseTo(us / 1000, 6);
      }),
    );
  });
});

describe("sizes", () => {
  test.each([
    ["900B", 900],
    ["8kB", 8192],
    ["8KB", 8192],
    ["256MB", 268_435_456],
    ["1.5GB", 1_610_612_736],
    ["1 TB", 1024 ** 4],
  ])("reads %s as %d bytes", (text, expected) => {
    expect(parseSizeBytes(text)).toBe(expected);
  });

  test.each(["", "900", "-1kB", "5MiB", "5mb", "1e3B", "99999999999TB", "B"])(
    "refuses %j as a size",
    (text) => {
      expect(parseSizeBytes(text)).toBeUndefined();
    },
  );

  test.each([
    [0, "0 B"],
    [900, "900 B"],
    [1024, "1 kB"],
    [1536, "1.5 kB"],
    [1_610_612_736, "1.5 GB"],
    [-2048, "-2 kB"],
  ])("writes %d bytes as %s", (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  test("a written size reads back to three significant digits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1024 ** 5 }), (bytes) => {
        const back = parseSizeBytes(formatSize(bytes));
        expect(Math.abs((back ?? Number.NaN) - bytes) / bytes).toBeLessThanOrEqual(0.005);
      }),
    );
  });
});
