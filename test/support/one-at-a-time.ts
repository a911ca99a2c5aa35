// Work that several processes would do at once, such as unpacking a package, is done by one of them while the others wait.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs `work` while holding the lock of a file. The system releases the lock if this process is killed. */
export async function oneAtATime<T>(lockFile: string, work: () => Promise<T>): Promise<T> {
  // `cat` ends with its input, which this process holds.
  const holder = spawn("flock", [lockFile, "sh", "-c", "echo held; exec cat"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await once(holder, "close");
  }
}
