// A peer's program as a child of the bench: what it prints is kept for the case that it fails, and it is ended when
// the bench is done with it, however that comes about.
import { spawn } from "node:child_process";

const LAST_WORDS = 400;

/** `ended` resolves to what went wrong, or to undefined; `stdout` is what it has printed so far. */
export function runChild(command, args, { env, cwd } = {}) {
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"])
    child[stream].setEncoding("utf8").on("data", (text) => (printed[stream] += text));
  let hasEnded = false;
  let isStopping = false;
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => {
      hasEnded = true;
      const words = (printed.stderr || printed.stdout).trim().slice(-LAST_WORDS);
      resolve(code === 0 || isStopping ? undefined : `${command} ended with ${code ?? signal}: ${words}`);
    });
  });
  return {
    pids: child.pid === undefined ? [] : [child.pid],
    ended,
    printed,
    hasEnded: () => hasEnded,
    async stop() {
      isStopping = true;
      if (!hasEnded) child.kill("SIGINT");
      await ended;
    },
  };
}
