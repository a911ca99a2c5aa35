import { expect, it } from "vitest";
import { RepeatedSignal, SAME_WISH_MS } from "./repeated-signal.js";

it("takes signals that come together for one wish, and a later one for another", () => {
  let nowMs = 5000;
  const signals = new RepeatedSignal(() => nowMs);
  expect([signals.hear(), signals.hear()]).toEqual(["first", "same"]);
  nowMs += SAME_WISH_MS - 1;
  expect(signals.hear()).toBe("same");
  nowMs += 1;
  expect([signals.hear(), signals.hear()]).toEqual(["another", "another"]);
});
