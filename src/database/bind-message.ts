// What executes a statement that its connection has prepared: Bind of its values, Execute and Sync, as one buffer. A batch is
// put into it ahead, each value where it is sent from: it is the largest thing that a client sends, and every copy of it
// goes through memory that the database has just pushed out of the processor's caches.
import type { BinaryParameter } from "./binary-arrays.js";
import type { BoundValues, SqlValue, Statement, StatementValues } from "./workload.js";

const BIND = 0x42;
/** Execute of the unnamed portal, all rows, and Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

type Part = BinaryParameter | Buffer | string | null;

function partOf(value: SqlValue | BinaryParameter): Part {
  if (typeof value === "number") return textOfNumber(value);
  if (typeof value === "boolean") return String(value);
  return value instanceof Date ? value.toISOString() : value;
}

/** Limits and chances come again and again, and the digits of a fraction take longer to find than all the rest. */
const NUMBER_TEXTS = new Map<number, string>();
const NUMBER_TEXTS_MAX = 1_000;

function textOfNumber(value: number): string {
  let text = NUMBER_TEXTS.get(value);
  if (text === undefined) {
    text = String(value);
    if (NUMBER_TEXTS.size < NUMBER_TEXTS_MAX) NUMBER_TEXTS.set(value, text);
  }
  return text;
}

function bytesOf(part: Part): number {
  if (part === null) return 0;
  return typeof part === "string" ? Buffer.byteLength(part) : part.length;
}

/** Where the values of a Bind begin, the first one's length before all. */
function valuesStart(name: string, parts: number): number {
  return 1 + LENGTH_BYTES + 1 + Buffer.byteLength(name) + 1 + 2 + 2 * parts + 2;
}

/** Where a message is written: so many bytes. */
type Allocate = (bytes: number) => Buffer;

/**
 * Memory for one message after the other, each of which has been sent when the next one is made. Without it what large ones
 * leave behind amounts to tens of megabytes before it is collected.
 */
export class MessageMemory {
  private kept: Buffer = Buffer.alloc(0);

  readonly allocate: Allocate = (bytes) => {
    if (bytes > this.kept.length) this.kept = Buffer.allocUnsafeSlow(bytes);
    return this.kept.subarray(0, bytes);
  };
}

/** Bind of those values to the unnamed portal, Execute and Sync; results as text. */
export function callMessages(
  name: string,
  values: readonly (SqlValue | BinaryParameter)[],
  allocate: Allocate = (bytes) => Buffer.allocUnsafe(bytes),
): Buffer {
  const parts = values.map(partOf);
  let bindBytes = valuesStart(name, parts.length) - 1 + 2 + 2;
  for (const part of parts) bindBytes += LENGTH_BYTES + bytesOf(part);
  const buffer = allocate(1 + bindBytes + EXECUTE_AND_SYNC.length);
  buffer[0] = BIND;
  let at = buffer.writeInt32BE(bindBytes, 1);
  buffer[at++] = 0; // the unnamed portal
  at += buffer.write(name, at);
  buffer[at++] = 0;
  at = buffer.writeInt16BE(parts.length, at);
  for (const part of parts) at = buffer.writeInt16BE(part === null || typeof part === "string" ? 0 : 1, at);
  at = buffer.writeInt16BE(parts.length, at);
  for (const part of parts) at = writePart(buffer, at, part);
  at = buffer.writeInt16BE(1, at);
  at = buffer.writeInt16BE(0, at);
  EXECUTE_AND_SYNC.copy(buffer, at);
  return buffer;
}

/** A value after its length; returns where it ends. */
function writePart(buffer: Buffer, at: number, part: Part): number {
  const start = at + LENGTH_BYTES;
  if (part === null) return buffer.writeInt32BE(NULL_LENGTH, at);
  const bytes = typeof part === "string" ? buffer.write(part, start) : part.length;
  buffer.writeInt32BE(bytes, at);
  if (Buffer.isBuffer(part)) part.copy(buffer, start);
  else if (typeof part !== "string") part.writeTo(buffer, start);
  return start + bytes;
}

class Bound implements BoundValues {
  constructor(
    readonly message: Buffer,
    private readonly start: number,
    private readonly count: number,
  ) {}

  value(index: number): Buffer {
    const { message } = this;
    let at = this.start;
    for (let i = 0; i < index; i++) at += LENGTH_BYTES + message.readInt32BE(at);
    return message.subarray(at + LENGTH_BYTES, at + LENGTH_BYTES + message.readInt32BE(at));
  }

  get values(): Buffer[] {
    return Array.from({ length: this.count }, (_, index) => this.value(index));
  }
}

/** Those values in the message that will carry them, for whichever connection calls `statement`. */
export function bindAhead(
  { name }: Statement,
  parameters: readonly BinaryParameter[],
  allocate?: Allocate,
): BoundValues {
  const { length } = parameters;
  return new Bound(callMessages(name, parameters, allocate), valuesStart(name, length), length);
}

export function messageOf({ name }: Statement, values: StatementValues): Buffer {
  return "message" in values ? values.message : callMessages(name, values);
}

/** The values one by one, for the driver; its types want a mutable array, and it only reads it. */
export function valuesOf(values: StatementValues): SqlValue[] {
  return "message" in values ? [...values.values] : (values as SqlValue[]);
}
