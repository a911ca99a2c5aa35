// The program's side of the protocol, for adapters in JavaScript: `serve` reads commands, sends events and runs the
// handler. An adapter has the calls of its library only.
import { Console } from "node:console";
import { createInterface } from "node:readline";
import { ownMonotonicMs, systemClock } from "../../../foundation/clock.js";
import type { Command, Job, Payload, ProgramEvent, Promised, Start } from "./protocol.js";

export type { Job, Payload, Start } from "./protocol.js";

export interface Library {
  readonly library: string;
  readonly version: string;
  readonly promise: Promised;
  readonly caveat?: string;
  /** True if the adapter awaits the queue's acknowledgement of each job and then calls `finished`. */
  readonly acknowledges?: boolean;
}

export interface Enqueuer {
  /** Resolves once the queue has acknowledged all jobs. `inTransaction`: together with an insert of the caller's. */
  enqueue(jobs: readonly Job[], inTransaction: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface Worker {
  /** Rejects if the library gives up. Left out if it never does. */
  readonly failure?: Promise<never>;
  /** Ends the worker after the jobs under way. */
  stop(): Promise<void>;
}

export interface Handler {
  /**
   * Runs a job: reports its start, takes the payload's time, and reports its end, unless the library acknowledges.
   * Rejects if the payload says that this attempt fails.
   * @param attempt number of the attempt, from 1
   */
  run(payload: Payload, attempt: number): Promise<void>;
  /** Reports the end of a job that the queue has acknowledged. Only if `acknowledges`. */
  finished(payload: Payload, attempt: number): void;
}

export interface Adapter {
  /** Loads the library from the directory of the scenario. Throws `Unusable` if it is missing or too old. */
  load(start: Start): Promise<Library>;
  /** Creates the tables; resolves to the query of jobs (see `Ready.jobs`). */
  install(start: Start): Promise<string>;
  /** Drops tables outside of the schema; left out if there are none. */
  remove?(start: Start): Promise<void>;
  enqueuer(start: Start): Promise<Enqueuer>;
  worker(start: Start, handler: Handler): Promise<Worker>;
}

/** A reason why the library cannot be used, with a remedy. */
export class Unusable extends Error {
  constructor(
    message: string,
    readonly remedy: string,
  ) {
    super(message);
  }
}

/** Milliseconds after which a claimed job may run again; undefined if the scenario leaves that to the library. */
export const leaseMsOf = ({ settings }: Start): number | undefined =>
  settings["leaseMs"] as number | undefined;

/** The same for a library that takes whole seconds. */
export function leaseSecondsOf(start: Start): number | undefined {
  const leaseMs = leaseMsOf(start);
  return leaseMs === undefined ? undefined : Math.ceil(leaseMs / 1000);
}

/** One caveat of several sentences; none if all are false or undefined. */
export function caveatOf(...sentences: readonly (string | false | undefined)[]): Pick<Library, "caveat"> {
  const caveat = sentences.filter((sentence) => sentence).join("; ");
  return caveat === "" ? {} : { caveat };
}

/** Lines that wait for the end of the event loop's turn, so that a turn costs one write. */
let lines = "";

function send(event: ProgramEvent): void {
  if (lines === "") setImmediate(flush);
  lines += `${JSON.stringify(event)}\n`;
}

function flush(): void {
  const text = lines;
  lines = "";
  if (text !== "") process.stdout.write(text);
}

/** Prints an error that does not end the program. */
export const logError = ({ message }: Error): void => void process.stderr.write(`${message}\n`);

function handlerOf({ acknowledges = false }: Library): Handler {
  const report = (event: "started" | "finished" | "failed", { id }: Payload, attempt: number): void =>
    send({ event, id, attempt, atMs: ownMonotonicMs() });
  return {
    async run(payload, attempt) {
      report("started", payload, attempt);
      if (payload.ms > 0) await systemClock.sleep(payload.ms);
      if (attempt <= payload.fails) {
        report("failed", payload, attempt);
        throw new Error(`attempt ${attempt} fails, as the payload says`);
      }
      if (!acknowledges) report("finished", payload, attempt);
    },
    finished: (payload, attempt) => report("finished", payload, attempt),
  };
}

async function serveEnqueuer(enqueuer: Enqueuer, commands: AsyncIterable<Command>): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for await (const command of commands) {
    if ("stop" in command) break;
    const { request, enqueue, transaction = false } = command;
    const enqueued = enqueuer.enqueue(enqueue, transaction).then(
      () => send({ event: "enqueued", request }),
      (error: unknown) => {
        const { message, code } = error as Error & { code?: unknown };
        send({ event: "refused", request, message, ...(typeof code === "string" && { code }) });
      },
    );
    underWay.add(enqueued);
    void enqueued.then(() => underWay.delete(enqueued));
  }
  await Promise.all(underWay);
  await enqueuer.close();
}

async function untilStopped(commands: AsyncIterable<Command>): Promise<void> {
  for await (const command of commands) if ("stop" in command) return;
}

async function runAdapter(adapter: Adapter): Promise<void> {
  const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const first = await input.next();
  if (first.done) return;
  const start = JSON.parse(first.value) as Start;
  const commands = (async function* () {
    for (;;) {
      const line = await input.next();
      if (line.done) return;
      yield JSON.parse(line.value) as Command;
    }
  })();
  const library = await adapter.load(start);
  const ready = { event: "ready", ...library, acknowledges: library.acknowledges ?? false } as const;
  switch (start.role) {
    case "install":
      send({ ...ready, jobs: await adapter.install(start) });
      break;
    case "remove":
      await adapter.remove?.(start);
      send(ready);
      break;
    case "enqueue": {
      const enqueuer = await adapter.enqueuer(start);
      send(ready);
      await serveEnqueuer(enqueuer, commands);
      break;
    }
    case "work": {
      const worker = await adapter.worker(start, handlerOf(library));
      send(ready);
      const stopped = untilStopped(commands);
      await Promise.race([stopped, worker.failure ?? stopped]);
      await worker.stop();
    }
  }
  flush();
}

/** Runs the adapter as the main program of this process: it ends when train-sim says so or goes away. */
export function serve(adapter: Adapter): void {
  // Libraries log to the console; standard output has lines of the protocol alone.
  globalThis.console = new Console(process.stderr);
  runAdapter(adapter).then(
    () => process.exit(0),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const remedy = error instanceof Unusable ? error.remedy : "Correct the adapter or its library.";
      send({ event: "broken", message, remedy });
      flush();
      process.exit(1);
    },
  );
}
