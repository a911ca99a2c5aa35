import { expect, it } from "vitest";
import { flattenedValues } from "./numbers.js";

it("flattened lists name entries by source, and number entries of equal source", () => {
  const reasons = [
    { source: "queue depth", reason: "not every second" },
    { source: "locks", reason: "no right" },
    { source: "queue depth", reason: "not in 3 samples" },
  ];
  expect(
    flattenedValues({ skipped: reasons.map((each) => ({ ...each })), seconds: [{ at: 1 }, { at: 2 }] }),
  ).toEqual([
    ["skipped[queue depth].source", "queue depth"],
    ["skipped[queue depth].reason", "not every second"],
    ["skipped[locks].source", "locks"],
    ["skipped[locks].reason", "no right"],
    ["skipped[queue depth 2].source", "queue depth"],
    ["skipped[queue depth 2].reason", "not in 3 samples"],
    ["seconds[1].at", "1"],
    ["seconds[2].at", "2"],
  ]);
});
