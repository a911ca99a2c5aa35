import { expect, test } from "vitest";
import type { FaultRecord } from "../../results/result-schema.js";
import { exampleResult } from "../../../test/support/example-result.js";
import { renderSummary } from "../terminal/summary.js";
import { faultText } from "./fault-text.js";

const KILL: FaultRecord = {
  trial: 2,
  treatment: "text",
  kind: "postgres-kill",
  atSeconds: 10,
  forSeconds: 2,
  injectedAtSeconds: 10.02,
  clearedAtSeconds: 12.11,
  recoverySeconds: 3.4,
  words: "killed",
  errors: { "08006": 12, "57P01": 400 },
};

test("a fault's text has errors by frequency and the recovery time", () => {
  expect(faultText(KILL)).toBe(
    "fault postgres-kill at 10.0 s for 2.1 s: 412 failed attempts (57P01 400, 08006 12), throughput back to 90 % after 3.4 s",
  );
});

test("a fault's text states that the fault was never cleared and why recovery is not assessed", () => {
  const recoveryReason = "it was never cleared";
  expect(
    faultText({ ...KILL, clearedAtSeconds: null, recoverySeconds: null, recoveryReason, errors: {} }),
  ).toBe(
    "fault postgres-kill at 10.0 s, never cleared: no failed attempts, recovery not assessed: it was never cleared",
  );
  expect(faultText({ ...KILL, errors: { "40001": 1 } })).toContain("1 failed attempt (40001 1)");
});

test("a fault's text states each queue's growth, or why its recovery is not assessed", () => {
  const text = (backlog: FaultRecord["backlog"]): string => faultText({ ...KILL, backlog });
  expect(
    text({
      pending: { before: 12, most: 810, recoverySeconds: 4.89 },
      complete: { before: 40, most: 31, recoverySeconds: 0 },
    }),
  ).toMatch(
    /after 3\.4 s; backlog: pending back to 12 after 4\.9 s \(at most 810\), complete never above 40$/,
  );
  const recoveryReason = "the window ended";
  const notBack = { before: 12, most: 810, recoverySeconds: null, recoveryReason };
  expect(text({ pending: notBack, complete: { recoverySeconds: null, recoveryReason } })).toMatch(
    /pending not back to 12 \(at most 810\): the window ended, complete not assessed: the window ended$/,
  );
  const unknown = { recoverySeconds: null, recoveryReason };
  expect(text({ pending: unknown, complete: unknown })).toMatch(
    /backlog: pending and complete not assessed: the window ended$/,
  );
});

test("the summary lists faults with their trials, and has no heading without faults", () => {
  const result = exampleResult(2);
  const directory = "results/x";
  expect(renderSummary(result, { directory })).not.toContain("\nFaults\n");
  expect(renderSummary({ ...result, faults: [KILL] }, { directory })).toMatch(
    /\nFaults\ntrial 2 \(text\): fault postgres-kill at 10\.0 s[^]*\n\n/,
  );
});
