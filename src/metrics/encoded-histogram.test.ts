// A decoded histogram equals the encoded one, bucket by bucket, as read by this program and by the library; damage is
// refused and never half added.
import fc from "fast-check";
import hdr from "hdr-histogram-js";
import { deflateSync, inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { addEncodedHistogram, encodeHistogram } from "./encoded-histogram.js";
import { createHistogram, HIGHEST_TRACKABLE_US, summaryMs, type Histogram } from "./histograms.js";

function histogramOf(samplesUs: readonly number[]): Histogram {
  const histogram = createHistogram();
  for (const us of samplesUs) histogram.recordValue(us);
  return histogram;
}

const samples = fc.array(
  fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: HIGHEST_TRACKABLE_US })),
  { maxLength: 200 },
);

describe("an encoded histogram", () => {
  it("adds up to the histogram of all samples", () => {
    fc.assert(
      fc.property(fc.array(samples, { maxLength: 4 }), (parts) => {
        const sum = createHistogram();
        for (const part of parts) addEncodedHistogram(sum, encodeHistogram(histogramOf(part)), part.length);
        const union = histogramOf(parts.flat());
        expect(encodeHistogram(sum)).toBe(encodeHistogram(union));
        expect(summaryMs(sum)).toEqual(summaryMs(union));
      }),
      { numRuns: 60 },
    );
  });

  it("equals the histogram that the library decodes", () => {
    const histogram = histogramOf([0, 1, 2047, 2048, 4096, 1_234_567, HIGHEST_TRACKABLE_US]);
    const decoded = hdr.decodeFromCompressedBase64(encodeHistogram(histogram));
    const read = createHistogram();
    addEncodedHistogram(read, encodeHistogram(histogram), 7);
    for (const p of [1, 20, 40, 60, 80, 90, 100])
      expect(read.getValueAtPercentile(p)).toBe(decoded.getValueAtPercentile(p));
  });

  it("is refused if it is damaged, without adding any of its counts", () => {
    const good = encodeHistogram(histogramOf([10, 20, 30_000]));
    const bytes = Buffer.from(good, "base64");
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        const sum = createHistogram();
        let isRefused = false;
        try {
          addEncodedHistogram(sum, damaged.toString("base64"), 3);
        } catch {
          isRefused = true;
        }
        expect(sum.totalCount).toBe(isRefused ? 0 : 3);
      }),
    );
    for (const bad of ["", "AAAA", good.slice(0, 20)])
      expect(() => addEncodedHistogram(createHistogram(), bad, 0)).toThrow();
    expect(() => addEncodedHistogram(createHistogram(), good, 4)).toThrow("holds 3 samples of 4");
  });

  it("is refused if its shape, range or unpacked size differs from a histogram's", () => {
    const other = hdr.build({ numberOfSignificantValueDigits: 2 });
    other.recordValue(5);
    expect(() => addEncodedHistogram(createHistogram(), hdr.encodeIntoCompressedBase64(other), 1)).toThrow(
      "shape",
    );
    const wider = hdr.build({ highestTrackableValue: 2 ** 50, numberOfSignificantValueDigits: 3 });
    wider.recordValue(2 ** 49);
    expect(() => addEncodedHistogram(createHistogram(), hdr.encodeIntoCompressedBase64(wider), 1)).toThrow(
      "range",
    );
    const good = Buffer.from(encodeHistogram(histogramOf([1])), "base64");
    const plain = inflateSync(good.subarray(8));
    const bomb = deflateSync(Buffer.concat([plain, Buffer.alloc(1 << 20)]));
    const head = Buffer.from(good.subarray(0, 8));
    head.writeUInt32BE(bomb.length, 4);
    expect(() =>
      addEncodedHistogram(createHistogram(), Buffer.concat([head, bomb]).toString("base64"), 1),
    ).toThrow("larger");
  });
});
