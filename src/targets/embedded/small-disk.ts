// A tmpfs under a part of the data, shrunk to fill it, so that the server meets the real error. Linux and root only.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, rmdir, statfs } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { messageOf, TargetError } from "../../foundation/errors.js";
import type { ServerUser } from "../../foundation/process/private-directory.js";
import { guardMount } from "../../foundation/process/reaper.js";

const run = promisify(execFile);

const COMMAND_ENVIRONMENT = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C" };
/** Size of the tmpfs while it is not full: half of the memory. */
const UNFILLED_SIZE = "50%";
/** Largest number of attempts to fill the disk. The server may write between the measurement and the change of the size. */
const FILL_ATTEMPTS = 100;

export interface SmallDisk {
  /** Fills the disk: its size becomes the size of its contents. */
  fill(): Promise<void>;
  enlarge(): Promise<void>;
  /** Unmounts the disk. Never rejects; if the disk cannot be unmounted now, the reaper does it later. */
  unmount(): Promise<void>;
}

async function mount(...args: string[]): Promise<void> {
  await run("mount", args, { env: COMMAND_ENVIRONMENT });
}

export async function mountSmallDisk(directory: string, user: ServerUser | undefined): Promise<SmallDisk> {
  const originalDirectory = `${directory}.before`;
  const owner = user ? [`uid=${user.uid}`, `gid=${user.gid}`] : [];
  const release = await guardMount(directory);
  try {
    await rename(directory, originalDirectory);
    await mkdir(directory, { mode: 0o700 });
    const options = [`size=${UNFILLED_SIZE}`, "mode=0700", "nosuid", "nodev", "noexec", ...owner];
    await mount("-t", "tmpfs", "-o", options.join(","), "train-sim", directory);
    // Option -a keeps the owners; a copy by root would otherwise own the files.
    await run("cp", ["-a", `${originalDirectory}/.`, directory], { env: COMMAND_ENVIRONMENT });
    await rm(originalDirectory, { recursive: true });
  } catch (error) {
    throw new TargetError(
      `cannot put ${directory} on a file system of its own: ${messageOf(error).trim()}`,
      "The fault disk-full needs the right to mount a tmpfs: run train-sim as root on Linux, or take the fault out.",
      { cause: error },
    );
  }
  return {
    fill: () => shrinkToContents(directory),
    enlarge: () => mount("-o", `remount,size=${UNFILLED_SIZE}`, directory),
    async unmount() {
      try {
        await run("umount", [directory], { env: COMMAND_ENVIRONMENT });
        release();
      } catch {
        // The disk is still guarded: the reaper tries again when train-sim ends.
      }
    },
  };
}

/** Shrinks the disk to the size of its contents. Rejects if a busy server enlarges them in every attempt. */
async function shrinkToContents(directory: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const { blocks, bfree, bsize } = await statfs(directory);
    const usedBytes = (blocks - bfree + attempt) * bsize;
    try {
      await mount("-o", `remount,size=${usedBytes}`, directory);
      return;
    } catch (error) {
      if (attempt === FILL_ATTEMPTS) throw error;
    }
  }
}

export async function smallDiskObstacle(): Promise<string | undefined> {
  if (platform() !== "linux") return `a tmpfs cannot be mounted on ${platform()}`;
  const directory = await mkdtemp(join(tmpdir(), "train-sim-mount-"));
  try {
    await mount("-t", "tmpfs", "-o", "size=64k", "train-sim", directory);
    await run("umount", [directory], { env: COMMAND_ENVIRONMENT });
    return undefined;
  } catch (error) {
    return `a tmpfs cannot be mounted: ${messageOf(error).trim().split("\n").at(-1) ?? ""}`;
  } finally {
    await rmdir(directory).catch(() => undefined);
  }
}
