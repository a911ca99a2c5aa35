import { describe, expect, it } from "vitest";
import type { LatencyPart, TrialResult } from "../../results/result-schema.js";
import {
  becauseOf,
  COMPLETED,
  PROCESS_MEAN,
  PROCESS_RATE,
  type Compared,
} from "../../../test/support/moving-evidence.js";

type Times = Readonly<Record<string, number>>;

/** Sentence about trials whose processing takes those parts in text and in jsonb, slightly more in each block. */
function explanation(jsonb: Times, text: Times, compared: Compared = PROCESS_MEAN, slow = 0, isWorse = true) {
  const put = ({ operations }: TrialResult, isText: boolean, block: number): void => {
    if (!operations.process) throw new Error("the example processes");
    operations.process.parts = Object.entries(isText ? text : jsonb).map(([name, ms]): LatencyPart => {
      const meanMs = ms * (1 + block / 100);
      return { name, meanMs, calls: 1, ...(slow > 0 && { slowMeanMs: meanMs * slow }) };
    });
  };
  return becauseOf(compared, put, { isWorse });
}

describe("the parts of time in a difference", () => {
  const base = { poolWait: 1, "process.claim": 4, commit: 2 };

  it("are listed with the largest first", () => {
    expect(explanation(base, { poolWait: 1, "process.claim": 7, commit: 10 })).toEqual([
      "a mean process transaction takes 11.2 ms more: commit +8.16 ms and process.claim +3.06 ms",
    ]);
  });

  it("are listed for a faster treatment, and for throughput", () => {
    const faster = "a mean process transaction takes 3.06 ms less: process.claim -3.06 ms";
    expect(explanation(base, { ...base, "process.claim": 1 }, PROCESS_MEAN, 0, false)).toEqual([faster]);
    expect(explanation(base, { ...base, "process.claim": 1 }, PROCESS_RATE, 0, false)).toEqual([faster]);
  });

  it("name the sum of other parts if these make up more than a tenth", () => {
    const small = (ms: number) => ({ begin: ms, "process.advance": ms, program: ms });
    expect(explanation({ ...base, ...small(1) }, { ...base, commit: 7, ...small(1.4) })).toEqual([
      "a mean process transaction takes 6.32 ms more: commit +5.1 ms; other parts +1.22 ms",
    ]);
    expect(explanation({ ...base, begin: 0.1 }, { ...base, commit: 7, begin: 0.6, program: 0.3 })).toEqual([
      "a mean process transaction takes 5.92 ms more: commit +5.1 ms; other parts +0.816 ms, mostly begin",
    ]);
  });

  it("include an opposing part if the sum would mislead without this part", () => {
    expect(explanation({ ...base, poolWait: 5 }, { poolWait: 1, "process.claim": 4, commit: 12 })).toEqual([
      "a mean process transaction takes 6.12 ms more: commit +10.2 ms, against poolWait -4.08 ms",
    ]);
  });

  it("count a part that a treatment lacks as 0", () => {
    expect(explanation(base, { ...base, backoff: 5 })).toEqual([
      "a mean process transaction takes 5.1 ms more: backoff +5.1 ms",
    ]);
  });

  it("come from the slowest transactions for a tail metric, or from all if these were not kept", () => {
    const p99 = { operation: "process", metric: "p99" } as const;
    const longer = { ...base, commit: 7 };
    expect(explanation(base, longer, p99, 10)).toEqual([
      "the slowest process transactions of each second take 51 ms more: commit +51 ms",
    ]);
    expect(explanation(base, longer, p99)).toEqual([
      "a mean process transaction takes 5.1 ms more: commit +5.1 ms",
    ]);
  });

  it("are not stated if the time moved in the other direction, not at all or in another operation", () => {
    expect(explanation(base, { ...base, commit: 1 })).toEqual([]);
    expect(explanation(base, base)).toEqual([]);
    expect(explanation(base, { ...base, commit: 9 }, { operation: "add", metric: "mean" })).toEqual([]);
    expect(explanation(base, { ...base, commit: 9 }, COMPLETED)).toEqual([]);
  });

  it("are not stated if trials of one treatment differ as much among themselves", () => {
    const put = ({ operations }: TrialResult, isText: boolean, block: number): void => {
      const meanMs = isText !== (block === 3) ? 10 : 2;
      Object.assign(operations.process ?? {}, { parts: [{ name: "commit", meanMs, calls: 1 }] });
    };
    expect(becauseOf(PROCESS_MEAN, put)).toEqual([]);
  });
});
