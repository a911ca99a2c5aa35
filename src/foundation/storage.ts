// Writes files so that no reader meets half a file: whole files are flushed and renamed into place, streams end in whole lines.
import { closeSync, constants, fsyncSync, openSync, writeSync } from "node:fs";
import { open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { storageError } from "./storage-error.js";

/** Replaces a file atomically: after a crash it holds its old or its new text, never a part. */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.tmp`;
  try {
    // The old temporary file may be left by a killed run or be a planted link: it is removed, never written through.
    await rm(temporaryPath, { force: true });
    const file = await open(temporaryPath, "wx");
    try {
      await file.writeFile(text, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporaryPath, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw storageError(error, path);
  }
}

/**
 * Writes to the path that the user named, as a shell does: through links, into devices and pipes. Regular files are
 * replaced atomically.
 */
export async function writeNamedFile(path: string, text: string): Promise<void> {
  const existingFile = await stat(path).catch(() => undefined);
  if (existingFile?.isFile() ?? true) {
    await writeFileAtomic(existingFile ? await realpath(path) : path, text);
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

/** A file to which whole lines or records are appended synchronously. After a failure it writes no more. */
export class AppendFile {
  private readonly descriptor: number;
  private state: "open" | "failed" | "closed" = "open";

  /** Creates the file. Throws if it exists, so that numbers of two trials never mix. */
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
