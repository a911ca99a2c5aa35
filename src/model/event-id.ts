// Keys of events, made by the client: UUID version 7 (time-ordered, RFC 9562) or version 4 (random order), since
// index locality is a real choice. Both carry, in their low bits, which producer worker made the event, in which of its
// batches and where in it. So a consumer in another thread finds the moment of publishing without a look-up by id, the
// audit finds the document that the event must hold, and two events of one trial can never share a key.
//
//   v7  tttttttt-tttt-7ppp-RRww-bbbbbbbbPPPP      t milliseconds, p/P position in the batch (low 12, high 16 bits)
//   v4  rrrrrrrr-rrrr-4ppp-RRww-bbbbbbbbPPPP      r random, w worker, b batch number, R variant and 6 random bits
import type { Prng } from "../foundation/prng.js";

export const ID_KINDS = ["uuidv7", "uuidv4"] as const;
export type IdKind = (typeof ID_KINDS)[number];

/** The worker number of events that were there before the trial (`preload`). */
export const PRELOAD_WORKER = 255;
/** Workers a trial can number, `PRELOAD_WORKER` excluded. */
export const MAX_WORKER_ORDINALS = 255;

const HEX2 = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

function hex32(value: number): string {
  return (
    (HEX2[value >>> 24] as string) +
    (HEX2[(value >>> 16) & 255] as string) +
    (HEX2[(value >>> 8) & 255] as string) +
    (HEX2[value & 255] as string)
  );
}

/**
 * Makes the keys of one batch; `nowMs` is wall-clock time and is used by version 7 alone. With a `prng` in the same
 * state the keys are the same.
 */
export function batchIds(
  kind: IdKind,
  size: number,
  worker: number,
  batchNumber: number,
  nowMs: number,
  prng: Prng,
): string[] {
  const tail = `${HEX2[0x80 | (prng.uint32() & 0x3f)] as string}${HEX2[worker & 255] as string}-${hex32(batchNumber >>> 0)}`;
  const ids = new Array<string>(size);
  for (let position = 0; position < size; position++) {
    const high = position >>> 12;
    const place = `${hex(position & 0xfff, 3)}-${tail}${hex(high & 0xffff, 4)}`;
    if (kind === "uuidv7") {
      const time = hex(nowMs + high, 12);
      ids[position] = `${time.slice(0, 8)}-${time.slice(8)}-7${place}`;
    } else {
      ids[position] = `${hex32(prng.uint32())}-${hex32(prng.uint32()).slice(4)}-4${place}`;
    }
  }
  return ids;
}

/** Number of the producer worker that made the event (`PRELOAD_WORKER` for preloaded ones). */
export function workerOf(id: string): number {
  return Number.parseInt(id.slice(21, 23), 16);
}

/** The batch, counted by that worker from 0, that the event was published in. */
export function batchNumberOf(id: string): number {
  return Number.parseInt(id.slice(24, 32), 16);
}

/** The event's place in its batch, from 0. */
export function positionOf(id: string): number {
  return (Number.parseInt(id.slice(32, 36), 16) << 12) | Number.parseInt(id.slice(15, 18), 16);
}
