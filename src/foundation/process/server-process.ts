// A server process that train-sim starts and must stop. It has its own session, so that Ctrl-C reaches train-sim only, and
// signals escalate up to SIGKILL.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { systemClock } from "../clock.js";
import { codeOf, messageOf, TargetError } from "../errors.js";
import { freshSeed } from "../prng.js";
import type { PrivateDirectory } from "./private-directory.js";
import { guardProcess } from "./reaper.js";

export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the process ends, with the way in which it ended (`exit code 1`, `SIGKILL`); never rejects. */
  readonly exited: Promise<string>;
  /** Resolves like `exited`, and keeps train-sim running until then, which a server by itself does not. */
  waitForExit(): Promise<string>;
  readonly hasExited: boolean;
  /** Resolves if the process ended without a call of `stop`: with the way it ended, and the last lines of its log. */
  readonly lost: Promise<string>;
  log(): Promise<string>;
  /**
   * Stops the process: sends each signal and waits for its patience before the next, and at last sends SIGKILL. Never
   * rejects.
   */
  stop(steps: readonly { readonly signal: NodeJS.Signals; readonly patienceMs: number }[]): Promise<void>;
}

/** Environment of servers. It has nothing of ours, so that neither PGPORT nor secrets reach them. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

/** Ports that servers may get, below the system's ephemeral ports. */
const SERVER_PORTS = { first: 16_384, count: 13_616 } as const;

/** A random port of `SERVER_PORTS`, which may be in use. */
export function drawPort(): number {
  return SERVER_PORTS.first + (freshSeed() % SERVER_PORTS.count);
}

/** A free port of 127.0.0.1. It is outside the ephemeral range, so that no client is given it while its server is down. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = drawPort();
    const probe = createServer().listen(port, "127.0.0.1");
    try {
      await once(probe, "listening");
    } catch (error) {
      if (codeOf(error) === "EADDRINUSE") continue;
      throw error;
    }
    probe.close();
    await once(probe, "close");
    return port;
  }
}

/**
 * Starts `command` in `directory` as the directory's user, with `inputFile` as its input. Rejects if it cannot be executed.
 */
export async function startProcess(
  title: string,
  directory: PrivateDirectory,
  command: string,
  args: readonly string[],
  inputFile?: string,
): Promise<ServerProcess> {
  const logFile = join(directory.path, "server.log");
  const output = await open(logFile, "a", 0o600);
  // The log may begin with the output of an earlier process of the same configuration.
  const { size: fromByte } = await output.stat();
  const input = inputFile === undefined ? undefined : await open(inputFile, "r");
  const child = spawn(command, args, {
    cwd: directory.path,
    detached: true,
    stdio: [input?.fd ?? "ignore", output.fd, output.fd],
    env: serverEnvironment(),
    ...(directory.user && { uid: directory.user.uid, gid: directory.user.gid }),
  });
  // The listener is registered at once: a short program may end before the files below are closed.
  const exitEvent = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  exitEvent.catch(() => undefined);
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new TargetError(`cannot start ${title} (${command}): ${messageOf(error)}`, "", { cause: error });
  } finally {
    await output.close();
    await input?.close();
  }
  // A running server does not keep train-sim alive; a server that is being stopped does.
  child.unref();
  const exited = exitEvent.then(([code, signal]) => signal ?? `exit code ${code}`);
  const release = await guardProcess(child.pid as number);
  return supervise(title, child, exited.finally(release), async () => tail(logFile, fromByte));
}

function supervise(
  title: string,
  child: ChildProcess,
  exited: Promise<string>,
  log: () => Promise<string>,
): ServerProcess {
  const pid = child.pid as number;
  let isStopping = false;
  let hasExited = false;
  const lost = new Promise<string>((resolve) => {
    void exited.then(async (how) => {
      hasExited = true;
      // Processes of its group that outlive the server would keep its port.
      send(-pid, "SIGKILL");
      if (!isStopping) resolve(`${title} ended on its own (${how}): ${errorLinesIn(await log())}`);
    });
  });
  return {
    pid,
    exited,
    lost,
    log,
    get hasExited() {
      return hasExited;
    },
    async waitForExit() {
      child.ref();
      return exited;
    },
    async stop(steps) {
      isStopping = true;
      child.ref();
      for (const { signal, patienceMs } of steps) {
        if (hasExited) return;
        send(pid, signal);
        if (await settlesWithin(exited, patienceMs)) return;
      }
      if (!hasExited) send(-pid, "SIGKILL");
      await exited;
    },
  };
}

/** True if `promise` settles within `ms`. Leaves no timer behind. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  const result = promise.then(() => true);
  const late = systemClock.sleep(ms, settled.signal).then(() => false);
  const isSettled = await Promise.race([result, late]);
  settled.abort();
  return isSettled;
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended at this moment.
  }
}

async function tail(file: string, fromByte: number): Promise<string> {
  try {
    return (await readFile(file)).subarray(fromByte).toString("utf8").slice(-16_384);
  } catch (error) {
    return `(its log cannot be read: ${messageOf(error)})`;
  }
}

/** Errors and hints in a server's log, without time stamps; the last lines of the log if there are none. */
export function errorLinesIn(log: string): string {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const plainLines = lines.map((line) =>
    line.replace(/^\d{4}-\d\d-\d\d [\d:.]+ \w+ (\[\d+\] )?/, "").replace(/\s+/g, " "),
  );
  const errorLines = plainLines.filter((line) =>
    /^(\w+: )?(FATAL|PANIC|ERROR|HINT|DETAIL|error|fatal)\b|^(LOG|WARNING): could not /.test(line),
  );
  const chosen = errorLines.length > 0 ? errorLines : plainLines;
  return chosen.slice(-6).join("; ") || "it wrote nothing";
}
