// Merged values of trials with different numbers of events, or with values that some trials lack.
import { describe, expect, it } from "vitest";
import { EXAMPLE_INTEGRITY, exampleTrial } from "../../test/support/example-result.js";
import { mergedPassesAndDrain } from "./result-document.js";
import type { TrialResult } from "./result-schema.js";

function trial(ended: number, passesPerEvent?: number, drainSeconds?: number): TrialResult {
  const example = exampleTrial(0, 1, 10);
  return {
    ...example,
    lifecycle: {
      ...example.lifecycle,
      ...(passesPerEvent !== undefined && { passesPerEvent }),
      ...(drainSeconds !== undefined && { drainSeconds }),
    },
    // Some events are not archived yet, one of them failed; pending events have not ended.
    integrity: { ...EXAMPLE_INTEGRITY, pending: 500, complete: 2, failed: 1, archived: ended - 3 },
  };
}

describe("the merged lifecycle of several trials", () => {
  it("weighs passes per event by events, not by trials", () => {
    expect(mergedPassesAndDrain([trial(100, 2), trial(300, 4)])).toEqual({ passesPerEvent: 3.5 });
  });

  it("averages drain times, and has none if a trial was not drained", () => {
    expect(mergedPassesAndDrain([trial(100, 2, 1), trial(100, 2, 4)])).toMatchObject({ drainSeconds: 2.5 });
    expect(mergedPassesAndDrain([trial(100, 2, 1), trial(100, 2)])).not.toHaveProperty("drainSeconds");
  });

  it("has no passes per event if a trial with events lacks passes per event", () => {
    expect(mergedPassesAndDrain([trial(100, 2), trial(100)])).not.toHaveProperty("passesPerEvent");
    const nothingEnded = { ...trial(3), integrity: { ...EXAMPLE_INTEGRITY, archived: 0 } };
    expect(mergedPassesAndDrain([trial(100, 2), nothingEnded])).toEqual({ passesPerEvent: 2 });
    expect(mergedPassesAndDrain([])).toEqual({});
  });
});
