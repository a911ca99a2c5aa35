// Runs a command of the scenario to its end, with its output in a file. It has a process group, which ends with it, so that
// nothing that it started remains.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { monotonicMs } from "../clock.js";
import { codeOf } from "../errors.js";
import { guardProcess } from "./reaper.js";

const POLL_MS = 50;

export interface LoggedCommand {
  readonly words: readonly string[];
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** File to which standard output and standard error are appended. */
  readonly logFile: string;
  /** Returns false once the run is interrupted: the command is then ended. */
  readonly mayContinue: () => boolean;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No process of the group is left.
  }
}

/** Resolves to undefined if the command ended with exit code 0, otherwise to a text that continues "<command> ...". */
export async function runLogged(command: LoggedCommand): Promise<string | undefined> {
  const { directory, logFile } = command;
  const log = openSync(logFile, "a", 0o600);
  try {
    if (!existsSync(directory)) return `was not started: its directory ${directory} does not exist`;
    return await runInto(log, command);
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? "was not found" : `could not be started (${code ?? "unknown error"})`;
  } finally {
    closeSync(log);
  }
}

async function runInto(log: number, command: LoggedCommand): Promise<string | undefined> {
  const { words, directory, environment, timeoutMs, mayContinue } = command;
  const [program = "", ...args] = words;
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    stdio: ["ignore", log, log],
    detached: true,
  });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  exit.catch(() => undefined);
  await once(child, "spawn");
  const pid = child.pid as number;
  const release = await guardProcess(pid);
  let ending: string | undefined;
  const deadlineMs = monotonicMs() + timeoutMs;
  const timer = setInterval(() => {
    if (!mayContinue()) ending = "was ended with the run";
    else if (monotonicMs() > deadlineMs) ending = `had not ended after ${timeoutMs / 1000} s`;
    if (ending !== undefined) killGroup(pid);
  }, POLL_MS);
  try {
    const [code, signal] = await exit;
    killGroup(pid);
    if (ending !== undefined || code === 0) return ending;
    return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
  } finally {
    clearInterval(timer);
    release();
  }
}
