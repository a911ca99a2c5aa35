// A queue's program as a child process: train-sim's side of the protocol.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import * as z from "zod";
import { InDoubtError } from "../../database/errors.js";
import { withinMs } from "../../foundation/deadline.js";
import { ownMonotonicMs } from "../../foundation/clock.js";
import { messageOf, TrialError } from "../../foundation/errors.js";
import { guardProcess } from "../../foundation/process/reaper.js";
import { issueWords } from "../../syntax/issue-words.js";
import type { Command, Job, Start } from "./adapters/protocol.js";

const READY_TIMEOUT_MS = 120_000;
/** Longest time from the command to stop to the end of the process, which is killed then. */
const STOP_TIMEOUT_MS = 15_000;
/** Longest time from the first request to the first answer. Later requests may wait for a server that is away. */
const FIRST_ANSWER_TIMEOUT_MS = 120_000;
const LOG_LINES_MAX = 20;
const LOG_LINE_CHARACTERS_MAX = 500;
/** Milliseconds by which an event may lie outside of its process's life, by the rounding of clocks. */
const CLOCK_MARGIN_MS = 1_000;
/** The page that describes the protocol. */
export const PAGE = "docs/reference/queue-adapters.md";

const Ready = z.object({
  event: z.literal("ready"),
  library: z.string(),
  version: z.string(),
  promise: z.enum(["at-least-once", "at-most-once", "exactly-once"]),
  caveat: z.string().optional(),
  acknowledges: z.boolean(),
  jobs: z.string().optional(),
});
export type Ready = z.infer<typeof Ready>;

const RunEvent = z.object({
  event: z.enum(["started", "finished", "failed"]),
  id: z.string(),
  attempt: z.number(),
  atMs: z.number(),
});
export type RunEvent = z.infer<typeof RunEvent>;

const ProgramEvent = z.discriminatedUnion("event", [
  Ready,
  RunEvent,
  z.object({ event: z.literal("enqueued"), request: z.number() }),
  z.object({
    event: z.literal("refused"),
    request: z.number(),
    message: z.string(),
    code: z.string().optional(),
  }),
  z.object({ event: z.literal("broken"), message: z.string(), remedy: z.string() }),
]);

/** Refusal of jobs by the queue's program. `code` is an SQLSTATE or a code of the system. */
class RefusedError extends Error {
  override readonly name = "RefusedError";

  constructor(
    message: string,
    readonly code: string | undefined,
  ) {
    super(message);
  }
}

/** SQLSTATE of an error that the server answered while the session lived: the jobs are then not there. */
const isAnswer = (code: string | undefined): boolean =>
  code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P|E)/.test(code);

const EVENT_NAMES: readonly string[] = [
  "ready",
  "started",
  "finished",
  "failed",
  "enqueued",
  "refused",
  "broken",
];
/** Largest number of names that are kept of events that the protocol does not have. */
const UNKNOWN_NAMES_MAX = 3;

export interface ProgramOptions {
  /** Name of the queue, for messages. */
  readonly name: string;
  readonly words: readonly string[];
  readonly start: Start;
  readonly onRun?: (event: RunEvent) => void;
}

interface Request {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class QueueProcess {
  private readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly requests = new Map<number, Request>();
  private readonly log: string[] = [];
  private nextRequest = 0;
  private hasEnded = false;
  /** Names of events that the protocol does not have. They may be lines of a library's log. */
  readonly unknownEvents = new Set<string>();
  /** True if the program broke the protocol: it was killed, and another one would do the same. */
  isAtFault = false;
  private breakage: { readonly message: string; readonly remedy: string } | undefined;
  private firstAnswerTimer: NodeJS.Timeout | undefined;
  private readonly startedMs = ownMonotonicMs();
  private settleReady: ((ready: Ready) => void) | undefined;
  /** Resolves when the process has ended and all its events were read: with the way it ended. Never rejects. */
  readonly ended: Promise<string>;
  readonly pid: number | undefined;

  private constructor(private readonly options: ProgramOptions) {
    const { words, start } = options;
    const [program = "", ...args] = words;
    const environment = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith("PG")),
    );
    this.child = spawn(program, args, {
      cwd: start.directory,
      stdio: ["pipe", "pipe", "pipe"],
      env: environment,
    });
    this.pid = this.child.pid;
    this.child.stdin.on("error", () => undefined); // the end of the process says it
    const output = createInterface({ input: this.child.stdout });
    output.on("line", (line) => this.read(line));
    const errors = createInterface({ input: this.child.stderr });
    errors.on("line", (line) => this.keep(line));
    this.ended = this.end(Promise.all([once(output, "close"), once(errors, "close")]));
  }

  /** Starts the program and resolves once it is ready. Rejects with a TrialError that has its reason or its last lines. */
  static async start(
    options: ProgramOptions,
  ): Promise<{ readonly program: QueueProcess; readonly ready: Ready }> {
    const program = new QueueProcess(options);
    const ready = await program.becomeReady();
    return { program, ready };
  }

  private async becomeReady(): Promise<Ready> {
    const ready = new Promise<Ready>((resolve) => (this.settleReady = resolve));
    this.write(this.options.start);
    const outcome = await withinMs(
      Promise.race([ready, this.ended.then((how) => this.failure(`ended before it was ready (${how})`))]),
      READY_TIMEOUT_MS,
    ).catch(() => {
      this.child.kill("SIGKILL");
      return this.failure(`was not ready after ${READY_TIMEOUT_MS / 1000} s`);
    });
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  /**
   * Resolves once the queue has acknowledged the jobs. Rejects with the answer's error, or with an InDoubtError if the jobs
   * may be there.
   */
  enqueue(jobs: readonly Job[], transaction: boolean): Promise<void> {
    if (this.hasEnded)
      return Promise.reject(new RefusedError("the queue's program has ended", "ECONNREFUSED"));
    const request = this.nextRequest++;
    if (request === 0)
      this.firstAnswerTimer = setTimeout(
        () =>
          this.blame(
            `it has answered none of ${this.requests.size} requests for ${FIRST_ANSWER_TIMEOUT_MS / 1000} s`,
          ),
        FIRST_ANSWER_TIMEOUT_MS,
      );
    const answered = new Promise<void>((resolve, reject) => this.requests.set(request, { resolve, reject }));
    this.write({ enqueue: jobs, request, transaction });
    return answered;
  }

  /** Lets the program end its jobs; kills it if it takes too long. Resolves to false if it was killed. */
  async stop(timeoutMs = STOP_TIMEOUT_MS): Promise<boolean> {
    this.write({ stop: true });
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill("SIGKILL"), timeoutMs);
    const how = await this.ended;
    clearTimeout(timer);
    return how !== "SIGKILL";
  }

  /** Waits for a program that ends by itself. Throws a TrialError if it fails. */
  async finish(): Promise<void> {
    const how = await this.ended;
    if (how !== "exit code 0") throw this.failure(how);
  }

  /** The error of a program that ended without being asked to. */
  failure(what: string): TrialError {
    if (this.breakage)
      return new TrialError(`queue ${this.options.name}: ${this.breakage.message}`, this.breakage.remedy);
    const outputText =
      this.log.length === 0 ? "it printed nothing" : `it printed: ${this.log.slice(-5).join(" | ")}`;
    return new TrialError(
      `the program of queue ${this.options.name} ${what}; ${outputText}`,
      `Run it by hand: ${this.options.words.join(" ")}`,
    );
  }

  private async end(outputEnd: Promise<unknown>): Promise<string> {
    let release: (() => void) | undefined;
    let how: string;
    try {
      const exit = once(this.child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
      exit.catch(() => undefined);
      await once(this.child, "spawn");
      release = await guardProcess(this.child.pid as number);
      const [code, signal] = await exit;
      await outputEnd;
      how = signal ?? `exit code ${code}`;
    } catch (error) {
      how = messageOf(error);
      this.breakage ??= {
        message: `its program cannot be started: ${how}`,
        remedy: "Correct `commands`, or install the program.",
      };
    }
    release?.();
    clearTimeout(this.firstAnswerTimer);
    this.hasEnded = true;
    for (const { reject } of this.requests.values())
      reject(new InDoubtError(new RefusedError(`the queue's program ended (${how})`, "ECONNRESET")));
    this.requests.clear();
    return how;
  }

  private write(message: Start | Command): void {
    if (this.child.stdin.writable) this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  private keep(line: string): void {
    this.log.push(line.slice(0, LOG_LINE_CHARACTERS_MAX));
    if (this.log.length > LOG_LINES_MAX) this.log.shift();
  }

  private read(line: string): void {
    const written = objectIn(line);
    const name = written?.event;
    if (written === undefined || typeof name !== "string" || !EVENT_NAMES.includes(name)) {
      this.keep(line); // libraries print to standard output, too
      if (typeof name === "string" && this.unknownEvents.size < UNKNOWN_NAMES_MAX)
        this.unknownEvents.add(name);
      return;
    }
    const { data: event, error } = ProgramEvent.safeParse(written);
    if (!event) {
      const problems = error.issues.map((issue) => issueWords(issue)).join("; ");
      this.blame(`its event ${name} is not as the protocol says: ${problems}`);
      return;
    }
    switch (event.event) {
      case "ready":
        this.settleReady?.(event);
        return;
      case "enqueued":
        this.take(event.request)?.resolve();
        return;
      case "refused": {
        const error = new RefusedError(event.message, event.code);
        this.take(event.request)?.reject(isAnswer(event.code) ? error : new InDoubtError(error));
        return;
      }
      case "broken":
        this.breakage = event;
        return;
      case "started":
      case "finished":
      case "failed":
        this.run(event);
    }
  }

  private run(event: RunEvent): void {
    const nowMs = ownMonotonicMs();
    if (event.atMs >= this.startedMs - CLOCK_MARGIN_MS && event.atMs <= nowMs + CLOCK_MARGIN_MS)
      this.options.onRun?.(event);
    else
      this.blame(
        `its event ${event.event} has atMs ${event.atMs}, which is not within the life of its process: ` +
          `${this.startedMs.toFixed(0)} to ${nowMs.toFixed(0)} on the monotonic clock of this machine`,
      );
  }

  /** Ends a program whose events cannot be understood. */
  private blame(message: string): void {
    this.breakage ??= { message, remedy: `Correct the program: ${PAGE}.` };
    this.isAtFault = true;
    this.child.kill("SIGKILL");
  }

  private take(request: number): Request | undefined {
    clearTimeout(this.firstAnswerTimer);
    const found = this.requests.get(request);
    this.requests.delete(request);
    return found;
  }
}

/** The object of a line; undefined for other text. */
function objectIn(line: string): { readonly event?: unknown } | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as object;
  } catch {
    return undefined;
  }
}
