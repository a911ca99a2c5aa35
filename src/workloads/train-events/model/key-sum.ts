// A checksum of a set of keys in any order, in plain arithmetic, the same in every database. No fence against forgery.
import { int32At } from "../../../foundation/bytes.js";
import { hexAt, KEY_BYTES } from "../../event-id.js";

/**
 * Factors of the hash: odd, and below 2^29, so that the sum of four products with 32-bit words fits a signed 64-bit integer
 * of SQL.
 */
export const KEY_FACTORS = {
  u: [0x1e3779b1, 0x05ebca6b, 0x02b2ae35, 0x07d4eb2f],
  v: [0x165667b1, 0x119de1f3, 0x045d9f3b, 0x1c2f0d2b],
  mix: 0x2c1b3c6d,
} as const;

const [A0, A1, A2, A3] = KEY_FACTORS.u;
const [B0, B1, B2, B3] = KEY_FACTORS.v;

function mixBits(x: number): number {
  const y = Math.imul(x ^ (x >>> 16), KEY_FACTORS.mix);
  return y ^ (y >>> 15);
}

/**
 * Checksum of a set of keys: their number, and the sums of h(u) and h(v) over all keys, mod 2^32. With the words w0 .. w3
 * of a key, u is w0 A0 + w1 A1 + w2 A2 + w3 A3, v likewise with B, and h is `mixBits`.
 */
export class KeySum {
  count = 0;
  u = 0;
  v = 0;

  add(id: string): void {
    const w1 = (hexAt(id, 9, 13) << 16) | hexAt(id, 14, 18);
    const w2 = (hexAt(id, 19, 23) << 16) | hexAt(id, 24, 28);
    this.addWords(hexAt(id, 0, 8), w1, w2, hexAt(id, 28, 36));
  }

  private addWords(w0: number, w1: number, w2: number, w3: number): void {
    const u = Math.imul(w0, A0) + Math.imul(w1, A1) + Math.imul(w2, A2) + Math.imul(w3, A3);
    const v = Math.imul(w0, B0) + Math.imul(w1, B1) + Math.imul(w2, B2) + Math.imul(w3, B3);
    this.count++;
    this.u = (this.u + mixBits(u | 0)) >>> 0;
    this.v = (this.v + mixBits(v | 0)) >>> 0;
  }

  /** Adds keys given as bytes, `KEY_BYTES` each. */
  addKeys(keys: Buffer): this {
    for (let at = 0; at < keys.length; at += KEY_BYTES)
      this.addWords(int32At(keys, at), int32At(keys, at + 4), int32At(keys, at + 8), int32At(keys, at + 12));
    return this;
  }

  addAll(ids: readonly string[]): this {
    for (const id of ids) this.add(id);
    return this;
  }

  /** Adds the sum of another set, which must have no key in common with this one. */
  join(other: Readonly<Pick<KeySum, "count" | "u" | "v">>): this {
    this.count += other.count;
    this.u = (this.u + other.u) >>> 0;
    this.v = (this.v + other.v) >>> 0;
    return this;
  }

  equals(other: Readonly<Pick<KeySum, "count" | "u" | "v">>): boolean {
    return this.count === other.count && this.u === other.u && this.v === other.v;
  }
}
