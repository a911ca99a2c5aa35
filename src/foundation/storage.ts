// Writes files so that no reader meets half a file: whole files are flushed and renamed into place, streams end in whole lines.
import { closeSync, constants, fsyncSync, openSync, writeSync } from "node:fs";
import { open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { storageError } from "./storage-error.js";

/** Replaces `path` as a whole: after a crash at any moment it holds its old text or all of the new. */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    // What lies there is of a run that was killed, or a link that somebody planted: neither is written through.
    await rm(temporary, { force: true });
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw storageError(error, path);
  }
}

/**
 * Writes to a place that the user names, as a shell does: through a link, into a device or a pipe as it is; a file, or what
 * is to be one, as a whole.
 */
export async function writeNamedFile(path: string, text: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there?.isFile() ?? true) {
    await writeFileAtomic(there ? await realpath(path) : path, text);
    return;
  }
  await writeFile(path, text).catch((error: unknown) => {
    throw storageError(error, path);
  });
}

async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/**
 * A file that grows by whole lines or records. Writes are synchronous: a few kilobytes a second go to the page cache in
 * microseconds, and the order is plain. After a failure it writes no more.
 */
export class AppendFile {
  private readonly descriptor: number;
  private state: "open" | "failed" | "closed" = "open";

  /** Fails when the file exists: nothing is ever mixed with another trial's numbers. */
  constructor(readonly path: string) {
    try {
      this.descriptor = openSync(path, "ax");
    } catch (error) {
      throw storageError(error, path);
    }
  }

  append(content: string | Uint8Array): void {
    if (this.state !== "open") return;
    const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
    try {
      for (let written = 0; written < bytes.length;)
        written += writeSync(this.descriptor, bytes, written, bytes.length - written);
    } catch (error) {
      this.state = "failed";
      throw storageError(error, this.path);
    }
  }

  /** Flushes to the disk and closes; may be called twice. */
  close(): void {
    if (this.state === "closed") return;
    const flush = this.state === "open";
    this.state = "closed";
    try {
      if (flush) fsyncSync(this.descriptor);
    } catch (error) {
      throw storageError(error, this.path);
    } finally {
      closeSync(this.descriptor);
    }
  }
}
