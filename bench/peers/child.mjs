// Runs a peer's program as a child of the bench: it keeps the output for messages of failures, and it always ends the
// program and its children when the bench has finished with it.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { processTree } from "#program/foundation/machine-usage.js";

const LAST_WORDS = 400;
/** Milliseconds that a program may take to end after it was asked to. */
const STOP_PATIENCE_MS = 10_000;

function kill(root) {
  for (const pid of processTree(root)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
}

/**
 * Starts a child. `ended` resolves to an error message, or to undefined; `stdout` is the output so far.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string }} options
 */
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
      if (!hasEnded) {
        child.kill("SIGINT");
        await Promise.race([ended, sleep(STOP_PATIENCE_MS, undefined, { ref: false })]);
      }
      if (!hasEnded) kill(child.pid);
      await ended;
    },
  };
}
