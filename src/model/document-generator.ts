// Makes event documents from a seed, deterministically: the same seed, actor and index give the same document,
// whatever the timing and whichever thread asks. It writes the JSON text straight from fragments (no object, no
// JSON.stringify), because the generator shares the machine with the database it measures: see bench/documents.ts.
import { deriveSeed, Prng } from "../foundation/prng.js";
import { EVENT_TYPES, type EventType } from "./event.js";

export const DEFAULT_DOCUMENT_BYTES = 900;
/** Documents cannot be made smaller than their fields, nor larger than this (bytes). */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** A serialised document and the values that the flat columns take from it. */
export interface GeneratedDocument {
  readonly json: string;
  readonly eventType: EventType;
  readonly authorityId: string;
  readonly trainId: string;
}

const EPOCH_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const HEX4 = Array.from({ length: 65536 }, (_, i) => i.toString(16).padStart(4, "0"));
const DIGITS2 = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, "0"));
const DIRECTIONS = ["EAST", "WEST"] as const;
const POSITIONS = ["NORMAL", "REVERSE"] as const;
const SOURCES = ["CTC-NORTH", "CTC-SOUTH", "PTC-BOS", "DISPATCH-9", "WAYSIDE-4"] as const;
const BOOLEANS = ["false", "true"] as const;
const WORDS =
  "hold proceed restricted milepost siding crew foreman flag relay cleared advised confirmed".split(" ");

function pick<T>(items: readonly T[], bits: number): T {
  return items[bits % items.length] as T;
}

function uuid(prng: Prng): string {
  const a = prng.uint32();
  const b = prng.uint32();
  const c = prng.uint32();
  const d = prng.uint32();
  const h = HEX4 as readonly string[];
  return `${h[a >>> 16] as string}${h[a & 65535] as string}-${h[b >>> 16] as string}-${h[0x4000 | (b & 0x0fff)] as string}-${h[0x8000 | (c & 0x3fff)] as string}-${h[c >>> 16] as string}${h[d >>> 16] as string}${h[d & 65535] as string}`;
}

function segment(prng: Prng): string {
  const a = prng.uint32();
  const b = prng.uint32();
  const line = DIGITS2[a % 100] as string;
  return `{"id":"S${line}-${HEX4[b & 65535] as string}","direction":"${DIRECTIONS[(a >>> 8) & 1] as string}","trackSections":["${line}-${HEX4[(a >>> 9) & 65535] as string}","${line}-${HEX4[b >>> 16] as string}","${line}-${HEX4[(b >>> 5) & 65535] as string}"]}`;
}

function remarks(prng: Prng, length: number): string {
  let text = "";
  while (text.length < length) {
    const bits = prng.uint32();
    text += `${pick(WORDS, bits & 255)} ${HEX4[bits >>> 16] as string} `;
  }
  return text.slice(0, length);
}

/** One stream of documents: those of one actor under one seed. */
export class DocumentGenerator {
  private readonly prng = new Prng(0);
  private readonly actorSeed: number;

  /**
   * @param seed the trial's seed
   * @param actor a name that no other actor of the trial has, as `producer/3`
   * @param bytes length of each document in bytes; shorter than its fields means no padding
   */
  constructor(
    seed: number,
    actor: string,
    private readonly bytes: number = DEFAULT_DOCUMENT_BYTES,
  ) {
    this.actorSeed = deriveSeed(seed, "document", actor);
  }

  /** The document of this actor with that index (whole, from 0); calls may come in any order. */
  at(index: number): GeneratedDocument {
    const prng = this.prng;
    prng.reseed(this.actorSeed, index);
    const bits = prng.uint32();
    const eventType = pick(EVENT_TYPES, bits & 0xffff);
    const authorityId = uuid(prng);
    const createdMs = EPOCH_MS + ((index * 97) % (300 * DAY_MS)) + ((bits >>> 16) % 97);
    const createdAt = new Date(createdMs).toISOString();
    const n = prng.uint32();
    const trainId = `RR-${DIGITS2[n % 100] as string}-${10_000 + ((n >>> 8) % 90_000)}-${createdAt.slice(0, 4)}${createdAt.slice(5, 7)}${createdAt.slice(8, 10)}`;
    const m = prng.uint32();
    const k = prng.uint32();
    // As a number, so that its text has no trailing zero: then reading and writing the document leaves it as it is.
    const confidence = Number(`0.${1 + (k % 999)}`);
    const head = `{"eventType":"${eventType}","authorityId":"${authorityId}","deviceKey":"${uuid(prng)}","state":"NEW","createdAt":"${createdAt}","route":{"segments":[${segment(prng)},${segment(prng)},${segment(prng)}],"switches":[{"id":"SW-${HEX4[m & 65535] as string}","position":"${POSITIONS[(m >>> 16) & 1] as string}"},{"id":"SW-${HEX4[k & 65535] as string}","position":"${POSITIONS[(m >>> 17) & 1] as string}"}],"attributes":{"ALLOW_PASS":${BOOLEANS[(m >>> 18) & 1] as string},"REQUIRES_ACK":${BOOLEANS[(m >>> 19) & 1] as string},"SLOW_ORDER":${BOOLEANS[(m >>> 20) & 1] as string}},"signalId":"SIG-${HEX4[k >>> 16] as string}"},"metrics":{"flags":{"onTrack":${BOOLEANS[(m >>> 21) & 1] as string},"fleeted":${BOOLEANS[(m >>> 22) & 1] as string}},"circuitIds":["TC-${HEX4[(k >>> 3) & 65535] as string}","TC-${HEX4[(k >>> 7) & 65535] as string}","TC-${HEX4[(m >>> 5) & 65535] as string}","TC-${HEX4[(m >>> 11) & 65535] as string}"],"confidence":${confidence}},"train":{"trainId":"${trainId}","withinLimits":${BOOLEANS[(m >>> 23) & 1] as string},"direction":"${DIRECTIONS[(m >>> 24) & 1] as string}"},"meta":{"userId":"u-${10_000 + (k % 90_000)}","logicalPos":${m % 10_000_000},"sourceSystem":"${pick(SOURCES, n >>> 24)}"`;
    const missing = this.bytes - head.length - 2 - ',"remarks":""'.length;
    const tail = missing > 0 ? `,"remarks":"${remarks(prng, missing)}"}}` : "}}";
    return { json: head + tail, eventType, authorityId, trainId };
  }
}
