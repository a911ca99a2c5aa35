import { expect, it } from "vitest";
import { RepeatedSignal, SIGNAL_REPETITION_MS } from "./repeated-signal.js";

it("signals within a short time are a single request to stop, and a later signal is another request", () => {
  let nowMs = 5000;
  const signals = new RepeatedSignal(() => nowMs);
  expect([signals.receive(), signals.receive()]).toEqual(["first", "same"]);
  nowMs += SIGNAL_REPETITION_MS - 1;
  expect(signals.receive()).toBe("same");
  nowMs += 1;
  expect([signals.receive(), signals.receive()]).toEqual(["another", "another"]);
});
