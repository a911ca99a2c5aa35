// Trials of different sizes taken together, and trials of which some lack values.
import { describe, expect, it } from "vitest";
import { EXAMPLE_INTEGRITY, exampleTrial } from "../../test/support/example-result.js";
import { mergedEnding } from "./result-document.js";
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
    // Some events are not archived yet, one of these was given up; pending events have not ended.
    integrity: { ...EXAMPLE_INTEGRITY, pending: 500, complete: 2, failed: 1, archived: ended - 3 },
  };
}

describe("several trials", () => {
  it("have the passes of all their events, not the mean of means", () => {
    expect(mergedEnding([trial(100, 2), trial(300, 4)])).toEqual({ passesPerEvent: 3.5 });
  });

  it("have the mean of their drains, and none where one was not drained", () => {
    expect(mergedEnding([trial(100, 2, 1), trial(100, 2, 4)])).toMatchObject({ drainSeconds: 2.5 });
    expect(mergedEnding([trial(100, 2, 1), trial(100, 2)])).not.toHaveProperty("drainSeconds");
  });

  it("say nothing of passes where a trial with events does not tell", () => {
    expect(mergedEnding([trial(100, 2), trial(100)])).not.toHaveProperty("passesPerEvent");
    const nothingEnded = { ...trial(3), integrity: { ...EXAMPLE_INTEGRITY, archived: 0 } };
    expect(mergedEnding([trial(100, 2), nothingEnded])).toEqual({ passesPerEvent: 2 });
    expect(mergedEnding([])).toEqual({});
  });
});
