// One phase of a worker. When it ends, running iterations finish and waiting ones do not start.
import { monotonicMs } from "../foundation/clock.js";
import { deriveSeed, Prng } from "../foundation/prng.js";
import type { Arrival } from "../load/arrivals.js";
import { createPacer, type PacingPlan } from "../load/executors/registry.js";
import type { ArrivalObserver, Pacer, IterationStart } from "../load/pacer.js";
import type { PunctualSleeper } from "../load/punctual-sleeper.js";
import { isOpenLoop } from "../load/load-settings.js";
import type { Clients } from "./client.js";
import type { Assignment, ThreadAssignment } from "./assignment.js";
import type { TimeAccount } from "./time-account.js";

export type PhaseName = "warm-up" | "measure" | "drain" | "stopped";

/** A phase of a trial in one worker: a loop for each client. Setting `isOver` asks the loops to end. */
export interface Phase {
  /** Name of the phase at its start: clients of a closed loop continue from the warm-up into the window. */
  readonly name: PhaseName;
  isOver: boolean;
  /** End of the latest iteration in monotonic milliseconds; the phase's start before the first iteration ends. */
  lastIterationEndMs: number;
  done: Promise<void>;
  pacer?: Pacer;
}

export interface PhaseOptions {
  readonly name: PhaseName;
  readonly plan: PacingPlan;
  /** True if clients have think times and start one by one. */
  readonly isPaced: boolean;
  /** Start in monotonic milliseconds, equal in all workers; it may lie a moment in the past. */
  readonly startMs: number;
  /** End of the phase in monotonic milliseconds; Infinity while it is not known. */
  readonly endMs: () => number;
  readonly assignment: ThreadAssignment;
  readonly clients: Clients;
  readonly sleeper: PunctualSleeper;
  readonly arrivals: ArrivalObserver;
  readonly time: TimeAccount;
}

const NO_THINK_TIME = { min: 0, max: 0 };
/** Maximum number of clients of a worker that take part in the drain. */
const DRAIN_CLIENTS_MAX = 8;

/** Maximum number of ends of think times per millisecond that are timed exactly: above this rate some coincide anyway. */
const EXACT_PAUSES_PER_MS_MAX = 2;

/** True if the worker's clients must start at exact moments: arrivals of an open loop, or ends of think times. */
export function needsExactStarts({
  role,
  settings,
  roleClients,
}: Pick<Assignment, "role" | "settings" | "roleClients">): boolean {
  const load = settings.actors[role]?.load;
  if (!load) return false;
  if (isOpenLoop(load)) return true;
  const meanMs = (load.thinkTimeMs.min + load.thinkTimeMs.max) / 2;
  return meanMs > 0 && roleClients <= EXACT_PAUSES_PER_MS_MAX * meanMs;
}

/** Starts a loop for each client of the worker. `done` rejects when a client cannot go on. */
export function startPhase(options: PhaseOptions): Phase & { pacer: Pacer } {
  const { name, assignment, sleeper, isPaced } = options;
  const { role, trial, index } = assignment;
  const load = assignment.settings.actors[role]?.load;
  const phase: Phase = {
    name,
    isOver: false,
    lastIterationEndMs: options.startMs,
    done: Promise.resolve(),
  };
  const pacer = createPacer(options.plan, {
    nowMs: monotonicMs,
    sleep: (ms) => sleeper.pause(ms),
    prng: new Prng(deriveSeed(trial.seed, "pacing", role, index, name)),
    roleSeed: deriveSeed(trial.seed, "arrivals", role, name),
    thinkTime: isPaced && load ? load.thinkTimeMs : NO_THINK_TIME,
    rampUpMs: isPaced && load ? load.rampUpMs : 0,
    startMs: options.startMs,
    endMs: options.endMs,
    totalClients: assignment.roleClients,
    firstClient: assignment.firstClient,
    workers: assignment.workers,
    workerIndex: index,
    sharedCounter: assignment.sharedCounter,
    isOver: () => phase.isOver,
    arrivals: options.arrivals,
  });
  // Each of hundreds of clients would keep the others from the last events of the queue.
  const clients = name === "drain" ? Math.min(assignment.clients, DRAIN_CLIENTS_MAX) : assignment.clients;
  const clientLoops = Array.from({ length: clients }, (_, client) =>
    runClient(client, pacer, phase, options),
  );
  const done = Promise.all(clientLoops).then(() => undefined);
  return Object.assign(phase, { pacer, done });
}

async function runClient(
  client: number,
  pacer: Pacer,
  phase: Phase,
  { clients, sleeper, time, startMs }: PhaseOptions,
): Promise<void> {
  // Waiting counts from the start of the phase, even if the thread came late: its clients had to wait.
  let activityStartMs = startMs;
  const bookWaiting = (): void => {
    const nowMs = monotonicMs();
    time.book(client, "waiting", activityStartMs, nowMs);
    activityStartMs = nowMs;
  };
  const bookWork = (): void => time.bookWork(client, (activityStartMs = monotonicMs()));
  for (;;) {
    const start = await pacer.next(client);
    // A client whose budget others have used up was not waiting in its last pause.
    const isBudgetUsedUp = start === undefined && pacer.isLeft?.(client) === false;
    if (!isBudgetUsedUp) bookWaiting();
    if (start === undefined) {
      if (phase.name === "measure") time.bookFinished(activityStartMs);
      return;
    }
    clients.prepare(client, start.arrival && arrivalAtFirstHour(start.arrival, phase));
    bookWork();
    const isStartDue = !start.arrival || (await waitUntilDue(start, pacer, phase, sleeper));
    bookWaiting();
    if (!isStartDue) return;
    await clients.iterate(client, start.intendedMs);
    phase.lastIterationEndMs = monotonicMs();
    if (!phase.isOver && pacer.isLeft?.(client) !== false) clients.prepare(client);
    bookWork();
  }
}

/** Keeps the time of the simulated day at its first hour during the warm-up, as the rate is kept. */
function arrivalAtFirstHour(arrival: Arrival, phase: Phase): Arrival {
  return phase.name === "warm-up" ? { ...arrival, offsetMs: 0 } : arrival;
}

/** Waits until an arrival's intended start; resolves to false if the phase ended first. */
async function waitUntilDue(
  start: IterationStart,
  pacer: Pacer,
  phase: Phase,
  sleeper: PunctualSleeper,
): Promise<boolean> {
  while (start.intendedMs > monotonicMs() && !phase.isOver) await sleeper.sleepUntil(start.intendedMs);
  return pacer.mayStart?.(start) ?? true;
}
