// A trial's directory on an agent, sent in pieces; lines of logs are sent whole, since several agents write to one log.
import { closeSync, fdatasync, openSync, readdirSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { TrainSimError } from "../../foundation/errors.js";
import { storageError } from "../../foundation/storage-error.js";
import { FILE_PIECE_BYTES_MAX, SENT_FILE_NAME } from "./agent-protocol.js";

const LINE_FEED_BYTE = 10;

export class FilePieceSender {
  private readonly files = new Map<string, { readonly fd: number; sent: number }>();
  private readonly pieceBuffer = Buffer.allocUnsafe(FILE_PIECE_BYTES_MAX);

  constructor(
    private readonly directory: string,
    private readonly send: (name: string, bytes: Buffer) => void,
  ) {}

  /** Sends what was written to the files since the last call. Throws if a file cannot be read. */
  sendNewBytes(): void {
    for (const name of readdirSync(this.directory)) {
      if (!SENT_FILE_NAME.test(name)) continue;
      const file = this.files.get(name) ?? { fd: openSync(join(this.directory, name), "r"), sent: 0 };
      this.files.set(name, file);
      for (;;) {
        const read = readSync(file.fd, this.pieceBuffer, 0, FILE_PIECE_BYTES_MAX, file.sent);
        const bytes = name.endsWith(".ndjson")
          ? this.pieceBuffer.lastIndexOf(LINE_FEED_BYTE, read - 1) + 1
          : read;
        if (read === 0 || bytes === 0) break;
        this.send(name, Buffer.from(this.pieceBuffer.subarray(0, bytes)));
        file.sent += bytes;
      }
    }
  }

  close(): void {
    for (const { fd } of this.files.values()) closeSync(fd);
    this.files.clear();
  }
}

interface IncomingFile {
  readonly fd: number;
  isSyncing: boolean;
  isOver: boolean;
}

/** Appends received pieces to files of the coordinator's directory and syncs them to disk. */
export class FilePieceReceiver {
  private readonly files = new Map<string, IncomingFile>();

  /** `onFailure` is called for each piece that could not be written or synced. */
  constructor(
    private readonly directory: string,
    private readonly onFailure: (error: TrainSimError) => void,
  ) {}

  append(name: string, bytes: Uint8Array): void {
    try {
      const file = this.files.get(name) ?? this.open(name);
      for (let at = 0; at < bytes.length;) at += writeSync(file.fd, bytes, at);
      this.sync(name, file);
    } catch (error) {
      this.reportFailure(name, error);
    }
  }

  close(): void {
    for (const file of this.files.values()) {
      file.isOver = true;
      if (!file.isSyncing) closeSync(file.fd);
    }
    this.files.clear();
  }

  private sync(name: string, file: IncomingFile): void {
    if (file.isSyncing) return;
    file.isSyncing = true;
    fdatasync(file.fd, (error) => {
      file.isSyncing = false;
      if (error) this.reportFailure(name, error);
      if (file.isOver) closeSync(file.fd);
    });
  }

  private reportFailure(name: string, error: unknown): void {
    this.onFailure(storageError(error, join(this.directory, name)));
  }

  private open(name: string): IncomingFile {
    const file = { fd: openSync(join(this.directory, name), "a"), isSyncing: false, isOver: false };
    this.files.set(name, file);
    return file;
  }
}
