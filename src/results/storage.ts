// Writing so that a reader never meets half a file and a full or read-only disk is named as what it is. Whole
// files are written beside their place, flushed and renamed into it; streams are appended in whole lines and
// flushed when closed. Every failure of the file system comes out as an error with the path and the way out.
import { closeSync, constants, fsyncSync, openSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf, ExitCode, messageOf, TrainSimError, UsageError } from "../foundation/errors.js";

/** Places that the user chose badly: what is wrong with them, and the way out. */
const USAGE: Readonly<Record<string, (path: string) => [message: string, hint: string]>> = {
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: notWritable,
  EEXIST: inTheWay,
  ENOTDIR: inTheWay,
  EISDIR: (path) => [
    `${path} cannot be written: a directory is in its place`,
    "Remove it, or choose another place.",
  ],
  ENOENT: (path) => [
    `${dirname(path)} does not exist, so ${path} cannot be written`,
    "Make the directory first, or choose another with --out.",
  ],
  ENAMETOOLONG: (path) => [`${path} is too long a name`, "Choose a shorter one."],
};

function notWritable(path: string): [string, string] {
  return [`${path} cannot be written: no permission`, "Choose a writable directory with --out."];
}

function inTheWay(path: string): [string, string] {
  return [`${path} cannot be made: a file is in its place`, "Choose another directory with --out."];
}

/** What the operating system said about `path`, in words; a UsageError where the user chose the place. */
export function storageError(error: unknown, path: string): TrainSimError {
  if (error instanceof TrainSimError) return error;
  const code = codeOf(error) ?? "";
  const usage = USAGE[code];
  if (usage) return new UsageError(...usage(path), { cause: error });
  const full = code === "ENOSPC" || code === "EDQUOT";
  return new TrainSimError(
    full ? `No space left on the disk to write ${path}` : `Cannot write ${path}: ${messageOf(error)}`,
    ExitCode.unexpected,
    full ? "Free some space, or choose another disk with --out." : "Check the disk.",
    { cause: error },
  );
}

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
