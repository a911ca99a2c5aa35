// Acknowledgements, starts and ends of runs, as a worker saw them, in a file that outlives it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { batchNumberOf, positionOf, workerOf } from "../event-id.js";
import { RecordFile } from "../record-file.js";

const HEADER = "train-sim jobs 1\n";
/** Five doubles: worker, batch and position of the job, the kind of record, monotonic milliseconds. */
const RECORD_BYTES = 40;
const BUFFERED_RECORDS = 4_096;
const FILE_NAME = /^jobs-\d+\.bin$/;

/** Kinds of records. An acknowledgement is of a whole batch; an interruption ends a run whose process was killed. */
export const RECORD_KINDS = ["acknowledged", "started", "finished", "failed", "interrupted"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export interface JobRecord {
  readonly worker: number;
  readonly batch: number;
  readonly position: number;
  readonly kind: RecordKind;
  readonly atMs: number;
}

export class RunFile extends RecordFile {
  constructor(directory: string, ordinal: number) {
    super(join(directory, `jobs-${ordinal}.bin`), HEADER, RECORD_BYTES, BUFFERED_RECORDS);
  }

  batch(worker: number, batch: number, atMs: number): void {
    this.write(worker, batch, 0, "acknowledged", atMs);
  }

  run(id: string, kind: RecordKind, atMs: number): void {
    this.write(workerOf(id), batchNumberOf(id), positionOf(id), kind, atMs);
  }

  private write(worker: number, batch: number, position: number, kind: RecordKind, atMs: number): void {
    const at = this.next();
    [worker, batch, position, RECORD_KINDS.indexOf(kind), atMs].forEach((value, column) =>
      this.buffer.writeDoubleLE(value, at + 8 * column),
    );
  }
}

/** Records of all files of a trial, in the order of each file. A file that was cut off ends at its last whole record. */
export function* jobRecords(directory: string): Generator<JobRecord> {
  for (const name of readdirSync(directory).filter((each) => FILE_NAME.test(each))) {
    const bytes = readFileSync(join(directory, name));
    for (let at = HEADER.length; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
      const value = (column: number): number => bytes.readDoubleLE(at + 8 * column);
      yield {
        worker: value(0),
        batch: value(1),
        position: value(2),
        kind: RECORD_KINDS[value(3)] ?? "interrupted",
        atMs: value(4),
      };
    }
  }
}
