// One managed pooler: its directory, its port, and its process, which can be stopped and started again with the same
// directory and port. An unexpected end is reported.
import { join } from "node:path";
import { systemClock } from "../foundation/clock.js";
import { TargetError } from "../foundation/errors.js";
import { addressOf, type Endpoint } from "../database/endpoint.js";
import { makePrivateDirectory, type PrivateDirectory } from "../foundation/process/private-directory.js";
import {
  errorLinesIn,
  freePort,
  startProcess,
  type ServerProcess,
} from "../foundation/process/server-process.js";
import type { ManagedInstance } from "./running-pooler.js";
import type { PoolerProgram } from "./strategy.js";

const START_PATIENCE_MS = 15_000;
const STOP_PATIENCE_MS = 3_000;
const POLL_MS = 5;
const PORT_ATTEMPTS = 5;

export interface PoolerRun {
  readonly product: string;
  readonly program: PoolerProgram;
  /** Purpose of the private directory; it becomes part of the directory's name. */
  readonly purpose: string;
  /** File name of the configuration in the private directory. */
  readonly configuration: string;
  /** Command-line arguments of the program, given its private directory. */
  arguments(directory: string): readonly string[];
  /** Writes secrets and certificates; resolves to a function that gives the text of the configuration for a port. */
  prepare(directory: PrivateDirectory): Promise<(port: number) => string>;
  /** Pattern of the log line that the port is bound; the next one, of the line that the port is taken. */
  readonly isUp: RegExp;
  readonly isPortTaken: RegExp;
  /** Signal that ends the program without waiting for its clients. */
  readonly quit: NodeJS.Signals;
  readonly client: Omit<Endpoint, "host" | "port">;
  readonly console: Omit<Endpoint, "host" | "port">;
}

export class PoolerProcess implements ManagedInstance {
  readonly lost: Promise<string>;
  readonly client: Endpoint;
  readonly console: Endpoint;
  private declareLost: (words: string) => void = () => undefined;
  private process: ServerProcess | undefined;

  private constructor(
    private readonly run: PoolerRun,
    private readonly directory: PrivateDirectory,
    port: number,
  ) {
    const at = { host: "127.0.0.1", port };
    this.client = { ...at, ...run.client };
    this.console = { ...at, ...run.console };
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
  }

  /**
   * Starts a pooler; resolves once it listens. Tries another port if one turns out to be taken. On rejection no process is
   * left.
   */
  static async start(run: PoolerRun, choosePort: () => Promise<number> = freePort): Promise<PoolerProcess> {
    const directory = await makePrivateDirectory(run.purpose);
    try {
      const textFor = await run.prepare(directory);
      for (let attempt = 1; ; attempt++) {
        const port = await choosePort();
        await directory.write(run.configuration, textFor(port));
        const instance = new PoolerProcess(run, directory, port);
        const failure = await instance.launch();
        if (failure === undefined) return instance;
        if (!run.isPortTaken.test(failure) || attempt >= PORT_ATTEMPTS) throw instance.refusal(failure);
      }
    } catch (error) {
      await directory.remove();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  async shutDown(how: "at-once" | "kill"): Promise<void> {
    const { process } = this;
    this.process = undefined;
    // Without a signal to try first, `stop` sends SIGKILL at once.
    await process?.stop(how === "kill" ? [] : [{ signal: this.run.quit, patienceMs: STOP_PATIENCE_MS }]);
  }

  async start(): Promise<void> {
    const failure = await this.launch();
    if (failure !== undefined) throw this.refusal(failure);
  }

  async stop(): Promise<void> {
    await this.shutDown("at-once");
    await this.directory.remove();
  }

  /**
   * Starts the process; resolves to undefined once the pooler listens, otherwise to the reason, and then the process is
   * gone.
   */
  private async launch(): Promise<string | undefined> {
    const { directory, run } = this;
    const title = `${run.product} at ${addressOf(this.client)}`;
    const process = await startProcess(title, directory, run.program.path, run.arguments(directory.path));
    const failure = await waitUntilUp(process, run.isUp);
    if (failure === undefined) {
      this.process = process;
      void process.lost.then((words) => this.declareLost(words));
    } else await process.stop([{ signal: run.quit, patienceMs: STOP_PATIENCE_MS }]);
    return failure;
  }

  private refusal(failure: string): TargetError {
    const { product, program, configuration } = this.run;
    return new TargetError(
      `${product} ${program.version} (${program.path}) does not start: ${failure}`,
      `Its configuration was ${join(this.directory.path, configuration)}.`,
    );
  }
}

/** Waits for the pooler; resolves to undefined once it listens, otherwise to the reason. */
async function waitUntilUp(process: ServerProcess, isUp: RegExp): Promise<string | undefined> {
  const deadlineMs = systemClock.nowMs() + START_PATIENCE_MS;
  const ended = new AbortController();
  void process.exited.then(() => ended.abort());
  while (systemClock.nowMs() < deadlineMs) {
    // `hasExited` is read before the log, so that the last lines of an ended process are not missed.
    const { hasExited } = process;
    const log = await process.log();
    if (hasExited) return errorLinesIn(log);
    if (isUp.test(log)) return undefined;
    await systemClock.sleep(POLL_MS, ended.signal);
  }
  return `it did not listen within ${START_PATIENCE_MS / 1000} s: ${errorLinesIn(await process.log())}`;
}
