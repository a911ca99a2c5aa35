// Keys of events, made by the client: version 7 (time-ordered) or 4 (random order), since index locality is a real choice.
// A key names its worker, batch and position: no two events of a trial share a key, and its origin can be read from the
// key.
import type { Prng } from "../foundation/prng.js";

export const ID_KINDS = ["uuidv7", "uuidv4"] as const;
export type IdKind = (typeof ID_KINDS)[number];

/** Worker number in the keys of events that the preload made. */
export const PRELOAD_WORKER = 255;
/** Largest number of workers of a trial, not counting `PRELOAD_WORKER`. */
export const MAX_TRIAL_WORKERS = 255;

/** Bytes of a key. */
export const KEY_BYTES = 16;

function write32(keys: Uint8Array, at: number, value: number): void {
  keys[at] = value >>> 24;
  keys[at + 1] = value >>> 16;
  keys[at + 2] = value >>> 8;
  keys[at + 3] = value;
}

/**
 * v7  tttttttt-tttt-7ppp-RRww-bbbbbbbbPPPP   t milliseconds, p/P position in the batch (low 12, high 16 bits)
 * v4  rrrrrrrr-rrrr-4ppp-RRww-bbbbbbbbPPPP   r random, w worker, b batch number, R variant and 6 random bits
 *
 * Makes the keys of one batch, `KEY_BYTES` each, in the order of positions; `nowMs` is wall-clock time and is used by
 * version 7 alone. With a `prng` in the same state the keys are the same.
 */
export function batchKeys(
  kind: IdKind,
  size: number,
  worker: number,
  batchNumber: number,
  nowMs: number,
  prng: Prng,
): Buffer {
  const variant = 0x80 | (prng.uint32() & 0x3f);
  const keys = Buffer.allocUnsafe(size * KEY_BYTES);
  const version = kind === "uuidv7" ? 0x70 : 0x40;
  for (let position = 0, at = 0; position < size; position++, at += KEY_BYTES) {
    const high = position >>> 12;
    if (kind === "uuidv7") {
      const time = nowMs + high;
      write32(keys, at, Math.floor(time / 0x1_0000));
      write32(keys, at + 2, time % 0x1_0000_0000);
    } else {
      write32(keys, at, prng.uint32());
      const rest = prng.uint32();
      keys[at + 4] = rest >>> 8;
      keys[at + 5] = rest;
    }
    keys[at + 6] = version | ((position >>> 8) & 0x0f);
    keys[at + 7] = position;
    keys[at + 8] = variant;
    keys[at + 9] = worker;
    write32(keys, at + 10, batchNumber);
    keys[at + 14] = high >>> 8;
    keys[at + 15] = high;
  }
  return keys;
}

/** Keys as text, 8-4-4-4-12 hexadecimal digits each. */
export function idsOf(keys: Buffer): string[] {
  const hex = keys.toString("hex");
  return Array.from({ length: keys.length / KEY_BYTES }, (_, i) => {
    const at = i * 2 * KEY_BYTES;
    const part = (from: number, to: number): string => hex.slice(at + from, at + to);
    return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
  });
}

/** Keys from their texts. */
export function keyBytes(ids: readonly string[]): Buffer {
  return Buffer.from(ids.join("").replaceAll("-", ""), "hex");
}

const HEX_DIGIT_VALUES = new Uint8Array(128);
for (let value = 0; value < 16; value++) {
  HEX_DIGIT_VALUES[value.toString(16).charCodeAt(0)] = value;
  HEX_DIGIT_VALUES[value.toString(16).toUpperCase().charCodeAt(0)] = value;
}

export function hexAt(id: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = (value << 4) | (HEX_DIGIT_VALUES[id.charCodeAt(i)] as number);
  return value >>> 0;
}

/** Number of the worker that made the event, from its key; `PRELOAD_WORKER` for a preloaded event. */
export function workerOf(id: string): number {
  return hexAt(id, 21, 23);
}

/** Number of the event's batch, which its worker counts from 0. */
export function batchNumberOf(id: string): number {
  return hexAt(id, 24, 32);
}

/** The event's place in its batch, from 0. */
export function positionOf(id: string): number {
  return (hexAt(id, 32, 36) << 12) | hexAt(id, 15, 18);
}
