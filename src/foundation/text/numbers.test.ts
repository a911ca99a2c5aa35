import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted } from "../units.js";
import { intervalText, pValueText, ratioText, measuredText, shortNumber } from "./numbers.js";

describe("shortNumber", () => {
  it("writes about three digits in few characters", () => {
    const golden: [number, string][] = [
      [0, "0"],
      [0.0001, "<.001"],
      [0.0123, "0.012"],
      [0.9996, "1"],
      [1.234, "1.23"],
      [12.34, "12.3"],
      [99.96, "100"],
      [123.4, "123"],
      [1234.5, "1235"],
      [9999.6, "10k"],
      [12345, "12.3k"],
      [999_949, "1000k"],
      [1_234_567, "1.23M"],
      [999_600_000, "1.00G"],
      [1_234_567_890, "1.23G"],
      [12_345_678_901_234, "12.3T"],
      [1.5e15, "1500T"],
    ];
    for (const [value, text] of golden) expect(shortNumber(value)).toBe(text);
  });

  it("writes at most five characters below a thousand million, within 5 % of the value", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 999_000_000, noNaN: true }), (value) => {
        const text = shortNumber(value);
        expect(text.length).toBeLessThanOrEqual(5);
        const scale = text.endsWith("M") ? 1e6 : text.endsWith("k") ? 1e3 : 1;
        expect(Math.abs((Number.parseFloat(text) * scale) / value - 1)).toBeLessThan(0.051);
      }),
    );
  });
});

describe("the text of a ratio or count", () => {
  it("has two decimals near 1, an interval if both ends are known, and a plural for several", () => {
    expect([1.306, 0.1, 0.0432, 12.34, 123.4].map(ratioText)).toEqual([
      "1.31x",
      "0.10x",
      "0.043x",
      "12.3x",
      "123x",
    ]);
    expect(intervalText(1.224, 1.4)).toBe("[1.22, 1.40]");
    expect(intervalText(null, 1.4)).toBe("");
    expect([intervalText(0.00003, 0.00004), intervalText(0.00003, 1.1)]).toEqual([
      "[<.001, <.001]",
      "[<.001, 1.10]",
    ]);
    // What is not 1 does not become 1.
    expect([1, 1.004, 0.9962, 1.0004, 1.00001, 1.006].map(ratioText)).toEqual([
      "1.00x",
      "1.004x",
      "0.996x",
      "1.0004x",
      "1.00x",
      "1.01x",
    ]);
    expect(intervalText(0.978, 0.9987)).toBe("[0.98, 0.999]");
    expect([counted(1, "trial"), counted(2, "trial"), counted(2, "is", "are")]).toEqual([
      "1 trial",
      "2 trials",
      "2 are",
    ]);
  });
});

describe("the measured value of a threshold", () => {
  it.each([
    [123.456, "p(99)<500", "123.5"],
    [499.967, "p(99)<500", "499.97"],
    [500.04, "p(99)<=500", "500.04"],
    [49.9996, "rate>50", "49.9996"],
    [12345, "count>0", "12345"],
    [12345.6, "avg<20000", "12350"],
    [7.5, "a result of another program", "7.5"],
    [null, "p(99)<500", "-"],
  ])("%d of %s is written as %s, on the same side of the bound", (seen, expression, text) => {
    expect(measuredText(seen, expression)).toBe(text);
  });
});

describe("a p-value", () => {
  it("is never written as 0", () => {
    expect([0.00008, 0.0006, 0.05, 1].map(pValueText)).toEqual(["<0.001", "0.001", "0.050", "1.000"]);
  });
});
