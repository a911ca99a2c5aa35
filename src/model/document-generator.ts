// Makes event documents from a seed, deterministically: the same seed, actor and index give the same document,
// whatever the timing and whichever thread asks. Texts are written straight from what was drawn (no JSON.stringify), because
// the generator shares the machine with the database it measures: see bench/documents.mjs.
import { deriveSeed, Prng } from "../foundation/prng.js";
import {
  compactHead,
  compactTail,
  type BooleanText,
  type DocumentValues,
  type SegmentValues,
} from "./document-values.js";
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

function segment(prng: Prng): SegmentValues {
  const a = prng.uint32();
  const b = prng.uint32();
  const line = DIGITS2[a % 100] as string;
  return {
    line,
    id: HEX4[b & 65535] as string,
    direction: DIRECTIONS[(a >>> 8) & 1] as string,
    section0: HEX4[(a >>> 9) & 65535] as string,
    section1: HEX4[b >>> 16] as string,
    section2: HEX4[(b >>> 5) & 65535] as string,
  };
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
    const values = this.draw(index);
    const head = compactHead(values);
    const remarks = this.drawRemarks(head);
    const { eventType, authorityId, trainId } = values;
    return { json: head + compactTail(remarks), eventType, authorityId, trainId };
  }

  /** The values of the same document, for `jsonbText`; the caller may change them. */
  valuesAt(index: number): DocumentValues {
    const values = this.draw(index);
    values.remarks = this.drawRemarks(compactHead(values));
    return values;
  }

  /** All but the remarks, which are the next that the stream holds. */
  private draw(index: number): DocumentValues {
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
    return {
      eventType,
      authorityId,
      deviceKey: uuid(prng),
      state: "NEW",
      createdAt,
      segment0: segment(prng),
      segment1: segment(prng),
      segment2: segment(prng),
      switch0: HEX4[m & 65535] as string,
      position0: POSITIONS[(m >>> 16) & 1] as string,
      switch1: HEX4[k & 65535] as string,
      position1: POSITIONS[(m >>> 17) & 1] as string,
      allowPass: BOOLEANS[(m >>> 18) & 1] as BooleanText,
      requiresAck: BOOLEANS[(m >>> 19) & 1] as BooleanText,
      slowOrder: BOOLEANS[(m >>> 20) & 1] as BooleanText,
      signal: HEX4[k >>> 16] as string,
      onTrack: BOOLEANS[(m >>> 21) & 1] as BooleanText,
      fleeted: ((m >>> 22) & 1) === 1,
      circuit0: HEX4[(k >>> 3) & 65535] as string,
      circuit1: HEX4[(k >>> 7) & 65535] as string,
      circuit2: HEX4[(m >>> 5) & 65535] as string,
      circuit3: HEX4[(m >>> 11) & 65535] as string,
      confidence: Number(`0.${1 + (k % 999)}`),
      trainId,
      withinLimits: BOOLEANS[(m >>> 23) & 1] as BooleanText,
      trainDirection: DIRECTIONS[(m >>> 24) & 1] as string,
      user: 10_000 + (k % 90_000),
      logicalPos: m % 10_000_000,
      sourceSystem: pick(SOURCES, n >>> 24),
      remarks: undefined,
    };
  }

  /** What brings the document to its length; undefined where its fields are that long. */
  private drawRemarks(head: string): string | undefined {
    const missing = this.bytes - head.length - 2 - ',"remarks":""'.length;
    return missing > 0 ? remarks(this.prng, missing) : undefined;
  }
}
