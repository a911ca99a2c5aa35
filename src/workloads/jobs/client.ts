import { correctionMs, monotonicMs } from "../../foundation/clock.js";
import { shareOf } from "../../foundation/share.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import { prepareNothing } from "../../clients/client.js";
import type { PreparedTransaction } from "../../database/session.js";
import { LifecycleClock } from "../publish-times.js";
import { singleOperationPlan } from "../one-role.js";
import type { ClientContext, WorkloadClients } from "../workload.js";
import type { Job, Start } from "./adapters/protocol.js";
import { JobMaker } from "./job.js";
import type { RunEvent } from "./queue-process.js";
import { StandingProgram, startMessage } from "./queue-program.js";
import { RunFile } from "./run-file.js";
import { BYSTANDERS, type Treatment } from "./settings.js";
import type { JobsStore } from "./store.js";

/** Milliseconds after which an idle client looks whether its phase is over. */
const LOOK_MS = 50;

/** Number of connections that the program of this worker may open: its share of the pool. */
function connectionsOf({ assignment }: ClientContext<Treatment>): number {
  const { settings, role, index } = assignment;
  const { actors, pool } = settings;
  const workersOf = (name: string): number => actors[name]?.workers ?? 0;
  const first = role === "workers" ? workersOf("enqueuers") : 0;
  const programs = workersOf("enqueuers") + workersOf("workers");
  const size = pool.strategy === "own" ? pool.size : programs * (assignment.clients + 1);
  return Math.max(1, shareOf(size, programs, first + index));
}

async function standingProgram(
  context: ClientContext<Treatment>,
  role: Start["role"],
  onRun: (event: RunEvent) => void,
  onKill: (atMs: number) => void,
): Promise<StandingProgram> {
  const { assignment, applicationName } = context;
  const { settings, directory, endpoints, clients, ordinal } = assignment;
  const [endpoint] = endpoints;
  if (!endpoint) throw new RangeError("a queue needs an endpoint");
  const share = { role, worker: assignment.index, connections: connectionsOf(context), concurrency: clients };
  const start = await startMessage(settings, { endpoint, applicationName, directory }, share);
  const program = new StandingProgram(settings, start, { role, ordinal, directory }, onRun, onKill);
  await program.open();
  return program;
}

/** Clients that enqueue batches of jobs, one at a time each, through the program of their worker. */
async function enqueuers(context: ClientContext<Treatment>): Promise<WorkloadClients> {
  const { assignment, operations } = context;
  const { settings, ordinal, directory, trial } = assignment;
  const { batch, transaction } = settings.enqueue;
  const maker = new JobMaker(settings, trial.seed);
  const clock = new LifecycleClock(assignment.shared, assignment.mirroredOrdinals);
  const file = new RunFile(directory, ordinal);
  const program = await standingProgram(
    context,
    "enqueue",
    () => undefined,
    () => undefined,
  );
  const writes = { client: ordinal, sent: 0, failed: [] as number[], inDoubt: [] as number[] };
  const drawn: ({ readonly number: number; readonly jobs: readonly Job[] } | undefined)[] = [];
  const draw = (client: number): { readonly number: number; readonly jobs: readonly Job[] } => {
    const known = drawn[client];
    drawn[client] = undefined;
    if (known) return known;
    const number = writes.sent++;
    return { number, jobs: maker.batch(ordinal, number) };
  };
  return {
    prepare: (client) => void (drawn[client] = draw(client)),
    async iterate(client, intendedMs) {
      const { number, jobs } = draw(client);
      const end = await operations.run({
        operation: "enqueue",
        client,
        intendedMs,
        isPoll: false,
        isFinalIfInDoubt: true,
        events: () => batch,
        body: () => program.enqueue(jobs, transaction),
      });
      if (end.kind === "failed") {
        writes.failed.push(number);
        if (end.inDoubt) writes.inDoubt.push(number);
        return;
      }
      clock.recordPublication(ordinal, number, end.finishedMs);
      file.batch(ordinal, number, end.finishedMs);
    },
    flush: () => file.flush(),
    async close() {
      for (const left of drawn) if (left) writes.failed.push(left.number);
      await program.stop();
      file.close();
      return writes;
    },
  };
}

/** Clients of a worker whose program runs jobs: each is a job that the program may work on at a time. */
async function workers(context: ClientContext<Treatment>): Promise<WorkloadClients> {
  const { assignment, recorder, sleeper, time } = context;
  const { settings, ordinal, directory } = assignment;
  const clock = new LifecycleClock(assignment.shared, assignment.mirroredOrdinals);
  const file = new RunFile(directory, ordinal);
  /** Start of each run under way, by job. */
  const startsMs = new Map<string, number>();
  /** Jobs whose run was ended by a kill, until they run again: that start is no pickup. */
  const interrupted = new Set<string>();
  const record = (stage: "pickup" | "completion") => (latencyMs: number, atMs: number) =>
    recorder.lifecycle(stage, Math.max(0, latencyMs - settings.delayMs), atMs);
  const [recordPickup, recordCompletion] = [record("pickup"), record("completion")];

  function onRun({ event, id, attempt, atMs: ownMs }: RunEvent): void {
    const atMs = ownMs + correctionMs(ownMs);
    file.run(id, event, atMs);
    if (event === "started") {
      startsMs.set(id, atMs);
      const isRerun = interrupted.delete(id) || attempt > 1;
      if (!isRerun) clock.recordStage([id], atMs, recordPickup);
      return;
    }
    const startMs = startsMs.get(id) ?? atMs;
    startsMs.delete(id);
    if (event === "failed") {
      recorder.retry("work", "handler-failed", atMs);
      return;
    }
    const serviceMs = Math.max(0, atMs - startMs);
    recorder.transaction("work", {
      finishedMs: atMs,
      events: 1,
      serviceMs,
      responseMs: serviceMs,
      poolWaitMs: 0,
    });
    clock.recordStage([id], atMs, recordCompletion);
  }

  function onKill(atMs: number): void {
    for (const id of startsMs.keys()) {
      file.run(id, "interrupted", atMs);
      interrupted.add(id);
    }
    startsMs.clear();
  }

  const program = await standingProgram(context, "work", onRun, onKill);
  return {
    prepare: prepareNothing,
    // The program works by itself: its events are recorded when they arrive.
    async iterate(client) {
      program.requireWhole();
      const startMs = monotonicMs();
      time.bookWork(client, startMs);
      await sleeper.sleep(LOOK_MS);
      time.book(client, "service", startMs, monotonicMs());
    },
    flush() {
      clock.settlePending();
      file.flush();
    },
    async close() {
      const isEnded = await program.stop();
      clock.close();
      file.close();
      const { kills, crashes, unknownEvents } = program;
      return { unmatched: clock.unmatched, kills, crashes, isEnded, unknownEvents: [...unknownEvents] };
    },
  };
}

/** Clients that have nothing to do with the queue: each adds to a counter of a row, in a transaction. */
function bystanders(store: JobsStore, context: ClientContext<Treatment>): WorkloadClients {
  const { assignment, transactor } = context;
  const { settings, trial, role, firstClient, clients } = assignment;
  const operations = store.operations(settings);
  const prngs = Array.from(
    { length: clients },
    (_, client) => new Prng(deriveSeed(trial.seed, role, firstClient + client)),
  );
  const drawn: (PreparedTransaction<true> | undefined)[] = [];
  const draw = (client: number): PreparedTransaction<true> =>
    drawn[client] ?? operations.bystand((prngs[client] as Prng).intBetween(1, BYSTANDERS));
  return {
    prepare: (client) => void (drawn[client] = draw(client)),
    async iterate(client, intendedMs) {
      const body = draw(client);
      drawn[client] = undefined;
      await transactor.run<true>({ ...singleOperationPlan("bystand", client, intendedMs), body });
    },
  };
}

export function client(
  store: JobsStore,
  context: ClientContext<Treatment>,
): WorkloadClients | Promise<WorkloadClients> {
  switch (context.assignment.role) {
    case "enqueuers":
      return enqueuers(context);
    case "workers":
      return workers(context);
    default:
      return bystanders(store, context);
  }
}
