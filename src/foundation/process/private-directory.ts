// The private directory (mode 0700) of one server that train-sim starts, under the system's temporary directory. As root it
// belongs to an unprivileged user, because PostgreSQL and poolers refuse to run as root.
import { chown, mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf, TargetError } from "../errors.js";
import { generateSecret } from "../prng.js";
import { OWNER_FILE, ownerRecord } from "./orphans.js";
import { guardDirectory, reaperPid } from "./reaper.js";

export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const PREFERRED_USERS = ["postgres", "nobody", "daemon"];

/** User for servers if train-sim runs as root. Undefined if it does not: servers then run as the same user. */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile("/etc/passwd", "utf8"))
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid, gid }) => name !== "" && uid > 0 && gid > 0);
  const preferredAccounts = PREFERRED_USERS.map((wanted) => accounts.find(({ name }) => name === wanted));
  const user = preferredAccounts.find((account) => account !== undefined) ?? accounts[0];
  if (!user) {
    throw new TargetError(
      "train-sim runs as root, PostgreSQL and PgBouncer refuse to, and /etc/passwd names no other user",
      "Add an unprivileged user such as nobody, or run train-sim as one.",
    );
  }
  return user;
}

export interface PrivateDirectory {
  readonly path: string;
  readonly user: ServerUser | undefined;
  /** Writes a file of mode 0600 that the server's user owns; resolves to its path. */
  write(name: string, text: string): Promise<string>;
  /** Removes the directory. Never rejects; the reaper removes what remains. */
  remove(): Promise<void>;
}

/** Makes `<tmp>/train-sim-<purpose>-...` for a server that runs as `serverUser()`. */
export async function makePrivateDirectory(purpose: string): Promise<PrivateDirectory> {
  const user = await serverUser();
  const parent = await realpath(tmpdir());
  if (user) await assertReachable(parent, user);
  const path = join(parent, `train-sim-${purpose}-${process.pid}-${generateSecret(4)}`);
  const release = await guardDirectory(path);
  try {
    await mkdir(path, { mode: 0o700 });
    if (user) await chown(path, user.uid, user.gid);
    const owner = ownerRecord([process.pid, reaperPid()].filter((pid) => pid !== undefined));
    if (owner !== undefined) await writeFile(join(path, OWNER_FILE), owner, { mode: 0o600 });
  } catch (error) {
    release();
    throw new TargetError(
      `cannot make a private directory for ${purpose} in ${parent}: ${messageOf(error)}`,
      "Set TMPDIR to a directory that can be written to.",
      { cause: error },
    );
  }
  return {
    path,
    user,
    async write(name, text) {
      const file = join(path, name);
      await writeFile(file, text, { mode: 0o600 });
      if (user) await chown(file, user.uid, user.gid);
      return file;
    },
    async remove() {
      try {
        await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
        release();
      } catch {
        // The directory stays guarded: the reaper tries again when train-sim ends.
      }
    },
  };
}

/** Throws if the user cannot enter every directory above `path`. */
async function assertReachable(path: string, user: ServerUser): Promise<void> {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid, gid } = await stat(at);
    const executeBit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & executeBit) === 0) {
      throw new TargetError(
        `the temporary directory ${path} is out of reach for user ${user.name}, who runs the servers: ${at} is closed to that user`,
        "Set TMPDIR to a directory that every user can enter, such as /tmp.",
      );
    }
    if (at === dirname(at)) return;
  }
}
