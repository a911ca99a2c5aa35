// Finds servers and directories left by a train-sim that was killed together with its reaper. Process, reaper, start times, boot
// and namespace must all be known and gone; anything uncertain is left alone. Linux only.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { messageOf } from "../errors.js";
import { shellWord } from "../shown.js";

export const OWNER_FILE = "owner.json";
const PRIVATE_DIRECTORY_NAME = /^train-sim-([a-z]+)-\d+-[0-9a-f]+$/;
const PRODUCT_BY_PROGRAM: Readonly<Record<string, string>> = {
  postgres: "PostgreSQL",
  pgbouncer: "PgBouncer",
};

const ProcessIdentity = z.object({ pid: z.int().positive(), startTicks: z.int().nonnegative() });
type ProcessIdentity = z.infer<typeof ProcessIdentity>;
const DirectoryOwner = z.object({ place: z.string().min(1), processes: z.array(ProcessIdentity).min(1) });

export interface Orphan {
  readonly path: string;
  readonly product: string;
  /** Processes that run in the directory and were started from outside of it: postmasters, poolers. */
  readonly pids: readonly number[];
  readonly mounts: readonly string[];
}

/**
 * Parent and start time of a process, fields 4 and 22 of `/proc/<pid>/stat`; undefined without such a process, or without
 * `/proc`.
 */
function processFacts(pid: number): { parent: number; startTicks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : { parent: Number(fields[1]), startTicks: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

/** Text that identifies the machine's boot and the namespace of process ids; undefined without `/proc`. */
export function pidNamespaceId(): string | undefined {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

/** Text of a record of the processes that own a private directory; undefined if one cannot be identified. */
export function ownerRecord(pids: readonly number[]): string | undefined {
  const here = pidNamespaceId();
  const processes = pids.flatMap((pid) => {
    const facts = processFacts(pid);
    return facts ? [{ pid, startTicks: facts.startTicks }] : [];
  });
  if (here === undefined || processes.length < pids.length) return undefined;
  return JSON.stringify({ place: here, processes } satisfies z.infer<typeof DirectoryOwner>);
}

const isRunning = ({ pid, startTicks }: ProcessIdentity): boolean =>
  processFacts(pid)?.startTicks === startTicks;

/** True if all processes that own the directory, and could still clean it up, are gone. */
async function isOrphaned(path: string): Promise<boolean> {
  try {
    const file = join(path, OWNER_FILE);
    // The directory may belong to the user of a server, but the record of its owners must be this user's own.
    const [directory, stats] = [await lstat(path), await lstat(file)];
    if (!directory.isDirectory() || !stats.isFile() || stats.uid !== process.getuid?.()) return false;
    const owner = DirectoryOwner.parse(JSON.parse(await readFile(file, "utf8")));
    return owner.place === pidNamespaceId() && !owner.processes.some(isRunning);
  } catch {
    return false;
  }
}

/** Processes that work in `path` or below and whose parents do not. */
function leaderPidsIn(path: string): number[] {
  const parentByPid = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const at = readlinkSync(`/proc/${name}/cwd`);
      const facts = processFacts(Number(name));
      if (facts && (at === path || at.startsWith(`${path}/`))) parentByPid.set(Number(name), facts.parent);
    } catch {
      // The process has ended, or belongs to another user, who cannot own this directory.
    }
  }
  return [...parentByPid].filter(([, parent]) => !parentByPid.has(parent)).map(([pid]) => pid);
}

function mountsBelow(path: string): string[] {
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "");
  return points.filter((point) => point.startsWith(`${path}/`));
}

/** Finds the directories that ended runs of this user have left in the system's temporary directory. */
export async function findOrphans(): Promise<Orphan[]> {
  const parent = await realpath(tmpdir()).catch(() => tmpdir());
  const orphans: Orphan[] = [];
  for (const name of await readdir(parent).catch(() => [])) {
    const [, kind] = PRIVATE_DIRECTORY_NAME.exec(name) ?? [];
    const path = join(parent, name);
    if (kind === undefined || !(await isOrphaned(path))) continue;
    const product = PRODUCT_BY_PROGRAM[kind] ?? kind;
    orphans.push({ path, product, pids: leaderPidsIn(path), mounts: mountsBelow(path) });
  }
  return orphans;
}

export function orphanWords({ path, product, pids, mounts }: Orphan): string {
  const orphanText = `${product} of a train-sim that was killed`;
  if (pids.length > 0) return `${orphanText} still runs (process ${pids.join(", ")}) in ${path}`;
  return `${orphanText} has left ${path}${mounts.length > 0 ? `, where ${mounts.join(", ")} is mounted` : ""}`;
}

/** Shell command that ends the orphan's processes and removes its directory. */
export function orphanCommand({ path, pids, mounts }: Orphan): string {
  return [
    ...(pids.length > 0 ? [`kill -QUIT ${pids.join(" ")}`, "sleep 2"] : []),
    ...mounts.map((mount) => `umount ${shellWord(mount)}`),
    `rm -rf ${shellWord(path)}`,
  ].join("; ");
}

/** Removes orphans that have no processes and no mounts. Resolves to a sentence on each orphan, removed or not. */
export async function sweepOrphans(): Promise<string[]> {
  const lines: string[] = [];
  for (const orphan of await findOrphans()) {
    const words = orphanWords(orphan);
    if (orphan.pids.length > 0 || orphan.mounts.length > 0) {
      lines.push(`${words}. End it with: ${orphanCommand(orphan)}`);
      continue;
    }
    try {
      await rm(orphan.path, { recursive: true, force: true });
      lines.push(`${words}, which is removed now`);
    } catch (error) {
      lines.push(`${words}, which cannot be removed: ${messageOf(error)}`);
    }
  }
  return lines;
}
