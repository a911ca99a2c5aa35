// Ends even a process with a thread that cannot be ended: Node 24 and 26 end neither a thread whose memory ran out within one long
// loop nor, by process.exit, its process.
const PATIENCE_MS = 5_000;

/** Node's, from 22.15 on and not on Windows: another program in this process's place, whatever its threads do. */
type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

/** At once, whatever is under way; on Windows it has to be a thread that can be ended. */
export function endNow(exitCode: number): never {
  const { execve } = process as { execve?: Execve };
  // What loads modules into each Node, or waits for a debugger, is not for this one.
  const env = { ...process.env, NODE_OPTIONS: "" };
  execve?.call(process, process.execPath, [process.execPath, "-e", `process.exit(${exitCode})`], env);
  return process.exit(exitCode); // Node without execve ends its threads
}

/** To be called when the work is done: ends the process, with the exit code that it has by then, should it not end by itself. */
export function endInAnyCase(): void {
  setInterval(() => {
    // A reader that takes its time is no reason to cut it off.
    if (process.stdout.writableLength > 0) return;
    process.stderr.write("train-sim: a part did not stop and was terminated\n");
    // Ends with the code of a killed process, since nothing else ends it.
    if (process.platform === "win32") process.kill(process.pid, "SIGKILL");
    endNow(Number(process.exitCode ?? 0));
  }, PATIENCE_MS).unref();
}
