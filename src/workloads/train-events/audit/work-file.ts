// `work-<worker>.bin`: a record for each pass and archiving. A file that was cut short or changed is refused.
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { ExitCode, messageOf, TrainSimError } from "../../../foundation/errors.js";
import { batchNumberOf, positionOf, workerOf } from "../../event-id.js";
import { EventStatus, type EventPass } from "../model/lifecycle.js";
import { RecordFile } from "../../record-file.js";

const HEADER = `${JSON.stringify({ format: "train-sim work 3" })}\n`;
/**
 * Bytes of a record, three little-endian uint32: publishing worker << 24 | position in the batch; batch; commit in doubt <<
 * 8 | code. The record of a transaction has a float64, the time of its acknowledgement, in place of the first two, and the
 * endpoint in place of the commit.
 */
const RECORD_BYTES = 12;
const BUFFERED_RECORDS = 4096;
const READ_BYTES = RECORD_BYTES * 65_536;
/**
 * Position in place of the real one for a key that no producer of the trial has made. It is above every position in a
 * batch.
 */
const POSITION_MAX = 0xff_ffff;

const STATUSES = EventStatus.options;
const STATUS_CODE = Object.fromEntries(STATUSES.map((status, code) => [status, code])) as Record<
  EventStatus,
  number
>;
/** Code of an archiving. Smaller codes are passes: `was * 4 + status`. */
const ARCHIVING_CODE = 16;
const UNKNOWN_WORK_CODES = { process: 17, archive: 18 } as const;
const TRANSACTION_CODE = 19;

export type WorkOperation = keyof typeof UNKNOWN_WORK_CODES;

/** One record of a work log. `doubt` numbers the worker's commits in doubt from 1; it is 0 for acknowledged work. */
export type WorkRecord =
  | { readonly kind: "pass"; readonly event: EventPlace; readonly pass: StatusChange; readonly doubt: number }
  | { readonly kind: "archived"; readonly event: EventPlace; readonly doubt: number }
  /**
   * A commit in doubt with at most `events` events that are unknown, because the unanswered statement was the whole
   * transaction.
   */
  | { readonly kind: "unknown"; readonly operation: WorkOperation; readonly events: number }
  | { readonly kind: "transaction"; readonly atMs: number; readonly endpoint: number };

export type EventWork = Extract<WorkRecord, { readonly doubt: number }>;

export interface EventPlace {
  readonly worker: number;
  readonly batch: number;
  readonly position: number;
}

type StatusChange = Pick<EventPass, "was" | "status">;

/** Status changes by code, shared so that reading makes no objects. */
const CHANGES: readonly StatusChange[] = STATUSES.flatMap((was) =>
  STATUSES.map((status) => ({ was, status })),
);

export function workPath(directory: string, worker: number): string {
  return join(directory, `work-${worker}.bin`);
}

export class WorkFileWriter extends RecordFile {
  private doubts = 0;

  constructor(path: string) {
    super(path, HEADER, RECORD_BYTES, BUFFERED_RECORDS);
  }

  /** Writes the head of the records of a transaction that the endpoint of that number acknowledged. */
  transaction(atMs: number, endpoint: number): void {
    const at = this.next();
    this.buffer.writeDoubleLE(atMs, at);
    this.buffer.writeUInt32LE(((endpoint << 8) | TRANSACTION_CODE) >>> 0, at + 8);
  }

  /** Returns a new number for the records of one commit in doubt. */
  nextDoubtNumber(): number {
    return ++this.doubts;
  }

  pass({ id, was, status }: EventPass, doubt = 0): void {
    this.event(id, STATUS_CODE[was] * STATUSES.length + STATUS_CODE[status], doubt);
  }

  archiving(id: string, doubt = 0): void {
    this.event(id, ARCHIVING_CODE, doubt);
  }

  unknownWork(operation: WorkOperation, events: number): void {
    this.write(events, 0, UNKNOWN_WORK_CODES[operation]);
  }

  private event(id: string, code: number, doubt: number): void {
    const position = Math.min(positionOf(id), POSITION_MAX);
    this.write(((workerOf(id) << 24) | position) >>> 0, batchNumberOf(id), ((doubt << 8) | code) >>> 0);
  }

  private write(place: number, batch: number, what: number): void {
    const at = this.next();
    this.buffer.writeUInt32LE(place, at);
    this.buffer.writeUInt32LE(batch, at + 4);
    this.buffer.writeUInt32LE(what, at + 8);
  }
}

/** Reads a file's records in the order in which they were written. Throws a TrainSimError if the file is damaged. */
export function* readWorkRecords(path: string): Generator<WorkRecord> {
  const file = openSync(path, "r");
  const portion = Buffer.allocUnsafe(READ_BYTES);
  try {
    const headerBytes = readSync(file, portion, 0, HEADER.length, null);
    if (portion.toString("utf8", 0, headerBytes) !== HEADER) throw new Error("it has another header");
    for (;;) {
      const bytes = readSync(file, portion, 0, READ_BYTES, null);
      if (bytes % RECORD_BYTES !== 0) throw new Error("it ends in the middle of a record");
      if (bytes === 0) return;
      for (let at = 0; at < bytes; at += RECORD_BYTES) yield workRecordAt(portion, at);
    }
  } catch (error) {
    throw new TrainSimError(
      `the work log ${path} cannot be read: ${messageOf(error)}`,
      ExitCode.unexpected,
      "It was cut short or changed; without it the audit does not know which work there must be.",
      { cause: error },
    );
  } finally {
    closeSync(file);
  }
}

function workRecordAt(bytes: Buffer, at: number): WorkRecord {
  const place = bytes.readUInt32LE(at);
  const batch = bytes.readUInt32LE(at + 4);
  const what = bytes.readUInt32LE(at + 8);
  const [code, doubt] = [what & 0xff, what >>> 8];
  if (code === TRANSACTION_CODE)
    return { kind: "transaction", atMs: bytes.readDoubleLE(at), endpoint: doubt };
  if (code === UNKNOWN_WORK_CODES.process) return { kind: "unknown", operation: "process", events: place };
  if (code === UNKNOWN_WORK_CODES.archive) return { kind: "unknown", operation: "archive", events: place };
  const event = { worker: place >>> 24, batch, position: place & POSITION_MAX };
  if (code === ARCHIVING_CODE) return { kind: "archived", event, doubt };
  const pass = CHANGES[code];
  if (!pass) throw new Error(`it has an unknown code, ${code}`);
  return { kind: "pass", event, pass, doubt };
}
