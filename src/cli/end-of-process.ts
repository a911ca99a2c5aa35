// The end of a process that holds a thread which cannot be ended. Node 24 and 26 end neither a thread whose memory ran
// out within one long loop nor, by process.exit, the process that it runs in: a run that failed for that, its results
// written, would go on until the machine has no memory left. All other runs end by themselves and see nothing of this.
const PATIENCE_MS = 5_000;

/** Node's, from 22.15 on and not on Windows: another program in this process's place, whatever its threads do. */
type Execve = (file: string, args: readonly string[], env: Readonly<Record<string, string>>) => never;

function endByForce(exitCode: number): void {
  const { execve } = process as { execve?: Execve };
  if (execve)
    execve.call(process, process.execPath, [process.execPath, "-e", `process.exit(${exitCode})`], {});
  if (process.platform === "win32") process.kill(process.pid, "SIGKILL");
  process.exit(exitCode); // Node without execve ends its threads
}

/** To be called when the work is done: ends the process, with the exit code that it has by then, should it not end by itself. */
export function endInAnyCase(): void {
  setInterval(() => {
    // A reader that takes its time is no reason to cut it off.
    if (process.stdout.writableLength > 0) return;
    process.stderr.write("train-sim: a part of it did not end, and was ended by force\n");
    endByForce(Number(process.exitCode ?? 0));
  }, PATIENCE_MS).unref();
}
