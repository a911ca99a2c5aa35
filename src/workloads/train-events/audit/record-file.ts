// A file of records of one size behind a header, written through a small buffer, so that a worker keeps nothing.
import { AppendFile } from "../../../foundation/storage.js";

export abstract class RecordFile {
  private readonly file: AppendFile;
  protected readonly buffer: Buffer;
  private used = 0;

  /** Fails when the file exists. */
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

  /** Place in `buffer` of the next record, each byte of which its writer fills. */
  protected next(): number {
    if (this.used === this.buffer.length) this.flush();
    const at = this.used;
    this.used += this.recordBytes;
    return at;
  }

  /** Hands everything to the operating system, so that it outlives this process. */
  flush(): void {
    if (this.used === 0) return;
    this.file.append(this.buffer.subarray(0, this.used));
    this.used = 0;
  }

  /** Flushes to the disk and closes; may be called twice. */
  close(): void {
    this.flush();
    this.file.close();
  }
}
