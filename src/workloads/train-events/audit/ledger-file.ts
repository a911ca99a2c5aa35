// `ledger-<worker>.bin`: a record for each batch. A file that was cut short or changed is refused.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ExitCode, messageOf, TrainSimError } from "../../../foundation/errors.js";
import {
  BATCH_OUTCOMES,
  LedgerSource,
  type BatchOutcome,
  type LedgerBatch,
  type LedgerEntry,
} from "../model/ledger.js";
import { issueWords } from "../../../syntax/issue-words.js";
import { RecordFile } from "../../record-file.js";

const FORMAT = "train-sim ledger 3";
/**
 * Bytes of a record: batch, events, client, first document: uint32; made at: float64; u, v, endpoint << 8 | outcome:
 * uint32; ended at: float64. Little-endian.
 */
const RECORD_BYTES = 44;
const BUFFERED_RECORDS = 1024;
const MAX_HEADER_BYTES = 4096;
/** Largest number of events of a batch in any scenario. A damaged file cannot make the audit make more keys. */
const BATCH_EVENTS_MAX = 1_000_000;
/** Largest time in milliseconds that fits into the keys of a batch. */
const MAX_MADE_AT_MS = 2 ** 48 - 1 - BATCH_EVENTS_MAX;

export function ledgerPath(directory: string, worker: number): string {
  return join(directory, `ledger-${worker}.bin`);
}

export class LedgerFileWriter extends RecordFile {
  constructor(path: string, source: LedgerSource) {
    super(path, `${JSON.stringify({ format: FORMAT, ...source })}\n`, RECORD_BYTES, BUFFERED_RECORDS);
  }

  /** `endedAtMs` is monotonic; `endpoint` is the number of the endpoint at which the batch ended. */
  add(batch: LedgerEntry, outcome: BatchOutcome, endedAtMs: number, endpoint = 0): void {
    const at = this.next();
    const { buffer } = this;
    buffer.writeUInt32LE(batch.batch, at);
    buffer.writeUInt32LE(batch.events, at + 4);
    buffer.writeUInt32LE(batch.client, at + 8);
    buffer.writeUInt32LE(batch.firstDocument, at + 12);
    buffer.writeDoubleLE(batch.madeAtMs, at + 16);
    buffer.writeUInt32LE(batch.keys.u, at + 24);
    buffer.writeUInt32LE(batch.keys.v, at + 28);
    buffer.writeUInt32LE(((endpoint << 8) | BATCH_OUTCOMES.indexOf(outcome)) >>> 0, at + 32);
    buffer.writeDoubleLE(endedAtMs, at + 36);
  }
}

/** A ledger that was read from its file. It keeps the records in the file's format. */
export class LedgerFile {
  private constructor(
    readonly source: LedgerSource,
    private readonly records: Buffer,
    /** Indexes of the records in ascending order of their batch numbers. */
    private readonly order: Uint32Array,
  ) {}

  static read(path: string): LedgerFile {
    try {
      return LedgerFile.parse(readFileSync(path));
    } catch (error) {
      throw new TrainSimError(
        `the ledger ${path} cannot be read: ${messageOf(error)}`,
        ExitCode.unexpected,
        "It was cut short or changed; without it, the events that there must be are unknown.",
        { cause: error },
      );
    }
  }

  /** Reads a ledger from bytes. Throws an Error that says what is wrong with them. */
  static parse(bytes: Buffer): LedgerFile {
    const headerEnd = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(10);
    if (headerEnd < 0) throw new Error("it has no header");
    const header = JSON.parse(bytes.toString("utf8", 0, headerEnd)) as Record<string, unknown> | null;
    const { format, ...source } = header ?? {};
    if (format !== FORMAT) throw new Error(`it is not a "${FORMAT}"`);
    const records = bytes.subarray(headerEnd + 1);
    if (records.length % RECORD_BYTES !== 0) throw new Error("it ends in the middle of a batch");
    const order = Uint32Array.from({ length: records.length / RECORD_BYTES }, (_, i) => i);
    const batchNumberAt = (place: number): number => records.readUInt32LE(place * RECORD_BYTES);
    order.sort((a, b) => batchNumberAt(a) - batchNumberAt(b));
    const parsed = LedgerSource.safeParse(source);
    if (!parsed.success)
      throw new Error(`its header is damaged: ${parsed.error.issues.map(issueWords).join("; ")}`);
    const file = new LedgerFile(parsed.data, records, order);
    for (let i = 0; i < order.length; i++) {
      const { batch, events, madeAtMs } = file.at(i);
      if (events > BATCH_EVENTS_MAX) throw new Error(`batch ${batch} has ${events} events`);
      if (!Number.isInteger(madeAtMs) || madeAtMs < 0 || madeAtMs > MAX_MADE_AT_MS)
        throw new Error(`batch ${batch} was made at no moment there is`);
      if (i > 0 && file.at(i - 1).batch === batch) throw new Error(`it tells of batch ${batch} twice`);
    }
    return file;
  }

  get length(): number {
    return this.order.length;
  }

  /** Batches in ascending order of their numbers. */
  *batches(): Generator<LedgerBatch> {
    for (let i = 0; i < this.order.length; i++) yield this.at(i);
  }

  find(batchNumber: number): LedgerBatch | undefined {
    const place = this.placeOf(batchNumber);
    return place < 0 ? undefined : this.at(place);
  }

  /** Index of a batch in `batches()`; -1 if the ledger does not contain it. */
  placeOf(batchNumber: number): number {
    let low = 0;
    // Numbers ascend by at least one, so the batch with number n cannot be after index n.
    let high = Math.min(this.order.length - 1, batchNumber);
    if (high >= 0 && this.batchNumberAt(high) === batchNumber) return high;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const number = this.batchNumberAt(middle);
      if (number === batchNumber) return middle;
      if (number < batchNumber) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  private batchNumberAt(i: number): number {
    return this.records.readUInt32LE((this.order[i] as number) * RECORD_BYTES);
  }

  private at(i: number): LedgerBatch {
    const { records } = this;
    const at = (this.order[i] as number) * RECORD_BYTES;
    const how = records.readUInt32LE(at + 32);
    const [code, endpoint] = [how & 0xff, how >>> 8];
    const outcome = BATCH_OUTCOMES[code];
    if (!outcome) throw new Error(`it has an unknown outcome, ${code}`);
    return {
      batch: records.readUInt32LE(at),
      events: records.readUInt32LE(at + 4),
      client: records.readUInt32LE(at + 8),
      firstDocument: records.readUInt32LE(at + 12),
      madeAtMs: records.readDoubleLE(at + 16),
      keys: { u: records.readUInt32LE(at + 24), v: records.readUInt32LE(at + 28) },
      outcome,
      endpoint,
      endedAtMs: records.readDoubleLE(at + 36),
    };
  }
}
