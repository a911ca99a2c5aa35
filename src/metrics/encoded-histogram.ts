// HdrHistogram's encoding (V2, zlib, base64). Reading adds straight into a histogram: 20 us, while the library takes 150
// us. It refuses other shapes and allocates no more than such a histogram takes.
import { inflateSync } from "node:zlib";
import hdr from "hdr-histogram-js";
import { createHistogram, type Histogram } from "./histograms.js";

/** Cookies of the V2 encoding; the low nibble of the second byte is the encoding of counts. */
const COMPRESSED_COOKIE = 0x1c849314;
const PLAIN_COOKIE = 0x1c849313;
const COMPRESSED_HEADER_BYTES = 8;
/** Cookie, payload length, offset (the library writes 1 and never reads it), digits, lowest and highest value, ratio. */
const PLAIN_HEADER_BYTES = 40;
const HISTOGRAM_DIGITS = 3;
/** Maximum size in bytes of a decoded histogram, well above the size of a histogram with all buckets. */
const DECODED_BYTES_MAX = 512 * 1024;
/** Largest total count of a histogram, whose counts are kept in 32 bits. */
const TOTAL_COUNT_MAX = 2 ** 32 - 1;

export function encodeHistogram(histogram: Histogram): string {
  return hdr.encodeIntoCompressedBase64(histogram);
}

/** Adds an encoded histogram. Throws, before it adds, if the text is invalid, too large, or does not hold `samples`. */
export function addEncodedHistogram(into: Histogram, encoded: string, samples?: number): void {
  const buckets = bucketsOf(inflatedBytes(encoded), into);
  let held = 0;
  for (let i = 1; i < buckets.length; i += 2) held += buckets[i] as number;
  if (samples !== undefined && held !== samples)
    throw new Error(`the histogram holds ${held} samples of ${samples}`);
  if (into.totalCount + held > TOTAL_COUNT_MAX)
    throw new Error("the histogram holds more samples than can be counted");
  for (let i = 0; i < buckets.length; i += 2)
    into.recordValueWithCount(buckets[i] as number, buckets[i + 1] as number);
}

export function decodeHistogram(encoded: string): Histogram {
  const histogram = createHistogram();
  addEncodedHistogram(histogram, encoded);
  return histogram;
}

function inflatedBytes(encoded: string): Buffer {
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length < COMPRESSED_HEADER_BYTES || bytes.readUInt32BE(0) !== COMPRESSED_COOKIE)
    throw new Error("it is no HdrHistogram of the V2 encoding");
  const length = bytes.readUInt32BE(4);
  const body = bytes.subarray(COMPRESSED_HEADER_BYTES, COMPRESSED_HEADER_BYTES + length);
  const plain = inflateSync(body, { maxOutputLength: DECODED_BYTES_MAX });
  const isOurs =
    plain.length >= PLAIN_HEADER_BYTES &&
    plain.readUInt32BE(0) === PLAIN_COOKIE &&
    plain.readUInt32BE(12) === HISTOGRAM_DIGITS &&
    plain.readBigUInt64BE(16) === 1n;
  if (!isOurs) throw new Error("the histogram has another shape");
  const end = PLAIN_HEADER_BYTES + plain.readUInt32BE(4);
  if (end > plain.length) throw new Error("the histogram is cut short");
  return plain.subarray(PLAIN_HEADER_BYTES, end);
}

/**
 * Pairs of value and count. In the payload a positive number is a count, a negative number stands for that many empty
 * buckets.
 */
function bucketsOf(payload: Buffer, { highestTrackableValue }: Histogram): number[] {
  const buckets: number[] = [];
  let index = 0;
  for (let at = 0; at < payload.length;) {
    let number = 0;
    let scale = 1;
    let byte: number;
    do {
      byte = payload[at++] ?? 0;
      number += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80 && scale < 2 ** 49);
    const isEmptyRun = number % 2 === 1;
    const count = isEmptyRun ? (number + 1) / 2 : number / 2;
    if (isEmptyRun || count === 0) {
      index += isEmptyRun ? count : 1;
      continue;
    }
    const value = bucketValueAt(index++);
    if (value > highestTrackableValue) throw new Error("the histogram holds a value out of range");
    buckets.push(value, count);
  }
  return buckets;
}

/** The value of a bucket. With 3 digits a bucket has 2048 steps; the upper 1024 continue the bucket before. */
function bucketValueAt(index: number): number {
  const bucket = Math.max(0, Math.floor(index / 1024) - 1);
  return (index - bucket * 1024) * 2 ** bucket;
}
