// Keeps two processes from writing one result directory: a file in it names the process that runs the experiment, and
// goes away with it. What a killed process left is taken over when no such process runs any more. It guards against
// a `--resume` of an experiment that still runs, on one machine; it is no lock across machines.
import { readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf, UsageError } from "../foundation/errors.js";
import { storageError } from "./storage.js";

const LOCK_FILE = "running";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Takes the directory for this process; rejects with a UsageError while another one has it. */
export async function lockDirectory(directory: string): Promise<void> {
  const path = join(directory, LOCK_FILE);
  const own = `${process.pid} ${hostname()}\n`;
  try {
    await writeFile(path, own, { flag: "wx" });
    return;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw storageError(error, path);
  }
  const [pid = "", host = ""] = (await readFile(path, "utf8").catch(() => "")).trim().split(" ");
  const isTaken = host === hostname() ? Number(pid) !== process.pid && isAlive(Number(pid)) : host !== "";
  if (isTaken) {
    throw new UsageError(
      `${directory} is being written by process ${pid} on ${host}`,
      `Wait until it has ended; remove ${path} if that is no train-sim.`,
    );
  }
  await writeFile(path, own).catch((error: unknown) => {
    throw storageError(error, path);
  });
}

/** Never rejects. */
export async function unlockDirectory(directory: string): Promise<void> {
  await rm(join(directory, LOCK_FILE), { force: true }).catch(() => undefined);
}
