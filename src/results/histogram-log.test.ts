import hdr from "hdr-histogram-js";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHistogram, percentileMs, summaryMs } from "../metrics/histograms.js";
import {
  histogramLogHeader,
  histogramLogLine,
  mergedHistogramLog,
  parseHistogramLogLine,
} from "./histogram-log.js";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-hlog-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function histogramOf(...values: number[]) {
  const histogram = createHistogram();
  for (const value of values) histogram.recordValue(value);
  return histogram;
}

const STARTED_AT_MS = Date.UTC(2026, 0, 31, 12);

async function failureOf(text: string): Promise<string> {
  const path = join(directory, "x.hlog");
  writeFileSync(path, text);
  return mergedHistogramLog(path).then(
    () => "read",
    (error: unknown) => (error as Error).message,
  );
}

/** A line with the given fields and histogram, which may be invalid. */
function craftedLine(
  payload: Buffer,
  { payloadBytes = payload.length, highest = 6e11, digits = 3 } = {},
): string {
  const head = Buffer.alloc(40);
  head.writeUInt32BE(0x1c849313, 0);
  head.writeUInt32BE(payloadBytes, 4);
  head.writeUInt32BE(digits, 12);
  head.writeBigUInt64BE(1n, 16);
  head.writeBigUInt64BE(BigInt(highest), 24);
  const body = deflateSync(Buffer.concat([head, payload]));
  const cookie = Buffer.alloc(8);
  cookie.writeUInt32BE(0x1c849314, 0);
  cookie.writeUInt32BE(body.length, 4);
  const encoded = Buffer.concat([cookie, body]).toString("base64");
  return `Tag=add.response,0.000,1.000,1.000,${encoded}\n`;
}

describe("a histogram log", () => {
  it("accepts a hyphen in the name of an operation", () => {
    const line = histogramLogLine(0, "tpcb-like.response", histogramOf(5));
    expect(parseHistogramLogLine(line.trimEnd())?.tag).toBe("tpcb-like.response");
  });

  it("is read by hdr-histogram-js with equal tags, start times and values", () => {
    const values = Array.from({ length: 5000 }, (_, i) => i * i);
    const log =
      histogramLogHeader(STARTED_AT_MS) +
      histogramLogLine(0, "add.response", histogramOf(...values)) +
      histogramLogLine(7, "lifecycle.completed", histogramOf(3, 4));
    expect(hdr.listTags(log)).toEqual(["add.response", "lifecycle.completed"]);
    const reader = new hdr.HistogramLogReader(log);
    const first = reader.nextIntervalHistogram();
    const second = reader.nextIntervalHistogram();
    expect(first?.tag).toBe("add.response");
    expect(first?.startTimeStampMsec).toBe(STARTED_AT_MS);
    expect(first?.endTimeStampMsec).toBe(STARTED_AT_MS + 1000);
    expect(first?.totalCount).toBe(5000);
    for (const percentile of [1, 50, 90, 99, 99.9, 100])
      expect(first?.getValueAtPercentile(percentile)).toBe(
        histogramOf(...values).getValueAtPercentile(percentile),
      );
    expect(second?.tag).toBe("lifecycle.completed");
    expect(second?.startTimeStampMsec).toBe(STARTED_AT_MS + 7000);
    expect(reader.nextIntervalHistogram()).toBeNull();
  });

  it("reads back as one histogram of all its seconds", async () => {
    const path = join(directory, "h.hlog");
    const lines = [0, 1, 2].map((second) =>
      histogramLogLine(second, "process.service", histogramOf(second * 1000, 86_400_000_000)),
    );
    writeFileSync(path, histogramLogHeader(STARTED_AT_MS) + lines.join(""));
    const merged = (await mergedHistogramLog(path)).get("process.service");
    const union = histogramOf(0, 1000, 2000, 86_400_000_000, 86_400_000_000, 86_400_000_000);
    expect(merged?.totalCount).toBe(6);
    expect(summaryMs(merged)).toEqual(summaryMs(union));
    expect(percentileMs(union, 0)).toBe(0);
  });

  it("skips comments, legend and blank lines", () => {
    for (const line of ["", "#[anything]", '"StartTimestamp","x"'])
      expect(parseHistogramLogLine(line)).toBeUndefined();
  });

  it("refuses oversized or overflowing histograms", async () => {
    const one = Buffer.from([2]);
    expect(await failureOf(craftedLine(one))).toBe("read");
    expect(await failureOf(craftedLine(one, { payloadBytes: 0xffffffff }))).toMatch(/line 1: .*cut short/);
    expect(await failureOf(craftedLine(Buffer.alloc(100_000_000)))).toMatch(/line 1/);
    expect(await failureOf(craftedLine(one, { digits: 5, highest: 2 ** 52 }))).toMatch(/another shape/);
    const zeros = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 2]);
    expect(await failureOf(craftedLine(zeros))).toMatch(/out of range/);
    const most = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x1f]);
    expect(await failureOf(craftedLine(most))).toBe("read");
    expect(await failureOf(craftedLine(Buffer.concat([most, one])))).toMatch(/more samples/);
    expect(await failureOf(craftedLine(most) + craftedLine(one))).toMatch(/line 2: .*more than 4294967295/);
  });

  it("refuses a damaged line with file, line number and reason", async () => {
    const good = histogramLogLine(0, "add.response", histogramOf(1, 2, 3));
    expect(await failureOf(good + good.slice(0, -20))).toMatch(/x\.hlog, line 2: cannot read/);
    expect(await failureOf(`${good}junk\n`)).toMatch(/line 2: .*not a tagged histogram/);
    expect(await failureOf(good.replace("add.response", "add.latency"))).toMatch(
      /line 1: .*tag add\.latency is unknown/,
    );
    expect(await failureOf(good + "x".repeat(2_000_000))).toMatch(/too long/);
    await expect(mergedHistogramLog(join(directory, "none.hlog"))).rejects.toThrow(/none\.hlog/);
  });
});
