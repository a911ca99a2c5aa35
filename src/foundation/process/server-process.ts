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
  /** Resolves with the process's end (`exit code 1`, `SIGKILL`); never rejects. */
  readonly exited: Promise<string>;
  /** Like `exited`, and keeps train-sim running until then, which a server alone does not. */
  waitForExit(): Promise<string>;
  readonly hasExited: boolean;
  /** Resolves if it ended without `stop`, with its end and the last lines of its log. */
  readonly lost: Promise<string>;
  log(): Promise<string>;
  /** Sends the signals in order, each after the patience of the previous one, then SIGKILL. Never rejects. */
  stop(steps: readonly { readonly signal: NodeJS.Signals; readonly patienceMs: number }[]): Promise<void>;
}

/** Environment of servers: nothing of ours, so that neither PGPORT nor secrets reach them. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

/** Port range below the system's ephemeral ports. */
const PORTS = { first: 16_384, count: 13_616 } as const;

/** A random port of this range, free or not. */
export function drawPort(): number {
  return PORTS.first + (freshSeed() % PORTS.count);
}

/** A free port of 127.0.0.1 outside the ephemeral range, so that no client gets it while its server is down. */
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

/** Starts `command` in `directory` as its user, with that file as input. Rejects if it cannot be executed. */
export async function startProcess(
  title: string,
  directory: PrivateDirectory,
  command: string,
  args: readonly string[],
  inputFile?: string,
): Promise<ServerProcess> {
  const logFile = join(directory.path, "server.log");
  const output = await open(logFile, "a", 0o600);
  // An earlier process with the same configuration has already written to it.
  const { size: fromByte } = await output.stat();
  const input = inputFile === undefined ? undefined : await open(inputFile, "r");
  const child = spawn(command, args, {
    cwd: directory.path,
    detached: true,
    stdio: [input?.fd ?? "ignore", output.fd, output.fd],
    env: serverEnvironment(),
    ...(directory.user && { uid: directory.user.uid, gid: directory.user.gid }),
  });
  // Registered at once: a short program may end before the files below are closed.
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  exit.catch(() => undefined);
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
  const exited = exit.then(([code, signal]) => signal ?? `exit code ${code}`);
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
      // Processes of its group that outlive it would keep its port.
      send(-pid, "SIGKILL");
      if (!isStopping) resolve(`${title} ended on its own (${how}): ${complaintIn(await log())}`);
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
        if (await settles(exited, patienceMs)) return;
      }
      if (!hasExited) send(-pid, "SIGKILL");
      await exited;
    },
  };
}

/** True if `promise` settles within `ms`. Leaves no timer behind. */
export async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
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
    // It ended in this moment.
  }
}

async function tail(file: string, fromByte: number): Promise<string> {
  try {
    return (await readFile(file)).subarray(fromByte).toString("utf8").slice(-16_384);
  } catch (error) {
    return `(its log cannot be read: ${messageOf(error)})`;
  }
}

/** Errors and hints in a server's log without time stamps; otherwise its last lines. */
export function complaintIn(log: string): string {
  const lines = log.split("\n").filter((line) => line.trim() !== "");
  const plain = lines.map((line) =>
    line.replace(/^\d{4}-\d\d-\d\d [\d:.]+ \w+ (\[\d+\] )?/, "").replace(/\s+/g, " "),
  );
  const complaints = plain.filter((line) =>
    /^(\w+: )?(FATAL|PANIC|ERROR|HINT|DETAIL|error|fatal)\b|^(LOG|WARNING): could not /.test(line),
  );
  const chosen = complaints.length > 0 ? complaints : plain;
  return chosen.slice(-6).join("; ") || "it wrote nothing";
}
