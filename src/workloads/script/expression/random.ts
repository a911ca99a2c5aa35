import type { Prng } from "../../../foundation/prng.js";
import { Zipf } from "../../../foundation/zipf.js";

export interface Distribution {
  /** Check of the distribution's parameter, and the rule in words; undefined if the distribution has none. */
  readonly shape?: { readonly isValid: (shape: number) => boolean; readonly rule: string };
  /** Returns a function that draws whole numbers from 0 to width - 1. */
  of(width: number, shape: number): (prng: Prng) => number;
}

const isFiniteAbove = (least: number) => (shape: number) => shape > least && Number.isFinite(shape);

/** Draws uniformly from [0, 1), with 53 random bits. */
function unit(prng: Prng): number {
  return ((prng.uint32() >>> 5) * 0x400_0000 + (prng.uint32() >>> 6)) / 2 ** 53;
}

/** Index of the part of [0, 1) that contains `real`, if the interval is divided into `width` equal parts. */
const partOf = (width: number, real: number): number => Math.min(width - 1, Math.floor(width * real));

export const uniform: Distribution = {
  of: (width) => (prng) => Math.floor(width * unit(prng)),
};

/** Draws uniformly from [0, width), even if a double cannot represent `width` exactly. */
export function uniformBelow(width: bigint, prng: Prng): bigint {
  const spareBits = BigInt(64 - (width - 1n).toString(2).length);
  for (;;) {
    const candidate = ((BigInt(prng.uint32()) << 32n) | BigInt(prng.uint32())) >> spareBits;
    if (candidate < width) return candidate;
  }
}

/** Exponential distribution, cut off where the density has fallen to e^-shape of its largest value. */
export const exponential: Distribution = {
  shape: { isValid: isFiniteAbove(0), rule: "a parameter above 0" },
  of(width, shape) {
    const covered = Math.expm1(-shape);
    return (prng) => partOf(width, -Math.log1p(covered * unit(prng)) / shape);
  },
};

/** Normal distribution around the middle of the range. It is cut off `shape` standard deviations from the middle. */
export const gaussian: Distribution = {
  shape: {
    isValid: (shape) => shape >= 2 && Number.isFinite(shape),
    rule: "a parameter of at least 2",
  },
  of: (width, shape) => (prng) => {
    for (;;) {
      const radius = Math.sqrt(-2 * Math.log(1 - unit(prng)));
      const normal = radius * Math.sin(2 * Math.PI * unit(prng));
      if (normal >= -shape && normal < shape) return partOf(width, (normal + shape) / (2 * shape));
    }
  },
};

export const zipfian: Distribution = {
  shape: { isValid: (shape) => shape > 0 && shape <= 1000, rule: "an exponent above 0 and at most 1000" },
  of(width, shape) {
    const zipf = new Zipf(width, shape);
    return (prng) => zipf.draw(prng) - 1;
  },
};

/** The 64 characters of random texts, each for 6 bits. */
const LETTERS = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

export function text(length: number, prng: Prng): string {
  const bytes = Buffer.allocUnsafe(length);
  let bits = 0;
  for (let i = 0; i < length; i++) {
    bits = i % 5 === 0 ? prng.uint32() : bits >>> 6;
    bytes[i] = LETTERS[bits & 63] ?? 0;
  }
  return bytes.toString("latin1");
}
