// Copies a stopped server's data, without files that "Making a Base Backup Using the Low Level API" leaves out.
import { chown, copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../foundation/errors.js";
import type { ServerUser } from "../../foundation/process/private-directory.js";

/** Directories that are copied without their files, which only the running server uses. */
const EMPTIED_DIRECTORIES = [
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
];
const SKIPPED_NAME_PATTERN =
  /^(postmaster\.(pid|opts)|standby\.signal|postgresql\.auto\.conf|pgsql_tmp.*|.*\.tmp)$/;

export interface CopyOptions {
  readonly user: ServerUser | undefined;
  /**
   * True if pg_wal is copied without its files. A backup of a running server says from which position on it needs the log.
   */
  readonly omitsWalFiles: boolean;
}

/**
 * Copies the data directory. A file that the running server removes meanwhile is left out, since the log has its changes.
 */
export async function copyData(from: string, to: string, options: CopyOptions): Promise<void> {
  const emptiedPaths = new Set(
    [...EMPTIED_DIRECTORIES, ...(options.omitsWalFiles ? ["pg_wal"] : [])].map((name) => join(from, name)),
  );
  const changeOwner = async (path: string): Promise<void> => {
    if (options.user) await chown(path, options.user.uid, options.user.gid);
  };
  const copyDirectory = async (source: string, target: string): Promise<void> => {
    await mkdir(target, { mode: 0o700 });
    await changeOwner(target);
    if (emptiedPaths.has(source)) return;
    for (const entry of await readdir(source, { withFileTypes: true })) {
      if (SKIPPED_NAME_PATTERN.test(entry.name)) continue;
      const [path, copy] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) await copyDirectory(path, copy);
      else
        await ignoreMissingFile(async () => {
          await copyFile(path, copy);
          await changeOwner(copy);
        });
    }
  };
  await copyDirectory(from, to);
}

async function ignoreMissingFile(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}
