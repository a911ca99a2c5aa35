// Node 24 and 26 end neither a thread whose memory ran out within one long loop nor, by process.exit, its process.
const IDLE_EXIT_DELAY_MS = 5_000;

/** Node's `process.execve`, from 22.15 on and not on Windows: puts another program in place of this process. */
type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** Ends the process at once, even during other work; on Windows the calling thread must be able to end. */
export function endNow(exitCode: number): never {
  const { execve } = process as { execve?: Execve };
  // NODE_OPTIONS may load modules or wait for a debugger, which this last program must not do.
  const env = { ...process.env, NODE_OPTIONS: "" };
  execve?.call(process, process.execPath, [process.execPath, "-e", `process.exit(${exitCode})`], env);
  return process.exit(exitCode); // Node without execve ends its threads
}

/**
 * Call when the work is done: ends the process after some seconds, with the exit code that it has by then, if it does not
 * end by itself.
 */
export function endWhenIdle(): void {
  setInterval(() => {
    // Unread output keeps the process alive, so that a slow reader gets all of it.
    if (process.stdout.writableLength > 0) return;
    process.stderr.write("train-sim: a part did not stop and was terminated\n");
    // Windows: only a kill ends the process, with the code of a killed process.
    if (process.platform === "win32") process.kill(process.pid, "SIGKILL");
    endNow(Number(process.exitCode ?? 0));
  }, IDLE_EXIT_DELAY_MS).unref();
}
