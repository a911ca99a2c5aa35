import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exampleReport } from "../../../../../test/support/example-report.js";
import { stateFromHash, stateToHash, type FilterState } from "./filter-state.js";
import { layOut } from "./panels.js";
import { percentileText, percentilePosition } from "./percentiles.js";
import { unitOf } from "./metric-unit.js";
import { LIGHT, treatmentColour, treatmentDash } from "./theme.js";
import { tickLabel, valueText } from "./values.js";
import { viewOf } from "./view.js";

describe("the URL fragment", () => {
  test("holds any filter state, for any treatment names", () => {
    const word = fc.stringMatching(/^[a-z]+$/);
    const states: fc.Arbitrary<FilterState> = fc.record({
      hiddenTreatments: fc.array(fc.string({ unit: "grapheme", minLength: 1 })),
      hiddenOperations: fc.array(fc.constantFrom("add", "process", "__cycle__")),
      trials: fc.oneof(fc.constantFrom("all" as const, "each" as const), fc.nat()),
      choices: fc.dictionary(
        word.filter((text) => !(text in Object.prototype)),
        fc.dictionary(
          word.filter((text) => !(text in Object.prototype)),
          fc.string(),
          { minKeys: 1, maxKeys: 2, noNullPrototype: true },
        ),
        { maxKeys: 3, noNullPrototype: true },
      ),
    });
    fc.assert(
      fc.property(states, (state) => {
        expect(stateFromHash(`#${stateToHash(state)}`)).toEqual(state);
      }),
    );
  });

  test("is empty if everything is shown, and an anchor selects nothing", () => {
    expect(stateToHash(stateFromHash(""))).toBe("");
    expect(stateFromHash("#numbers")).toEqual(stateFromHash(""));
    expect(stateFromHash("#trials=many&x=1&a.b.c=2").trials).toBe("all");
  });

  test("shows everything if it would hide everything", () => {
    const report = exampleReport();
    const hidden = {
      ...stateFromHash(""),
      hiddenTreatments: report.result.treatments.map(({ id }) => id),
      hiddenOperations: ["add", "process"],
      trials: 99,
    };
    const view = viewOf(report, hidden, "queue", LIGHT, 800);
    expect(view.treatments).toHaveLength(3);
    expect(view.operations).toEqual(["add", "process"]);
    expect(view.trials).toBe("all");
  });
});

describe("written values", () => {
  test.each([
    [0.01234, "ms", "12.3 µs"],
    [0, "ms", "0 ms"],
    [12.345, "ms", "12.3 ms"],
    [12_345, "ms", "12.3 s"],
    [1234.5, "bytes", "1.23 kB"],
    [-2_500_000, "bytes", "-2.5 MB"],
    [7e12, "bytes/s", "7 TB/s"],
    [0.4567, "%", "45.7 %"],
    [1.2345, "x", "1.23x"],
    [0.051, "x", "0.051x"],
    [0.00003, "x", "<.001x"],
    [1.003, "x", "1.003x"],
    [1234, "events/s", "1234 events/s"],
    [3, "/s", "3/s"],
    [Number.NaN, "ms", "-"],
    [null, "ms", "-"],
  ] as const)("%d in %s is written as %s", (value, unit, text) => {
    expect(valueText(value, unit)).toBe(text);
  });

  test("have their unit in axis ticks if the axis does not name the unit", () => {
    expect([tickLabel(2_000_000, "bytes"), tickLabel(0.25, "%"), tickLabel(12_000, "ms")]).toEqual([
      "2 MB",
      "25",
      "12k",
    ]);
  });

  test.each([
    ["wal.bytes", "bytes/s"],
    ["size.indexBytes", "bytes"],
    ["pooler.maxWaitMs", "ms"],
    ["wal.fsyncMs", "ms/s"],
    ["xmin.ageTransactions", "transactions"],
    ["tuples.updated", "/s"],
    ["wait.Lock:tuple", ""],
  ])("have a unit that follows from metric %s: %j", (metric, unit) => {
    expect(unitOf(metric)).toBe(unit);
  });
});

test("percentiles are scaled by their distance to 100, and written with the necessary digits", () => {
  expect([0, 90, 99, 99.9].map((each) => Math.round(percentilePosition(each)))).toEqual([1, 10, 100, 1000]);
  expect([1, 10, 100, 1000, 1e6].map(percentileText)).toEqual(["0 %", "90 %", "99 %", "99.9 %", "99.9999 %"]);
});

test("treatments beyond the number of colours have dashed lines", () => {
  const count = LIGHT.treatments.length;
  expect(treatmentColour(LIGHT, count)).toBe(treatmentColour(LIGHT, 0));
  expect([0, count, 2 * count].map((i) => treatmentDash(LIGHT, i))).toEqual(["solid", "dashed", "dotted"]);
});

describe("panels", () => {
  const columnsOf = (count: number, widthPx: number): number => {
    const heightsPx = Array.from({ length: count }, () => 100);
    const wish = { widthPx, heightsPx, leastWidthPx: 330, mostColumns: 3, leftPx: 60, isNamedAbove: true };
    const { grids } = layOut(heightsPx.map(String), wish, LIGHT);
    return new Set(grids.map(({ left }) => left)).size;
  };

  test.each([
    [1, 1400, 1],
    [3, 1400, 3],
    [4, 1400, 2],
    [5, 1400, 3],
    [3, 700, 2],
    [3, 360, 1],
  ])("%i panels in %i pixels are in %i columns", (count, widthPx, columns) => {
    expect(columnsOf(count, widthPx)).toBe(columns);
  });
});
