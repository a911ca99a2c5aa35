// Array parameters in PostgreSQL's binary format: the driver sends arrays as text and escapes each element.
import type { BinaryParameter } from "./binary-arrays.js";
import type { BoundValues, SqlValue, Statement, StatementValues } from "../../sql.js";

const PARSE_MESSAGE_TYPE = 0x50;
const BIND_MESSAGE_TYPE = 0x42;
export const SYNC_MESSAGE = Buffer.from([0x53, 0, 0, 0, 4]);
/** The messages Execute (for all rows of the unnamed portal) and Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

type WireValue = BinaryParameter | Buffer | string | null;

function wireValueOf(value: SqlValue | BinaryParameter): WireValue {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return value instanceof Date ? value.toISOString() : value;
}

/** Maximum number of characters that are written one by one: up to this number, a call out of JavaScript takes longer. */
const SHORT_TEXT_CHARACTERS_MAX = 64;

/** True for a short text that consists of ASCII characters. */
function isShortAscii(text: string): boolean {
  if (text.length > SHORT_TEXT_CHARACTERS_MAX) return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function textBytes(text: string): number {
  return isShortAscii(text) ? text.length : Buffer.byteLength(text);
}

function writeText(buffer: Buffer, at: number, text: string): number {
  if (!isShortAscii(text)) return buffer.write(text, at);
  for (let i = 0; i < text.length; i++) buffer[at + i] = text.charCodeAt(i);
  return text.length;
}

function wireValueBytes(part: WireValue): number {
  if (part === null) return 0;
  return typeof part === "string" ? textBytes(part) : part.length;
}

function valuesOffset(name: string, parts: number): number {
  return 1 + LENGTH_BYTES + 1 + textBytes(name) + 1 + 2 + 2 * parts + 2;
}

type Allocate = (bytes: number) => Buffer;

/**
 * Memory that successive messages share: a message must have been sent before the next is made. With a buffer for each,
 * large messages would leave tens of megabytes behind before garbage collection.
 */
export class MessageMemory {
  private buffer: Buffer = Buffer.alloc(0);

  readonly allocate: Allocate = (bytes) => {
    if (bytes > this.buffer.length) this.buffer = Buffer.allocUnsafeSlow(bytes);
    return this.buffer.subarray(0, bytes);
  };
}

/** The message Parse, without types of parameters: the server infers them. */
export function parseMessage(name: string, text: string): Buffer {
  const textOffset = 1 + LENGTH_BYTES + Buffer.byteLength(name) + 1;
  const message = Buffer.alloc(textOffset + Buffer.byteLength(text) + 1 + 2);
  message[0] = PARSE_MESSAGE_TYPE;
  message.writeInt32BE(message.length - 1, 1);
  message.write(name, 1 + LENGTH_BYTES);
  message.write(text, textOffset);
  return message;
}

export function bindAndExecuteMessages(
  name: string,
  values: readonly (SqlValue | BinaryParameter)[],
  allocate: Allocate = (bytes) => Buffer.allocUnsafe(bytes),
): Buffer {
  const parts = values.map(wireValueOf);
  let bindBytes = valuesOffset(name, parts.length) - 1 + 2 + 2;
  for (const part of parts) bindBytes += LENGTH_BYTES + wireValueBytes(part);
  const buffer = allocate(1 + bindBytes + EXECUTE_AND_SYNC.length);
  buffer[0] = BIND_MESSAGE_TYPE;
  let at = buffer.writeInt32BE(bindBytes, 1);
  buffer[at++] = 0; // the unnamed portal
  at += writeText(buffer, at, name);
  buffer[at++] = 0;
  at = buffer.writeInt16BE(parts.length, at);
  for (const part of parts) at = buffer.writeInt16BE(part === null || typeof part === "string" ? 0 : 1, at);
  at = buffer.writeInt16BE(parts.length, at);
  for (const part of parts) at = writeWireValue(buffer, at, part);
  at = buffer.writeInt16BE(1, at);
  at = buffer.writeInt16BE(0, at);
  EXECUTE_AND_SYNC.copy(buffer, at);
  return buffer;
}

function writeWireValue(buffer: Buffer, at: number, part: WireValue): number {
  const start = at + LENGTH_BYTES;
  if (part === null) return buffer.writeInt32BE(NULL_LENGTH, at);
  const bytes = typeof part === "string" ? writeText(buffer, start, part) : part.length;
  buffer.writeInt32BE(bytes, at);
  if (Buffer.isBuffer(part)) part.copy(buffer, start);
  else if (typeof part !== "string") part.writeTo(buffer, start);
  return start + bytes;
}

/** Mark, in a list of values, of a value that exists only in the message. */
const VALUE_IN_MESSAGE = undefined;

class BoundMessage implements BoundValues {
  constructor(
    readonly message: Buffer,
    private readonly start: number,
    private readonly valuesOutsideMessage: readonly (SqlValue | typeof VALUE_IN_MESSAGE)[],
  ) {}

  get values(): SqlValue[] {
    const { message } = this;
    let at = this.start;
    return this.valuesOutsideMessage.map((value) => {
      const from = at + LENGTH_BYTES;
      at = from + Math.max(0, message.readInt32BE(at));
      return value === VALUE_IN_MESSAGE ? message.subarray(from, at) : value;
    });
  }
}

function isBinaryParameter(value: SqlValue | BinaryParameter): value is BinaryParameter {
  return value !== null && typeof value === "object" && "writeTo" in value;
}

/** Serialises values into the message that will carry them. The message fits any connection that runs `statement`. */
export function bindAhead(
  { name }: Statement,
  values: readonly (SqlValue | BinaryParameter)[],
  allocate?: Allocate,
): BoundValues {
  const valuesOutsideMessage = values.map((value) => (isBinaryParameter(value) ? VALUE_IN_MESSAGE : value));
  return new BoundMessage(
    bindAndExecuteMessages(name, values, allocate),
    valuesOffset(name, values.length),
    valuesOutsideMessage,
  );
}

export function bindMessageOf({ name }: Statement, values: StatementValues): Buffer {
  return "message" in values ? values.message : bindAndExecuteMessages(name, values);
}

/** The values as an array for the driver, whose types require a mutable one although the driver only reads it. */
export function valuesOf(values: StatementValues): SqlValue[] {
  return "message" in values ? [...values.values] : (values as SqlValue[]);
}
