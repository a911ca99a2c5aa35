// The process of an embedded server, guarded by the reaper. An unexpected loss, and no other, is reported.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../foundation/clock.js";
import { TargetError, UsageError } from "../../foundation/errors.js";
import { isAlive, processTree } from "../../foundation/machine-usage.js";
import type { PostgresBinaries } from "./postgres-binaries.js";
import type { PrivateDirectory } from "../../foundation/process/private-directory.js";
import type { ServerControl } from "../running-target.js";
import { settingNamedIn, serverSettings, type ServerSettings } from "./server-settings.js";
import {
  errorLinesIn,
  freePort,
  send,
  settlesWithin,
  startProcess,
  type ServerProcess,
} from "../../foundation/process/server-process.js";
import type { SmallDisk } from "./small-disk.js";
import type { FullDisk, ShutdownMode } from "../settings.js";

const START_PATIENCE_MS = 60_000;
const POLL_MS = 10;
const PORT_ATTEMPTS = 5;
/** Longest path of a Unix socket in bytes on all systems: Linux allows 107, macOS 103. */
const SOCKET_PATH_BYTES_MAX = 103;
/** Signals that stop a server, by mode: fast shutdown with a checkpoint, immediate shutdown, SIGKILL. */
const STOP_STEPS = {
  fast: [
    { signal: "SIGINT", patienceMs: 15_000 },
    { signal: "SIGQUIT", patienceMs: 7_000 },
  ],
  immediate: [{ signal: "SIGQUIT", patienceMs: 7_000 }],
} as const satisfies Record<ShutdownMode, unknown>;

export interface PostmasterOptions {
  readonly directory: PrivateDirectory;
  readonly binaries: PostgresBinaries;
  readonly settings: ServerSettings;
  /** Loopback port; 0 or left out picks a free port. */
  readonly port?: number;
  readonly maxConnectionsNeeded: number;
  readonly tls: "off" | "on" | "with-client-ca";
  readonly disks: Readonly<Partial<Record<FullDisk, SmallDisk>>>;
  readonly settle: (pid: number) => void;
}

export class Postmaster implements ServerControl {
  readonly disks: PostmasterOptions["disks"];
  /** Settles if the server ended unexpectedly, with how it ended and the last lines of its log. */
  readonly lost: Promise<string>;
  private declareLost: (words: string) => void = () => undefined;
  private server: ServerProcess | undefined;
  private chosenPort = 0;
  /** Number of announced reasons to expect the server's end. While it is above 0, `lost` does not settle. */
  private expected = 0;

  private constructor(private readonly options: PostmasterOptions) {
    this.disks = options.disks;
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
  }

  /**
   * Starts a server whose cluster is in `data` below the directory. If another program takes a port that was picked here,
   * another port is picked.
   */
  static async start(options: PostmasterOptions): Promise<Postmaster> {
    const postmaster = new Postmaster(options);
    for (let attempt = 1; ; attempt++) {
      const isPortChosenHere = !options.port;
      postmaster.chosenPort = options.port ? options.port : await freePort();
      const failure = await postmaster.launch();
      if (failure === undefined) return postmaster;
      const isPortTaken = /could not bind .*address/i.test(failure);
      if (isPortTaken && isPortChosenHere && attempt < PORT_ATTEMPTS) continue;
      throw startError(failure, options.settings, isPortTaken ? postmaster.chosenPort : undefined);
    }
  }

  get port(): number {
    return this.chosenPort;
  }

  get pid(): number {
    return this.server?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.server !== undefined && !this.server.hasExited;
  }

  expectLoss(): () => void {
    this.expected++;
    return () => {
      this.expected--;
      if (!this.isRunning && this.expected === 0)
        this.declareLost("the embedded PostgreSQL was not started again");
    };
  }

  /** Makes the server read its configuration files again. */
  reload(): void {
    if (this.isRunning) send(this.pid, "SIGHUP");
  }

  /** Makes the server refuse new sessions. Existing sessions continue, and the server ends with the last of them. */
  refuseNewSessions(): void {
    if (this.isRunning) send(this.pid, "SIGTERM");
  }

  wake(): void {
    for (const pid of this.processes()) send(pid, "SIGCONT");
  }

  processes(): readonly number[] {
    return this.isRunning ? processTree(this.pid) : [];
  }

  /** Shuts the server down and resolves to how it ended. Never rejects. */
  async shutDown(mode: ShutdownMode): Promise<string> {
    if (!this.server) return "never started";
    await this.server.stop(STOP_STEPS[mode]);
    return this.server.exited;
  }

  async kill(): Promise<void> {
    const { server } = this;
    if (!server || server.hasExited) return;
    // While the postmaster is suspended it makes no new processes, so that the list is complete.
    send(server.pid, "SIGSTOP");
    const children = processTree(server.pid).slice(1);
    for (const child of children) send(child, "SIGKILL");
    await server.stop([]);
    const deadlineMs = systemClock.nowMs() + START_PATIENCE_MS;
    while (children.some(isAlive)) {
      if (systemClock.nowMs() > deadlineMs)
        throw new TargetError(`processes of the killed server do not go away: ${children.join(", ")}`);
      await systemClock.sleep(POLL_MS);
    }
  }

  async start(): Promise<void> {
    const failure = await this.launch();
    if (failure !== undefined)
      throw new TargetError(`the embedded PostgreSQL does not start again: ${failure}`);
  }

  /**
   * Starts the process. Resolves to undefined once the server accepts connections; otherwise, once no process is left, to
   * the reason.
   */
  private async launch(): Promise<string | undefined> {
    const { directory, binaries, settings, maxConnectionsNeeded, tls, settle } = this.options;
    const { port } = this;
    const socketDirectory =
      Buffer.byteLength(join(directory.path, `.s.PGSQL.${port}`)) <= SOCKET_PATH_BYTES_MAX
        ? directory.path
        : "";
    const { modules } = binaries;
    const effectiveSettings = serverSettings(settings, {
      port,
      socketDirectory,
      maxConnectionsNeeded,
      modules,
      tls,
    });
    const args = ["-D", join(directory.path, "data"), ...effectiveSettings.flatMap((pair) => ["-c", pair])];
    const server = await startProcess("the embedded PostgreSQL", directory, binaries.postgres, args);
    this.server = server;
    settle(server.pid);
    const failure = await waitUntilReady(server, directory);
    if (failure !== undefined) await server.stop(STOP_STEPS.fast);
    else
      void server.lost.then((words) => {
        if (this.expected === 0) this.declareLost(words);
      });
    return failure;
  }
}

/**
 * Waits for the start. Resolves to undefined once the server accepts connections, otherwise to the reason why it does not.
 */
async function waitUntilReady(
  server: ServerProcess,
  directory: PrivateDirectory,
): Promise<string | undefined> {
  const deadlineMs = systemClock.nowMs() + START_PATIENCE_MS;
  while (systemClock.nowMs() < deadlineMs) {
    if (server.hasExited) return errorLinesIn(await server.log());
    if (await isReady(server.pid, join(directory.path, "data"))) return undefined;
    await settlesWithin(server.exited, POLL_MS);
  }
  return `it did not accept connections within ${START_PATIENCE_MS / 1000} s: ${errorLinesIn(await server.log())}`;
}

/** True if postmaster.pid has this pid on line 1 and the status "ready" on line 8. */
async function isReady(pid: number, dataDirectory: string): Promise<boolean> {
  try {
    const lines = (await readFile(join(dataDirectory, "postmaster.pid"), "utf8")).split("\n");
    return Number(lines[0]) === pid && lines[7]?.trim() === "ready";
  } catch {
    return false;
  }
}
function startError(failure: string, settings: ServerSettings, takenPort: number | undefined): Error {
  if (takenPort !== undefined) {
    return new TargetError(
      `the embedded PostgreSQL cannot listen on 127.0.0.1:${takenPort}: ${failure}`,
      "Choose another target.port, or leave it out to have a free one picked.",
    );
  }
  const name = settingNamedIn(failure, settings);
  if (name === undefined) return new TargetError(`the embedded PostgreSQL does not start: ${failure}`);
  return new UsageError(
    `target.settings.${name}: PostgreSQL refuses ${JSON.stringify(settings[name])}: ${failure}`,
    "Correct the setting or take it out.",
  );
}
