import { describe, expect, it } from "vitest";
import { lockHoldMs } from "./figures.js";
import { thresholdMetric, valueOf } from "./metric-lists.js";

const part = (name: string, meanMs: number) => ({ name, meanMs, calls: 1, slowMeanMs: 2 * meanMs });
const PARTS = [
  ...[part("poolWait", 100), part("begin", 1), part("process.claim", 2), part("process.advance", 4)],
  ...[part("appDelay", 8), part("process.payload", 16), part("commit", 32)],
  ...[part("rollback", 200), part("release", 400), part("backoff", 800), part("program", 64)],
];

describe("lockHoldMs", () => {
  it("is the time from the claim's answer to the commit's answer, without the parts of failed attempts", () => {
    expect(lockHoldMs({ parts: PARTS })).toBe(4 + 8 + 16 + 32 + 64);
  });

  it("counts statements that a pipeline sends in one message after the claim", () => {
    const parts = [part("pipeline to archive.claim", 5), part("pipeline to commit", 7), part("program", 1)];
    expect(lockHoldMs({ parts })).toBe(8);
  });

  it("is undefined for operations without a claim, or without parts", () => {
    expect(
      lockHoldMs({ parts: [part("begin", 1), part("add.events", 2), part("commit", 3)] }),
    ).toBeUndefined();
    expect(lockHoldMs({})).toBeUndefined();
  });

  it("is a metric of thresholds", () => {
    const metric = thresholdMetric("lockHold");
    expect(metric && valueOf(metric, { parts: PARTS })).toBe(124);
  });
});
