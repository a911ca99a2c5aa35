// Keeps two processes from writing one directory. A killed process's lock is taken over. No lock across machines.
import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf, UsageError } from "../foundation/errors.js";
import { storageError } from "../foundation/storage-error.js";

const LOCK_FILE = "running";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

/** The process that holds a lock; undefined if the file names none, because its writer was killed or its disk was full. */
async function readHolder(path: string): Promise<LockHolder | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return "";
    throw storageError(error, path);
  });
  const [, pid, host] = /^([1-9]\d{0,9}) ([\w.-]{1,255})$/.exec(text.trim()) ?? [];
  return pid === undefined || host === undefined ? undefined : { pid: Number(pid), host };
}

/**
 * Whether the lock is held. A lock of another machine counts as held, because only the user can know whether its process
 * still runs.
 */
function isHeld({ pid, host }: LockHolder): boolean {
  return host === hostname() ? pid !== process.pid && isAlive(pid) : true;
}

/** Locks the directory for this process. Rejects with a UsageError while another process holds the lock. */
export async function lockDirectory(directory: string): Promise<void> {
  const path = join(directory, LOCK_FILE);
  const lockText = `${process.pid} ${hostname()}\n`;
  try {
    await writeFile(path, lockText, { flag: "wx" });
    return;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw storageError(error, path);
  }
  const holder = await readHolder(path);
  if (holder && isHeld(holder)) {
    throw new UsageError(
      `${directory} is being written by process ${holder.pid} on ${holder.host}`,
      `Wait until it has ended; remove ${path} if that is no train-sim.`,
    );
  }
  try {
    // The old file is removed and created again, so that a link in its place is not followed, and one of two competing
    // processes fails.
    await rm(path, { force: true });
    await writeFile(path, lockText, { flag: "wx" });
  } catch (error) {
    throw storageError(error, path);
  }
}

export async function unlockDirectory(directory: string): Promise<void> {
  await rm(join(directory, LOCK_FILE), { force: true }).catch(() => undefined);
}
