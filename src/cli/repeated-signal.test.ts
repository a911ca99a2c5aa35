import { expect, it } from "vitest";
import { RepeatedSignal, SAME_WISH_MS } from "./repeated-signal.js";

it("counts signals within a short time as a single request, and a later signal as another one", () => {
  let nowMs = 5000;
  const signals = new RepeatedSignal(() => nowMs);
  expect([signals.hear(), signals.hear()]).toEqual(["first", "same"]);
  nowMs += SAME_WISH_MS - 1;
  expect(signals.hear()).toBe("same");
  nowMs += 1;
  expect([signals.hear(), signals.hear()]).toEqual(["another", "another"]);
});
