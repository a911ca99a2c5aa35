// The workers of one trial, commanded together wherever they run: launched and connected, held at a barrier, started at
// one instant, paused, measured, drained, stopped. A worker that fails, throws, runs out of memory, hangs or disappears
// fails the whole fleet, with its cause; nothing here waits for a worker that can no longer answer.
import { monotonicMs } from "../../foundation/clock.js";
import { withinMs } from "../../foundation/deadline.js";
import { asTrainSimError, TrainSimError, TrialError } from "../../foundation/errors.js";
import type { LoadAgent } from "../../faults/fault.js";
import type { Prng } from "../../foundation/prng.js";
import { collectAllGarbage } from "../../foundation/garbage.js";
import type { Assignment, Command, Report, WorkerUsage } from "./protocol.js";
import type { EndpointDelta } from "../../metrics/endpoint-split.js";
import type { RecorderDelta } from "../../metrics/recorder.js";
import { Heartbeat, ALIVE_REPORT_INTERVAL_MS } from "./heartbeat.js";
import { crashedError, hangingWorkerError } from "./worker-failures.js";
import { workerName, type RunningWorkers, type WorkerPlace, type WorkersOfAgent } from "./worker-place.js";
import type { EndpointContacts } from "../../database/session.js";

/** Maximum time between reports of a worker: longer than any batch, as 500 000 events keep a thread busy for seconds. */
const REPORT_TIMEOUT_MS = 15_000;
/** Additional time before the first report, because many threads load the program at once on few cores. */
const START_GRACE_MS = 45_000;
/** Time to close: longer than running transactions may still be retried. */
const LEDGER_CLOSE_TIMEOUT_MS = 8_000;

/** Maximum time from sending a command until it takes effect, unless the workers' place asks for more. */
const COMMAND_LEAD_MAX_MS = 2_000;
/** Factor on the known timer delay: it is a 99th percentile, so a command may wait longer. */
const LEAD_DELAY_FACTOR = 2;

export interface FleetEvents {
  onDelta(delta: RecorderDelta, worker: number): void;
  /** Called when the worker was killed with its agent: no report of it follows. */
  readonly onKilled?: (worker: number) => void;
  /** Called with each delta; `contacts` count the worker's connections and refusals at each endpoint since it began. */
  readonly onContacts?: (worker: number, delta: RecorderDelta, contacts: readonly EndpointContacts[]) => void;
}

export class Fleet {
  private workers: RunningWorkers | undefined;
  private readonly barriers = new Barriers();
  private readonly endedWorkers = new EndedWorkers();
  private readonly killedWorkers = new Set<number>();
  private readonly eventLoopDelaysMs: number[] = [];
  private windowUsages: ReadonlyMap<number, WorkerUsage> = new Map();
  private latestEndpointDeltas: readonly (readonly EndpointDelta[])[] = [];
  private readonly heartbeat: Heartbeat;
  private heartbeatTimer: NodeJS.Timeout | undefined;
  private rejectFailure: (error: TrainSimError) => void = () => undefined;
  /** Rejects when a worker fails; never resolves. */
  readonly failure: Promise<never>;

  constructor(
    readonly assignments: readonly Assignment[],
    private readonly events: FleetEvents,
    private readonly place: WorkerPlace,
  ) {
    this.heartbeat = new Heartbeat({
      nowMs: monotonicMs,
      everyMs: ALIVE_REPORT_INTERVAL_MS,
      reportTimeoutMs: REPORT_TIMEOUT_MS,
      onMissingReports: (worker, sinceReportMs) =>
        this.fail(hangingWorkerError(this.nameOf(worker), sinceReportMs)),
    });
    this.failure = new Promise((_, reject) => (this.rejectFailure = reject));
    this.failure.catch(() => undefined);
  }

  async launch(): Promise<void> {
    await this.place.waitUntilComplete();
    const ready = this.barrier("ready");
    this.heartbeatTimer = setInterval(() => this.heartbeat.check(), ALIVE_REPORT_INTERVAL_MS);
    this.workers = this.place.start(this.assignments, {
      onOnline: (worker) => this.heartbeat.expectReports(worker, START_GRACE_MS),
      onReport: (worker, report) => this.onReport(worker, report),
      onCrash: (worker, error) => this.fail(crashedError(this.nameOf(worker), error)),
      onExit: (worker, code) => this.onExit(worker, code),
      onKilled: (worker) => this.onKilled(worker),
    });
    // The coordinator still holds garbage of a preload and earlier trials; the workers are new and have none.
    await Promise.all([ready, collectAllGarbage()]);
  }

  start(atMs: number): void {
    this.command({ kind: "start", atMs });
  }

  /** Sets the window everywhere; `endMs` may be Infinity and be set again later. */
  measure(startMs: number, endMs: number): void {
    this.command({ kind: "measure", startMs, endMs });
  }

  /** Resolves when these workers have finished their running transactions and wait. */
  async pause(workers: readonly number[]): Promise<void> {
    await this.ask({ kind: "pause" }, "paused", workers);
  }

  /**
   * Resolves with the moment at which the last of these workers used up its budget. Must be called before the window is
   * set.
   */
  budgetsDone(workers: readonly number[]): Promise<number> {
    const reports = this.barrier("budget-done", workers);
    const lastFinishedMs = reports.then((all) => Math.max(...all.map((report) => report.finishedMs)));
    lastFinishedMs.catch(() => undefined); // a failure without a listener would end the process
    return lastFinishedMs;
  }

  /** Ends the load; resolves once its last transaction has ended. */
  async finish(): Promise<void> {
    await this.ask({ kind: "finish" }, "finished");
  }

  /** Starts draining, after `finish`: the workers that empty the queue begin. */
  drain(): void {
    this.command({ kind: "drain" });
  }

  async stop(): Promise<void> {
    const reports = await this.ask({ kind: "stop" }, "stopped");
    const livingWorkers = this.allWorkers().filter((worker) => !this.isWorkerKilled(worker));
    this.windowUsages = new Map(reports.map(({ usage }, i) => [livingWorkers[i] as number, usage]));
    this.latestEndpointDeltas = reports.map((report) => report.endpoints);
  }

  /**
   * After a failure, lets the remaining workers finish their transactions and close their ledgers, as far as possible.
   * Never rejects.
   */
  async closeLedgers(): Promise<void> {
    const runningWorkers = this.allWorkers().filter((number) => !this.endedWorkers.hasEnded(number));
    this.command({ kind: "stop" }, runningWorkers);
    await this.endedWorkers.untilEnded(runningWorkers, LEDGER_CLOSE_TIMEOUT_MS);
  }

  /** Ledgers of the workers that closed them, and the names of the workers that did not. */
  get account(): { readonly workerAccounts: readonly unknown[]; readonly unclosed: readonly string[] } {
    const unclosed = this.allWorkers().filter((number) => !this.endedWorkers.hasClosedLedger(number));
    return {
      workerAccounts: this.endedWorkers.workerAccounts,
      unclosed: unclosed.map((number) => this.nameOf(number)),
    };
  }

  chooseAgents(count: number, prng: Prng): readonly LoadAgent[] {
    return this.workers?.chooseAgents(count, prng) ?? [];
  }

  isWorkerKilled(worker: number): boolean {
    return this.killedWorkers.has(worker);
  }

  /** Each worker's use of the window, by worker number; without killed workers and workers that have not stopped. */
  get usages(): ReadonlyMap<number, WorkerUsage> {
    return this.windowUsages;
  }

  /** Each worker's measurements of each endpoint; empty before the workers have stopped. */
  get endpointDeltas(): readonly (readonly EndpointDelta[])[] {
    return this.latestEndpointDeltas;
  }

  /** The largest event-loop delay of the workers, 99th percentile in milliseconds, as last reported. */
  eventLoopDelayP99Ms(): number {
    // A worker that has not reported yet is a hole, which Object.values leaves out.
    return Math.max(0, ...Object.values(this.eventLoopDelaysMs));
  }

  /** Milliseconds between sending a command and the moment at which it takes effect, so that every busy thread receives it before. */
  get leadMs(): number {
    const busyMs = Math.min(COMMAND_LEAD_MAX_MS, LEAD_DELAY_FACTOR * this.eventLoopDelayP99Ms());
    return Math.max(this.workers?.leadMs ?? 0, busyMs);
  }

  /** CPU seconds that agents used within the window; 0 without agents. */
  get agentCpuSeconds(): number {
    return this.workers?.cpuSeconds() ?? 0;
  }

  /** Agents that run workers; empty if all workers run in this process. */
  get agents(): readonly WorkersOfAgent[] {
    return this.workers?.agents() ?? [];
  }

  async terminate(): Promise<TrainSimError | undefined> {
    clearInterval(this.heartbeatTimer);
    this.allWorkers().forEach((number) => this.endedWorkers.addWorker(number));
    return this.workers?.terminate();
  }

  private onReport(number: number, report: Report): void {
    try {
      this.receive(report, number);
    } catch (error) {
      // An error thrown in this callback would end the process and lose every result.
      this.fail(asTrainSimError(error));
    }
  }

  private onKilled(number: number): void {
    this.killedWorkers.add(number);
    this.markWorkerEnded(number);
    this.barriers.removeWorker(number);
    this.events.onKilled?.(number);
  }

  private onExit(number: number, code: number): void {
    if (this.endedWorkers.hasEnded(number)) return;
    this.fail(new TrialError(`${this.nameOf(number)} ended unexpectedly (exit code ${code})`));
    this.markWorkerEnded(number);
  }

  /** The worker's name, as `producers worker 0`, with its agent if it has one. */
  nameOf(number: number): string {
    return this.workers?.nameOf(number) ?? workerName(this.assignments[number] as Assignment);
  }

  private receive(report: Report, number: number): void {
    this.heartbeat.reset(number);
    if (report.kind === "alive") return;
    if (report.kind === "delta") {
      this.eventLoopDelaysMs[number] = report.eventLoopDelayP99Ms;
      this.events.onDelta(report.delta, number);
      this.events.onContacts?.(number, report.delta, report.contacts);
      return;
    }
    if (report.kind === "failed") {
      this.markWorkerEnded(number);
      this.fail(new TrainSimError(report.message, report.exitCode, report.hint));
      return;
    }
    if (report.kind === "stopped") {
      this.endedWorkers.addLedger(number, report.ledger);
      this.markWorkerEnded(number);
    }
    this.barriers.receive(report, number);
  }

  private barrier<K extends Report["kind"]>(
    kind: K,
    workers: readonly number[] = this.allWorkers(),
  ): Promise<ReportOf<K>[]> {
    const livingWorkers = workers.filter((worker) => !this.isWorkerKilled(worker));
    return Promise.race([this.barriers.await(kind, livingWorkers), this.failure]);
  }

  /** Sends the command to these workers; resolves to one report of that kind from each. */
  private ask<K extends Report["kind"]>(
    command: Command,
    kind: K,
    workers: readonly number[] = this.allWorkers(),
  ): Promise<ReportOf<K>[]> {
    const answers = this.barrier(kind, workers);
    this.command(command, workers);
    return answers;
  }

  private allWorkers(): number[] {
    return this.assignments.map((_, number) => number);
  }

  private command(command: Command, workers: readonly number[] = this.allWorkers()): void {
    for (const number of workers) this.workers?.post(number, command);
  }

  private markWorkerEnded(number: number): void {
    this.endedWorkers.addWorker(number);
    this.heartbeat.forget(number);
  }

  private readonly fail = (error: TrainSimError): void => this.rejectFailure(error);
}

class EndedWorkers {
  private readonly numbers = new Set<number>();
  private readonly ledgers = new Map<number, unknown>();
  private onEnded: () => void = () => undefined;

  hasEnded(worker: number): boolean {
    return this.numbers.has(worker);
  }

  addWorker(worker: number): void {
    this.numbers.add(worker);
    this.onEnded();
  }

  addLedger(worker: number, ledger: unknown): void {
    this.ledgers.set(worker, ledger);
  }

  hasClosedLedger(worker: number): boolean {
    return this.ledgers.has(worker);
  }

  /** The ledgers of the workers that closed theirs. */
  get workerAccounts(): readonly unknown[] {
    return [...this.ledgers.values()];
  }

  /** Resolves once these workers have ended, or after `mostMs`. Never rejects. */
  async untilEnded(workers: readonly number[], mostMs: number): Promise<void> {
    const all = new Promise<void>((resolve) => {
      this.onEnded = () => {
        if (workers.every((worker) => this.numbers.has(worker))) resolve();
      };
    });
    this.onEnded();
    await withinMs(all, mostMs).catch(() => undefined);
  }
}

type ReportOf<K extends Report["kind"]> = Extract<Report, { kind: K }>;

/** A wait that resolves with one report of each awaited worker. */
interface Barrier {
  readonly kind: Report["kind"];
  readonly reportsByWorker: Map<number, Report>;
  expected: readonly number[];
  readonly resolve: (reports: Report[]) => void;
}

/**
 * Awaits one report of a kind from each of several workers. A wait may stay pending forever, so callers race it against
 * failures.
 */
export class Barriers {
  private readonly openBarriers = new Set<Barrier>();

  /** Resolves with the next report of that kind from each of these workers, in their order. */
  await<K extends Report["kind"]>(kind: K, workers: readonly number[]): Promise<ReportOf<K>[]> {
    if (workers.length === 0) return Promise.resolve([]);
    const all = new Promise<Report[]>((resolve) => {
      this.openBarriers.add({ kind, reportsByWorker: new Map(), expected: workers, resolve });
    });
    return all as Promise<ReportOf<K>[]>;
  }

  receive(report: Report, worker: number): void {
    for (const barrier of this.openBarriers) {
      if (barrier.kind !== report.kind || !barrier.expected.includes(worker)) continue;
      barrier.reportsByWorker.set(worker, report);
      this.resolveIfComplete(barrier);
    }
  }

  /** Removes the worker from all waits: they resolve without its report. */
  removeWorker(worker: number): void {
    for (const barrier of this.openBarriers) {
      barrier.expected = barrier.expected.filter((each) => each !== worker);
      barrier.reportsByWorker.delete(worker);
      this.resolveIfComplete(barrier);
    }
  }

  private resolveIfComplete(barrier: Barrier): void {
    if (barrier.reportsByWorker.size < barrier.expected.length) return;
    this.openBarriers.delete(barrier);
    barrier.resolve(barrier.expected.map((each) => barrier.reportsByWorker.get(each) as Report));
  }
}
