import { expect, it } from "vitest";
import { RepeatedSignal, SAME_WISH_MS } from "./repeated-signal.js";

it("signals within a short time are a single request to stop, and a later signal is another request", () => {
  let nowMs = 5000;
  const signals = new RepeatedSignal(() => nowMs);
  expect([signals.receive(), signals.receive()]).toEqual(["first", "same"]);
  nowMs += SAME_WISH_MS - 1;
  expect(signals.receive()).toBe("same");
  nowMs += 1;
  expect([signals.receive(), signals.receive()]).toEqual(["another", "another"]);
});
