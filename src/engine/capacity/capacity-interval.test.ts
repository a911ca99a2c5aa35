import { expect, it } from "vitest";
import { capacityInterval } from "./capacity-interval.js";
import type { RateOutcome } from "./capacity-likelihood.js";

function outcomes(ratePerSecond: number, held: number, failed = 0): RateOutcome[] {
  return [
    ...Array<RateOutcome>(held).fill({ ratePerSecond, held: true, position: 0 }),
    ...Array<RateOutcome>(failed).fill({ ratePerSecond, held: false, position: 0 }),
  ];
}

const CLEAR = [...outcomes(50, 1), ...outcomes(100, 1), ...outcomes(200, 0, 2), ...outcomes(141, 0, 2)];

it("the interval of a capacity is close to the bracket if repeated probes agree", () => {
  const probes = [...CLEAR, ...outcomes(119, 1), ...outcomes(130, 6), ...outcomes(136, 0, 4)];
  const { ciLow, ciHigh, resolution } = capacityInterval(probes, 130, 136);
  expect(ciLow).toBeLessThanOrEqual(130);
  expect(ciLow).toBeGreaterThan(127);
  expect(ciHigh).toBeGreaterThanOrEqual(136);
  expect(ciHigh).toBeLessThan(139);
  expect(resolution).toBeGreaterThanOrEqual(0.05);
  expect(resolution).toBeLessThan(0.08);
});

it("the interval of a capacity is wider if repeated probes disagree", () => {
  const probes = [...CLEAR, ...outcomes(119, 2, 1), ...outcomes(130, 3, 2), ...outcomes(136, 1, 3)];
  const { ciLow, ciHigh, resolution } = capacityInterval(probes, 130, 136);
  expect(ciLow).toBeLessThan(119);
  expect(ciHigh).toBeGreaterThan(139);
  expect(resolution).toBeGreaterThan(0.15);
  expect(resolution).toBeCloseTo((ciHigh ?? 0) / (ciLow ?? 1) - 1, 10);
});

it("the interval of a capacity changes by less than 5 % through one failed probe far below", () => {
  const probes = [...CLEAR, ...outcomes(119, 1), ...outcomes(130, 6), ...outcomes(136, 0, 4)];
  const plain = capacityInterval(probes, 130, 136);
  const disturbed = capacityInterval([...probes, ...outcomes(60, 0, 1)], 130, 136);
  expect((disturbed.ciLow ?? 0) / (plain.ciLow ?? 1)).toBeGreaterThan(0.95);
});

it("the interval of a capacity has no upper end if no rate failed", () => {
  const open = capacityInterval([...outcomes(50, 1), ...outcomes(100, 4)], 100, null);
  expect(open).toMatchObject({ ciHigh: null, resolution: null });
  expect(open.ciLow).toBeLessThanOrEqual(100);
});

it("the interval of a capacity is wider if the order of the probes suggests a drift", () => {
  const rates = [
    ...outcomes(100, 4),
    ...outcomes(110, 0, 3),
    ...outcomes(100, 0, 3),
    ...outcomes(80, 3),
    ...outcomes(60, 3),
  ];
  const still = capacityInterval(rates, 90, 100);
  const ordered = capacityInterval(
    rates.map((rate, position) => ({ ...rate, position })),
    90,
    100,
  );
  expect(ordered.ciLow).toBeLessThanOrEqual(still.ciLow ?? 0);
  expect(ordered.resolution).toBeGreaterThan(still.resolution ?? 0);
});
