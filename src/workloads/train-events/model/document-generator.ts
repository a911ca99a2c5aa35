// A document is written as bytes over a template, in the message that carries it: see bench/documents.mjs.
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import {
  writeBytes,
  writeDigit,
  writeFiveDigits,
  writeTwoDigits,
  writeFourHexDigits,
  writeUuid,
} from "./document-bytes.js";
import { templatesOf, type DocumentTemplate, type NumberRange } from "./document-template.js";
import {
  FIXED_WIDTHS,
  NO_REMARKS_CLOSE,
  REMARKS_CLOSE,
  REMARKS_OPEN,
  valuesIn,
  type DocumentValues,
} from "./document-values.js";
import type { EventType } from "./event.js";
import type { DocumentShape } from "../settings.js";
import { writeRemarks } from "./remarks.js";
import { byteTarget, type ByteTarget } from "../../../foundation/bytes.js";

export const DEFAULT_DOCUMENT_BYTES = 900;
/** Largest document in bytes. The smallest one has all fields but no remarks. */
export const MAX_DOCUMENT_BYTES = 1024 * 1024;

/** A serialised document and its values for the flat columns. */
export interface GeneratedDocument {
  readonly json: string;
  readonly eventType: EventType;
  readonly authorityId: string;
  readonly trainId: string;
}

const FIRST_DAY_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const SPAN_DAYS = 300;
const SPAN_MS = SPAN_DAYS * DAY_MS;
/** Mean milliseconds between consecutive documents. */
const DOCUMENT_INTERVAL_MS = 97;
/** Span of the ages in documents with the source's values, counted back from 22 January 2026. */
const SOURCE_SPAN_MS = 21 * DAY_MS;
/** User in every document that has the source's values. */
const SOURCE_USER = 10_001;
/** Month and day of the month, by the number of days since `FIRST_DAY_MS`. */
const DATES = Array.from({ length: SPAN_DAYS + 1 }, (_, day) => {
  const date = new Date(FIRST_DAY_MS + day * DAY_MS);
  return [date.getUTCMonth() + 1, date.getUTCDate()] as const;
});
const MONTHS = Uint8Array.from(DATES, ([month]) => month);
const DAYS_OF_MONTH = Uint8Array.from(DATES, ([, day]) => day);
const NO_REMARKS_CLOSE_BYTES = Buffer.from(NO_REMARKS_CLOSE);
const REMARKS_OPEN_BYTES = Buffer.from(REMARKS_OPEN);
const REMARKS_CLOSE_BYTES = Buffer.from(REMARKS_CLOSE);

/** Place of the last written document and of its parts. The next `write` overwrites this object. */
export interface WrittenDocument {
  /** Offset after the document, at which the next can begin. */
  readonly end: number;
  /** Event type of the document as bytes. */
  readonly type: Uint8Array;
  /** Offset of the train id, which is `FIXED_WIDTHS.trainId` bytes long. */
  readonly trainIdAt: number;
  /** Authority id of the document: 16 bytes as four words, the first byte highest. */
  readonly authority: Uint32Array;
}

/** Draws a UUID of version 4 into four words. */
function drawUuid(prng: Prng, words: Uint32Array): Uint32Array {
  words[0] = prng.uint32();
  words[1] = (prng.uint32() & 0xffff_0fff) | 0x4000;
  words[2] = (prng.uint32() & 0x3fff_ffff) | 0x8000_0000;
  words[3] = prng.uint32();
  return words;
}

export class DocumentGenerator {
  private readonly prng = new Prng(0);
  private readonly clientSeed: number;
  /** Maximum size of a document in bytes. */
  readonly maxBytes: number;
  /** Template of the last written document. */
  private template: DocumentTemplate;
  private readonly templates: readonly DocumentTemplate[];
  private readonly written: { -readonly [key in keyof WrittenDocument]: WrittenDocument[key] };
  private readonly device = new Uint32Array(4);
  private scratch: ByteTarget | undefined;

  /**
   * @param seed the trial's seed
   * @param actor a name that no other actor of the trial has, such as `producer/3`
   * @param bytes length of each document in bytes; shorter than its fields means no padding
   * @param shape the source of its values
   * @param hasNewMember true if each document has the member of the newer schema
   */
  constructor(
    seed: number,
    actor: string,
    private readonly bytes: number = DEFAULT_DOCUMENT_BYTES,
    shape: DocumentShape = "default",
    hasNewMember = false,
  ) {
    this.templates = templatesOf(shape, hasNewMember);
    this.template = this.templates[0] as DocumentTemplate;
    this.written = {
      end: 0,
      type: this.template.typeBytes,
      trainIdAt: 0,
      authority: new Uint32Array(4),
    };
    this.clientSeed = deriveSeed(seed, "document", actor);
    const headBytes = Math.max(...this.templates.map(({ head }) => head.length));
    this.maxBytes = Math.max(bytes, headBytes + NO_REMARKS_CLOSE.length);
  }

  /** Makes the document with that index, a whole number from 0. Calls may come in any order. */
  at(index: number): GeneratedDocument {
    const target = (this.scratch ??= byteTarget(Buffer.alloc(this.maxBytes)));
    const json = target.bytes.toString("latin1", 0, this.write(index, target, 0).end);
    const { shape, places } = this.template;
    return {
      json,
      eventType: shape.eventType,
      authorityId: json.slice(places.authorityId, places.authorityId + FIXED_WIDTHS.authorityId),
      trainId: json.slice(places.trainId, places.trainId + FIXED_WIDTHS.trainId),
    };
  }

  /** Values of the document with that index, for `jsonbText`. The caller may change them. */
  valuesAt(index: number): DocumentValues {
    const { json } = this.at(index);
    const { shape, places, widths, head } = this.template;
    const hasRemarks = json.length > head.length + NO_REMARKS_CLOSE.length;
    const remarks = hasRemarks
      ? json.slice(head.length + REMARKS_OPEN.length, -REMARKS_CLOSE.length)
      : undefined;
    return valuesIn(json, places, widths, shape, remarks);
  }

  /** Writes the document with that index at offset `at`, where there must be room for `maxBytes`. */
  write(index: number, { bytes, view }: ByteTarget, at: number): WrittenDocument {
    const { prng } = this;
    prng.reseed(this.clientSeed, index);
    const chosen = prng.uint32();
    const template = this.templates[chosen % this.templates.length] as DocumentTemplate;
    this.template = template;
    bytes.set(template.head, at);
    const { places } = template;
    const { written } = this;
    const authority = drawUuid(prng, written.authority);
    writeUuid(view, at + places.authorityId, authority);
    writeUuid(view, at + places.deviceKey, drawUuid(prng, this.device));
    this.writeTimes(index, chosen >>> 16, view, at);
    if (template.ranges) this.writeSourceNumbers(template.ranges, view, at);
    else this.writeNumbers(view, at);
    written.end = this.writeEnd(bytes, at, at + template.head.length);
    written.type = template.typeBytes;
    written.trainIdAt = at + places.trainId;
    return written;
  }

  /** Writes the event's time and the train's name, which contains the day. */
  private writeTimes(index: number, bits: number, view: DataView, at: number): void {
    const { places, ranges } = this.template;
    const offsetMs = index * DOCUMENT_INTERVAL_MS;
    // A remainder of a number above 32 bits takes longer than the rest of this function, so it is avoided where
    // possible.
    const ms = ranges
      ? Math.floor(this.prng.float() * SOURCE_SPAN_MS)
      : (offsetMs < SPAN_MS ? offsetMs : offsetMs % SPAN_MS) + (bits % DOCUMENT_INTERVAL_MS);
    const day = Math.floor(ms / DAY_MS);
    const msOfDay = (ms - day * DAY_MS) | 0;
    const seconds = (msOfDay / 1000) | 0;
    const createdAtOffset = at + places.createdAt;
    writeTwoDigits(view, createdAtOffset + 5, MONTHS[day] as number);
    writeTwoDigits(view, createdAtOffset + 8, DAYS_OF_MONTH[day] as number);
    writeTwoDigits(view, createdAtOffset + 11, (seconds / 3600) | 0);
    writeTwoDigits(view, createdAtOffset + 14, ((seconds / 60) | 0) % 60);
    writeTwoDigits(view, createdAtOffset + 17, seconds % 60);
    const msOfSecond = msOfDay % 1000;
    writeDigit(view, createdAtOffset + 20, (msOfSecond / 100) | 0);
    writeTwoDigits(view, createdAtOffset + 21, msOfSecond % 100);
    const trainIdOffset = at + places.trainId;
    const n = this.prng.uint32();
    writeTwoDigits(view, trainIdOffset + 3, n % 100);
    writeFiveDigits(view, trainIdOffset + 6, 10_000 + ((n >>> 8) % 90_000));
    writeTwoDigits(view, trainIdOffset + 16, MONTHS[day] as number);
    writeTwoDigits(view, trainIdOffset + 18, DAYS_OF_MONTH[day] as number);
  }

  /** Writes numbers in the source's ranges, with one constant user and one constant position. */
  private writeSourceNumbers(ranges: readonly NumberRange[], view: DataView, at: number): void {
    const { prng } = this;
    const { places, fourDigitOffsets, lines } = this.template;
    for (const [i, { first, count }] of ranges.entries()) {
      const number = first + (prng.uint32() % count);
      const place = at + (fourDigitOffsets[i] as number);
      writeTwoDigits(view, place, (number / 100) | 0);
      writeTwoDigits(view, place + 2, number % 100);
    }
    for (const lineOffsets of lines) for (const place of lineOffsets) writeTwoDigits(view, at + place, 0);
    writeTwoDigits(view, at + places.confidence, prng.intBetween(50, 99));
    for (const place of [2, 7])
      writeFiveDigits(view, at + places.confidence + place, prng.uint32() % 100_000);
    const end = prng.uint32();
    writeTwoDigits(view, at + places.confidence + 12, end % 100);
    writeTwoDigits(view, at + places.confidence + 14, (end >>> 8) % 100);
    writeDigit(view, at + places.confidence + 16, 1 + ((end >>> 16) % 9));
    writeFiveDigits(view, at + places.user, SOURCE_USER);
    writeTwoDigits(view, at + places.logicalPos, 10);
    writeFiveDigits(view, at + places.logicalPos + 2, SOURCE_USER);
  }

  private writeNumbers(view: DataView, at: number): void {
    const { prng } = this;
    const { places, fourDigitOffsets, lines } = this.template;
    for (let i = 0; i < fourDigitOffsets.length; i += 2) {
      const word = prng.uint32();
      writeFourHexDigits(view, at + (fourDigitOffsets[i] as number), word);
      if (i + 1 < fourDigitOffsets.length)
        writeFourHexDigits(view, at + (fourDigitOffsets[i + 1] as number), word >>> 16);
    }
    const m = prng.uint32();
    for (let i = 0; i < lines.length; i++) {
      const line = (m >>> (8 * i)) % 100;
      const lineOffsets = lines[i] as Int32Array;
      for (let n = 0; n < lineOffsets.length; n++)
        writeTwoDigits(view, at + (lineOffsets[n] as number), line);
    }
    const k = prng.uint32();
    writeTwoDigits(view, at + places.confidence, k % 100);
    writeDigit(view, at + places.confidence + 2, 1 + ((k >>> 8) % 9));
    writeFiveDigits(view, at + places.user, 10_000 + (m % 90_000));
    const position = k % 9_000_000;
    writeTwoDigits(view, at + places.logicalPos, 10 + ((position / 100_000) | 0));
    writeFiveDigits(view, at + places.logicalPos + 2, position % 100_000);
  }

  /** Writes remarks that bring the document to its length. Without need of remarks it only closes the document. */
  private writeEnd(bytes: Buffer, at: number, headEnd: number): number {
    const remarksFrameBytes = REMARKS_OPEN.length + REMARKS_CLOSE.length;
    const missing = this.bytes - (headEnd - at) - remarksFrameBytes;
    if (missing <= 0) return writeBytes(bytes, headEnd, NO_REMARKS_CLOSE_BYTES);
    const start = writeBytes(bytes, headEnd, REMARKS_OPEN_BYTES);
    writeRemarks(this.prng.uint32(), bytes, start, missing);
    return writeBytes(bytes, start + missing, REMARKS_CLOSE_BYTES);
  }
}
