import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServerClock } from "./server-clock.js";

/** Readings every two seconds; `offsetMs` is what the server's clock is ahead of this one's at that moment. */
function stepSeen(offsets: readonly number[], answersMs: readonly number[] = [], drift = 0): number {
  const clock = new ServerClock();
  for (const [i, offsetMs] of offsets.entries()) {
    const askedMs = 5_000 + i * 2_000;
    const answerMs = answersMs[i] ?? 1;
    const readMs = askedMs + answerMs / 3;
    clock.read(readMs * (1 + drift) + offsetMs, askedMs, askedMs + answerMs);
  }
  return clock.stepMs;
}

describe("the step of a server's clock", () => {
  it.each([-3_000, 3_000, 3_600_000, -150])("of %d ms is seen to the length of an answer", (stepMs) => {
    const seen = stepSeen([7e11, 7e11, 7e11 + stepMs, 7e11 + stepMs]);
    expect(Math.abs(seen - Math.abs(stepMs))).toBeLessThan(5);
  });

  it("is none if clocks drift apart by 500 ppm, whatever time answers take", () => {
    const answers = fc.array(fc.double({ min: 0, max: 3_000, noNaN: true }), { minLength: 3, maxLength: 30 });
    fc.assert(
      fc.property(answers, fc.constantFrom(-0.0005, 0, 0.0005), (answersMs, drift) => {
        expect(
          stepSeen(
            answersMs.map(() => 1e9),
            answersMs,
            drift,
          ),
        ).toBe(0);
      }),
    );
  });

  it("is the largest of several", () => {
    expect(stepSeen([0, 0, 500, 500, -1500, -1500])).toBeCloseTo(2_000, -1);
  });
});
