// The only source of randomness: sfc32 (Chris Doty-Humphrey, PractRand) and a hash that derives independent streams from the
// scenario's seed and labels. Secrets come from the operating system instead.
import { randomBytes } from "node:crypto";

/** Mixes a string or number into a 32-bit state (FNV-1a with murmur3's finaliser). */
function mixIntoState(state: number, part: string | number): number {
  let h = state | 0;
  if (typeof part === "number") {
    h = Math.imul(h ^ (part | 0), 0x01000193);
    h = Math.imul(h ^ Math.floor(part / 0x1_0000_0000), 0x01000193);
  } else {
    for (let i = 0; i < part.length; i++) h = Math.imul(h ^ part.charCodeAt(i), 0x01000193);
    h = Math.imul(h ^ 0xff, 0x01000193);
  }
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Derives a 32-bit seed from labels. Different labels give independent seeds. */
export function deriveSeed(...parts: (string | number)[]): number {
  return parts.reduce<number>((state, part) => mixIntoState(state, part), 0x811c9dc5);
}

export class Prng {
  private a = 0;
  private b = 0;
  private c = 0;
  private counter = 1;

  constructor(seed: number) {
    this.reseed(seed);
  }

  /** Restarts the stream with `seed`; `high` adds 32 more bits of seed. Allocates nothing. */
  reseed(seed: number, high = 0): void {
    this.a = seed | 0;
    this.b = high | 0;
    this.c = 0x9e3779b9 | 0;
    this.counter = 1;
    for (let i = 0; i < 12; i++) this.uint32();
  }

  /** Uniform integer over 0 .. 2^32-1. */
  uint32(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (this.c << 21) | (this.c >>> 11);
    this.c = (this.c + sum) | 0;
    return sum >>> 0;
  }

  float(): number {
    return this.uint32() / 0x1_0000_0000;
  }

  /** Uniform integer over min .. max, both included. */
  intBetween(min: number, max: number): number {
    return min + Math.floor(this.float() * (max - min + 1));
  }

  /** Shuffles in place (Fisher-Yates) and returns the same array. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.intBetween(0, i);
      [items[i], items[j]] = [items[j] as T, items[i] as T];
    }
    return items;
  }
}

const HEX_BY_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const hex4 = (bits: number): string =>
  `${HEX_BY_BYTE[(bits >>> 8) & 255] ?? ""}${HEX_BY_BYTE[bits & 255] ?? ""}`;
const hex8 = (bits: number): string => hex4(bits >>> 16) + hex4(bits);

export function drawUuid(prng: Prng): string {
  const [first, second, third, fourth] = [prng.uint32(), prng.uint32(), prng.uint32(), prng.uint32()];
  const version = hex4((second & 0x0fff) | 0x4000);
  const variant = hex4(((third >>> 16) & 0x0fff) | 0x8000 | ((prng.uint32() & 3) << 12));
  return `${hex8(first)}-${hex4(second >>> 16)}-${version}-${variant}-${hex4(third)}${hex8(fourth)}`;
}

/** A secret from the operating system, in hexadecimal, for generated passwords. Never used by a workload. */
export function generateSecret(bytes = 18): string {
  return randomBytes(bytes).toString("hex");
}

/** A seed for scenarios without `seed`. It is printed and stored, so that the run can be repeated. */
export function freshSeed(): number {
  return randomBytes(4).readUInt32BE(0);
}
