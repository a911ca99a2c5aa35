// Denominators of evidence: a reading that compares two treatments must count the same things in both.
import { expect, it } from "vitest";
import { exampleOperation, exampleTrial } from "../../../test/support/example-result.js";
import { retriesReading } from "./why-readings.js";

const counts = { transactions: 50, failures: { "40001": 150 }, retries: 400, emptyPolls: 1000 };

it("retries are divided by all ended transactions, with failed ones and without empty polls", () => {
  const of = (more: object): number | undefined => {
    const trial = exampleTrial(0, 1, 10);
    trial.operations = { process: { ...exampleOperation(10), ...counts, ...more } };
    return retriesReading(trial, "process");
  };
  expect(of({})).toBe(2);
  expect(of({ transactions: 0 })).toBe(400 / 150);
  expect(of({ transactions: 0, failures: {} })).toBeUndefined();
});
