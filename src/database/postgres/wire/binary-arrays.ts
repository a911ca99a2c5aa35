// Array parameters in PostgreSQL's binary format, of one dimension and without NULL: one Buffer and one pass each. The driver
// sends arrays as text and escapes each element; a batch of 100 documents is 90 kB.
//
//   int32 dimensions | int32 has nulls | int32 element type | int32 length | int32 lower bound | elements
//   element: int32 byte length | bytes                       (dimensions is 0 and nothing follows when empty)
import { byteTarget, copyWords, type TextColumn } from "../../../foundation/bytes.js";

const OID_BY_TYPE = { text: 25, float8: 701, uuid: 2950, jsonb: 3802 } as const;
const EMPTY_ARRAY_HEADER_BYTES = 12;
const ARRAY_HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const UUID_CHARACTERS = 36;
const FLOAT8_BYTES = 8;
/** Version number that `jsonb_recv` expects before the text. */
const JSONB_VERSION = 1;

/** Maximum number of bytes that are copied one by one: up to this number, a call out of JavaScript takes longer. */
const SMALL_COPY_BYTES_MAX = 32;

const NO_DIGIT = 255;
/** Value of a hexadecimal digit by its character code. */
const NIBBLE_BY_CODE = new Uint8Array(128).fill(NO_DIGIT);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  NIBBLE_BY_CODE[digit.charCodeAt(0)] = value;
  NIBBLE_BY_CODE[digit.toUpperCase().charCodeAt(0)] = value;
}

/** A parameter that writes itself into the message that carries it, without a buffer in between. */
export interface BinaryParameter {
  readonly length: number;
  writeTo(buffer: Buffer, at: number): void;
}

/** The parameter's bytes in a separate buffer. */
export function bufferOf(parameter: BinaryParameter): Buffer {
  const buffer = Buffer.allocUnsafe(parameter.length);
  parameter.writeTo(buffer, 0);
  return buffer;
}

function arrayBytes(length: number, elementsBytes: number): number {
  return length === 0 ? EMPTY_ARRAY_HEADER_BYTES : ARRAY_HEADER_BYTES + elementsBytes;
}

function writeHeader(buffer: Buffer, at: number, elementOid: number, length: number): number {
  buffer.writeInt32BE(length === 0 ? 0 : 1, at);
  buffer.writeInt32BE(0, at + 4);
  buffer.writeInt32BE(elementOid, at + 8);
  if (length === 0) return at + EMPTY_ARRAY_HEADER_BYTES;
  buffer.writeInt32BE(length, at + 12);
  buffer.writeInt32BE(1, at + 16);
  return at + ARRAY_HEADER_BYTES;
}

function arrayBuffer(elementOid: number, length: number, elementsBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(arrayBytes(length, elementsBytes));
  writeHeader(buffer, 0, elementOid, length);
  return buffer;
}

function writeUuid(buffer: Buffer, at: number, id: string): void {
  let out = at;
  let bad = id.length ^ UUID_CHARACTERS;
  for (let i = 0; i < UUID_CHARACTERS; i += 2) {
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      bad |= id.charCodeAt(i) ^ 0x2d;
      i++;
    }
    const high = NIBBLE_BY_CODE[id.charCodeAt(i)] ?? NO_DIGIT;
    const low = NIBBLE_BY_CODE[id.charCodeAt(i + 1)] ?? NO_DIGIT;
    bad |= (high | low) & 0xf0;
    buffer[out++] = (high << 4) | low;
  }
  if (bad !== 0) throw new RangeError(`not a UUID: ${JSON.stringify(id)}`);
}

/** `uuid[]` parameter from texts; throws a RangeError for any text but 8-4-4-4-12 hexadecimal digits. */
export function uuidArray(ids: readonly string[]): Buffer {
  const buffer = arrayBuffer(OID_BY_TYPE.uuid, ids.length, ids.length * (LENGTH_BYTES + UUID_BYTES));
  let at = ARRAY_HEADER_BYTES;
  for (const id of ids) {
    buffer.writeInt32BE(UUID_BYTES, at);
    writeUuid(buffer, at + LENGTH_BYTES, id);
    at += LENGTH_BYTES + UUID_BYTES;
  }
  return buffer;
}

/** `uuid[]` parameter from UUIDs that follow each other as bytes. */
export function uuidBytesArray(uuids: Buffer): BinaryParameter {
  const elements = uuids.length / UUID_BYTES;
  return {
    length: arrayBytes(elements, elements * (LENGTH_BYTES + UUID_BYTES)),
    writeTo(buffer, start) {
      const source = byteTarget(uuids).view;
      const { view } = byteTarget(buffer);
      let at = writeHeader(buffer, start, OID_BY_TYPE.uuid, elements);
      for (let from = 0; from < uuids.length; from += UUID_BYTES) {
        view.setInt32(at, UUID_BYTES);
        copyWords(source, from, view, at + LENGTH_BYTES, UUID_BYTES);
        at += LENGTH_BYTES + UUID_BYTES;
      }
    },
  };
}

/** `text[]` or `jsonb[]` parameter from texts as bytes. */
export function textBytesArray(type: "text" | "jsonb", { bytes, ends, room }: TextColumn): BinaryParameter {
  const headBytes = elementHeadBytes(type);
  return {
    length: arrayBytes(ends.length, ends.length * (headBytes - room) + bytes.length),
    writeTo(buffer, start) {
      const first = writeHeader(buffer, start, OID_BY_TYPE[type], ends.length);
      if (room === headBytes) bytes.copy(buffer, first);
      const { view } = byteTarget(buffer);
      let at = first;
      let from = 0;
      for (const end of ends) {
        const text = from + room;
        view.setInt32(at, headBytes - LENGTH_BYTES + end - text);
        at += LENGTH_BYTES;
        if (type === "jsonb") buffer[at++] = JSONB_VERSION;
        if (room === headBytes) at += end - text;
        else if (end - text > SMALL_COPY_BYTES_MAX) at += bytes.copy(buffer, at, text, end);
        else for (let i = text; i < end; i++) buffer[at++] = bytes[i] as number;
        from = end;
      }
    },
  };
}

export function elementHeadBytes(type: "text" | "jsonb"): number {
  return type === "jsonb" ? LENGTH_BYTES + 1 : LENGTH_BYTES;
}

/**
 * `text[]` parameter from texts, or `jsonb[]` from JSON texts, which the server parses and checks. An unpaired surrogate
 * becomes U+FFFD.
 */
export function stringArray(type: "text" | "jsonb", strings: readonly string[]): BinaryParameter {
  const headBytes = elementHeadBytes(type);
  let elementsBytes = strings.length * headBytes;
  for (const string of strings) elementsBytes += Buffer.byteLength(string);
  return {
    length: arrayBytes(strings.length, elementsBytes),
    writeTo(buffer, start) {
      let at = writeHeader(buffer, start, OID_BY_TYPE[type], strings.length);
      for (const string of strings) {
        const text = at + headBytes;
        if (type === "jsonb") buffer[text - 1] = JSONB_VERSION;
        const end = text + buffer.write(string, text);
        buffer.writeInt32BE(end - at - LENGTH_BYTES, at);
        at = end;
      }
    },
  };
}

/** `text[]` parameter in a separate buffer. The server refuses a NUL character (SQLSTATE 22021). */
export function textArray(strings: readonly string[]): Buffer {
  return bufferOf(stringArray("text", strings));
}

export function float8Array(length: number, next: () => number): Buffer {
  const buffer = arrayBuffer(OID_BY_TYPE.float8, length, length * (LENGTH_BYTES + FLOAT8_BYTES));
  let at = ARRAY_HEADER_BYTES;
  for (let i = 0; i < length; i++) {
    buffer.writeInt32BE(FLOAT8_BYTES, at);
    buffer.writeDoubleBE(next(), at + LENGTH_BYTES);
    at += LENGTH_BYTES + FLOAT8_BYTES;
  }
  return buffer;
}
