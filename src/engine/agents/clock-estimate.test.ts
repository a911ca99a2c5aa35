import { describe, expect, it } from "vitest";
import { Prng } from "../../foundation/prng.js";
import { ClockEstimate } from "./clock-estimate.js";

/**
 * Estimate of an agent's clock that is `aheadMs` ahead at time 0 and runs `ppm` too fast, over a network of unequal delays.
 */
function watchClock(aheadMs: number, ppm: number, seconds: number, wayMs = 1) {
  const prng = new Prng(7);
  const estimate = new ClockEstimate();
  const agentAt = (trueMs: number): number => aheadMs + trueMs * (1 + ppm * 1e-6);
  const steps: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const askedMs = second * 1000;
    const thereMs = wayMs * (0.2 + prng.float());
    const backMs = wayMs * (0.2 + prng.float());
    const heardMs = agentAt(askedMs + thereMs);
    const repliedMs = agentAt(askedMs + thereMs + 0.05);
    steps.push(estimate.add({ askedMs, heardMs, repliedMs, answeredMs: askedMs + thereMs + 0.05 + backMs }));
  }
  return { estimate, agentAt, steps };
}

describe("the estimate of an agent's clock", () => {
  it.each([
    [5_000, 200, 60],
    [-5_000, -200, 60],
    [0, 0, 1],
    [86_400_000, 80, 300],
    [3, 500, 5],
  ])("is within its stated error: offset %i ms, drift %i ppm, after %i s", (aheadMs, ppm, seconds) => {
    const { estimate, agentAt, steps } = watchClock(aheadMs, ppm, seconds);
    for (const laterMs of [0, 500, 2_000]) {
      const trueMs = seconds * 1000 + laterMs;
      const { offsetMs, errorMs } = estimate.at(agentAt(trueMs));
      expect(Math.abs(agentAt(trueMs) + offsetMs - trueMs)).toBeLessThanOrEqual(errorMs);
      expect(errorMs).toBeLessThan(3);
    }
    expect(Math.max(...steps)).toBe(0);
  });

  it("finds the drift", () => {
    expect(watchClock(5_000, 200, 120).estimate.drift * 1e6).toBeCloseTo(-200, -1);
  });

  it("has a larger error if the network is slower", () => {
    const errorMs = (wayMs: number): number => watchClock(0, 10, 40, wayMs).estimate.at(40_000).errorMs;
    expect(errorMs(20)).toBeGreaterThan(5 * errorMs(1));
  });

  it("finds a step of 500 ms", () => {
    const { estimate } = watchClock(0, 20, 30);
    const stepped = estimate.add({ askedMs: 30_000, heardMs: 30_501, repliedMs: 30_501, answeredMs: 30_002 });
    expect(stepped).toBeGreaterThan(490);
  });
});
