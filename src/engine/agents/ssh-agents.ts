// Agents that a run starts by itself with OpenSSH's client. The same connection forwards the coordinator's port, so that none has
// to be open, and the token goes to the agent's standard input, where no list of processes shows it.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { messageOf, TargetError, UsageError } from "../../foundation/errors.js";
import { guardProcess } from "../../foundation/process/reaper.js";
import { passwordlessEnvironment } from "../../foundation/process/run-command.js";
import { errorLinesIn, drawPort, send, settlesWithin } from "../../foundation/process/server-process.js";
import { shellWord, escapeControlCharacters } from "../../foundation/shown.js";

export interface SshSettings {
  /** Hosts, each once, that `isSshHost` accepts; each agent is named after its host. */
  readonly hosts: readonly string[];
  readonly command: string;
}

interface SshOptions extends SshSettings {
  readonly port: number;
  readonly token: string;
  readonly note: (words: string) => void;
}

/** Whether the text is `host` or `user@host`, and neither an ssh option nor more than one word for a shell. */
export function isSshHost(text: string): boolean {
  return /^[\w.:][\w.:@-]{0,99}$/.test(text);
}

/** Time for an agent to join: the coordinator already listens when ssh starts, so a later agent will not come at all. */
const JOIN_WAIT_DURATION = "5s";
/** Time for an agent to end after the run, and then for ssh to end after each signal. */
const PATIENCE_MS = 3_000;
/** Maximum number of lines of ssh's output that are kept, for an error message. */
const OUTPUT_LINES_MAX = 50;

const SSH_ARGUMENTS = [
  "-T",
  ...["BatchMode=yes", "ExitOnForwardFailure=yes"].flatMap((option) => ["-o", option]),
  // ControlPath=none, because a shared connection would keep the forwarded port; RemoteCommand=none, because a command
  // in the user's ssh_config would run instead.
  ...["ControlPath=none", "RemoteCommand=none"].flatMap((option) => ["-o", option]),
];

export class SshAgents {
  private readonly agents: readonly SshAgent[];

  constructor(options: SshOptions) {
    // Several host names may be one machine, where each agent needs a different port.
    const firstPort = drawPort();
    this.agents = options.hosts.map((host, i) => new SshAgent(host, firstPort + i, options));
  }

  /** Waits for the first ssh process to end, and rejects with its last output. */
  rejectAtFirstEnd(): Promise<never> {
    return Promise.race(this.agents.map((agent) => agent.rejectAtEnd()));
  }

  /** Ends all ssh processes. To be called once the coordinator is closed. */
  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.close()));
  }
}

class SshAgent {
  private readonly child: ChildProcess;
  private readonly lines: string[] = [];
  /** The end of ssh: resolves to how it ended, rejects if it could not be started. */
  private readonly ended: Promise<string>;

  constructor(
    private readonly host: string,
    port: number,
    private readonly options: SshOptions,
  ) {
    const { command, port: hubPort, token, note } = options;
    const agent = `agent --join ws://127.0.0.1:${port} --token-file - --again --name ${host} --wait ${JOIN_WAIT_DURATION}`;
    const tunnel = `127.0.0.1:${port}:127.0.0.1:${hubPort}`;
    // A separate session, so that Ctrl-C reaches the coordinator only, which ends its trials in order.
    const child = spawn("ssh", [...SSH_ARGUMENTS, "-R", tunnel, "--", host, `${command} ${agent}`], {
      detached: true,
      env: passwordlessEnvironment(),
      stdio: ["pipe", "ignore", "pipe"],
    });
    this.child = child;
    this.ended = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    child.stdin.on("error", () => undefined); // it has ended unheard
    child.stdin.end(`${token}\n`);
    createInterface({ input: child.stderr }).on("line", (line) => {
      const words = escapeControlCharacters(line);
      this.lines.push(words);
      if (this.lines.length > OUTPUT_LINES_MAX) this.lines.shift();
      note(`${host}: ${words}`);
    });
    if (child.pid !== undefined) this.guardSshProcess(child.pid);
  }

  async rejectAtEnd(): Promise<never> {
    const exitText = await this.ended.catch((error: unknown) => {
      throw new UsageError(
        `ssh cannot be started: ${messageOf(error)}`,
        "Install OpenSSH's client, or start agents on their hosts yourself: train-sim agent",
      );
    });
    const { host, options } = this;
    throw new TargetError(
      `there is no agent on ${host}: ssh ended with ${exitText}: ${errorLinesIn(this.lines.join("\n"))}`,
      `Try it yourself: ${manualSshCommand(host, options.command)}`,
    );
  }

  async close(): Promise<void> {
    const processEnd = this.ended.catch(() => undefined);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await settlesWithin(processEnd, PATIENCE_MS)) return;
      send(-(this.child.pid as number), signal);
    }
    await processEnd;
  }

  private guardSshProcess(pid: number): void {
    // Guarding may fail: even without its guard, ssh ends when the program on the host ends.
    void Promise.all([guardProcess(pid), this.ended]).then(
      ([release]) => release(),
      () => undefined,
    );
  }
}

export function manualSshCommand(host: string, command: string): string {
  return `ssh ${host} ${shellWord(`${command} --version`)}`;
}
