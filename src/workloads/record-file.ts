// A file of fixed-size records after a header, written through a small buffer, so that a worker keeps nothing in memory.
import { AppendFile } from "../foundation/storage.js";

export abstract class RecordFile {
  private readonly file: AppendFile;
  protected readonly buffer: Buffer;
  private used = 0;

  constructor(
    path: string,
    header: string,
    private readonly recordBytes: number,
    bufferedRecords: number,
  ) {
    this.buffer = Buffer.alloc(bufferedRecords * recordBytes);
    this.file = new AppendFile(path);
    this.file.append(header);
  }

  /** Reserves the next record and returns its offset in `buffer`. The caller must write every byte of the record. */
  protected next(): number {
    if (this.used === this.buffer.length) this.flush();
    const at = this.used;
    this.used += this.recordBytes;
    return at;
  }

  /** Writes buffered records to the file, without a sync: they survive the end of this process, but not of the machine. */
  flush(): void {
    if (this.used === 0) return;
    this.file.append(this.buffer.subarray(0, this.used));
    this.used = 0;
  }

  /** Writes and syncs all records and closes the file. May be called twice. */
  close(): void {
    this.flush();
    this.file.close();
  }
}
