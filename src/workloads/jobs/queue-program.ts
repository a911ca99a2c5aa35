// The program of a trial's queue: its command, its first message, and its restart after a kill.
import { readdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Endpoint } from "../../database/endpoint.js";
import { libpqUrl } from "../../database/libpq.js";
import { builtUrl } from "../../foundation/built.js";
import { monotonicMs, systemClock } from "../../foundation/clock.js";
import { readOrNothing } from "../../foundation/machine-usage.js";
import { packageOf } from "./libraries.js";
import { nodeFor } from "./adapters/library-package.js";
import type { Job, Start } from "./adapters/protocol.js";
import { QueueProcess, type Ready, type RunEvent } from "./queue-process.js";
import type { StandingProcess } from "../workload.js";
import { isDesign, isLibrary, type Treatment } from "./settings.js";

/** Program and arguments of the queue's adapter. */
export function wordsOf(settings: Treatment): readonly string[] {
  const { queue, commands, libraries } = settings;
  const adapter = (name: string): string => fileURLToPath(builtUrl(`./adapters/${name}.js`, import.meta.url));
  if (isDesign(settings)) return [process.execPath, adapter("designs")];
  if (isLibrary(settings)) return [nodeFor(packageOf(queue)?.name ?? queue, libraries), adapter(queue)];
  return commands[queue] ?? [];
}

export interface Place {
  readonly endpoint: Endpoint;
  readonly applicationName: string;
  /** Directory of the trial. */
  readonly directory: string;
}

export async function startMessage(
  settings: Treatment,
  { endpoint, applicationName, directory }: Place,
  share: Pick<Start, "role" | "worker" | "connections" | "concurrency">,
): Promise<Start> {
  return {
    ...share,
    url: await libpqUrl(endpoint, { applicationName, directory }),
    schema: settings.namespace,
    profile: settings.profile,
    directory: settings.libraries,
    settings: { design: settings.queue, ...settings.design },
  };
}

/** Runs a program that ends by itself; resolves to its `ready` event. */
export async function runProgram(settings: Treatment, start: Start): Promise<Ready> {
  const { program, ready } = await QueueProcess.start({
    name: settings.queue,
    words: wordsOf(settings),
    start,
  });
  await program.finish();
  return ready;
}

/** Name of the file in the trial's directory that holds the process id of a program, for faults and evidence. */
const pidFile = (role: string, ordinal: number): string => `queue-${role}-${ordinal}.pid`;
const PID_FILE = /^queue-(enqueue|work)-\d+\.pid$/;

/** The programs that run in a trial. */
export function programs(directory: string): StandingProcess[] {
  return readdirSync(directory).flatMap((name) => {
    const [, role] = PID_FILE.exec(name) ?? [];
    if (role === undefined) return [];
    // The file goes with its program, perhaps after it was listed.
    const pid = Number(readOrNothing(join(directory, name)));
    return pid === 0 ? [] : [{ pid, runsJobs: role === "work" }];
  });
}

/** Largest number of programs that may end by themselves in a trial. */
const CRASHES_MAX = 10;
const RESTART_PAUSE_MS = 200;
const RESTART_PAUSE_MAX_MS = 2_000;

interface Owner {
  readonly role: string;
  readonly ordinal: number;
  readonly directory: string;
}

/** A program that runs for the whole trial. If it is killed or ends by itself, another one takes its place, as under a supervisor. */
export class StandingProgram {
  private current: QueueProcess | undefined;
  private isStopping = false;
  private failure: Error | undefined;
  /** Number of programs that were killed and replaced. */
  kills = 0;
  /** Number of programs that ended by themselves, as after an error of the library, and were replaced. */
  crashes = 0;

  constructor(
    private readonly settings: Treatment,
    private readonly start: Start,
    private readonly owner: Owner,
    private readonly onRun: (event: RunEvent) => void,
    private readonly onKill: (atMs: number) => void,
  ) {}

  async open(): Promise<void> {
    const { settings, start, onRun } = this;
    const words = wordsOf(settings);
    const { program } = await QueueProcess.start({ name: settings.queue, words, start, onRun });
    this.current = program;
    writeFileSync(this.pidPath, String(program.pid));
    void program.ended.then((how) => {
      for (const name of program.unknownEvents) this.unknownEvents.add(name);
      return this.replace(program, how);
    });
    if (this.isStopping) await program.stop();
  }

  enqueue(jobs: readonly Job[], transaction: boolean): Promise<void> {
    this.requireWhole();
    return (this.current as QueueProcess).enqueue(jobs, transaction);
  }

  /** Throws the error after which the program is not started again. */
  requireWhole(): void {
    if (this.failure) throw this.failure;
  }

  /** Names of events that its programs sent and that the protocol does not have. */
  readonly unknownEvents = new Set<string>();

  /** Ends the program after its jobs. Resolves to false if it had to be killed. */
  async stop(): Promise<boolean> {
    this.isStopping = true;
    return (await this.current?.stop()) ?? true;
  }

  private get pidPath(): string {
    return join(this.owner.directory, pidFile(this.owner.role, this.owner.ordinal));
  }

  private async replace(ended: QueueProcess, how: string): Promise<void> {
    try {
      unlinkSync(this.pidPath);
    } catch {
      // A trial that failed may have taken its directory away.
    }
    if (this.isStopping) return;
    if (ended.isAtFault || (how !== "SIGKILL" && ++this.crashes > CRASHES_MAX)) {
      this.failure = ended.failure(`ended by itself ${this.crashes} times (${how})`);
      return;
    }
    if (how === "SIGKILL") this.kills++;
    this.onKill(monotonicMs());
    await this.restart();
  }

  /** Starts a program again and again, with longer pauses, since the server may be away. */
  private async restart(): Promise<void> {
    for (let pauseMs = RESTART_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, RESTART_PAUSE_MAX_MS)) {
      await systemClock.sleep(pauseMs);
      if (this.isStopping) return;
      try {
        await this.open();
        return;
      } catch (error) {
        if (++this.crashes <= CRASHES_MAX) continue;
        this.failure = error instanceof Error ? error : new Error(String(error));
        return;
      }
    }
  }
}
