// One worker thread's life. Each phase is a set of client loops with its pacer; changing phase ends the loops (what is under
// way is finished, sleeps are cut short) and starts others.
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../foundation/clock.js";
import type { ClosableLogger } from "../../foundation/logger.js";
import { EventLoopWatch } from "../../foundation/process-usage.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Operation } from "../../metrics/operations.js";
import { PartNames } from "../../metrics/part-times.js";
import { Recorder, transferablesOf, type RecorderDelta } from "../../metrics/recorder.js";
import type { Arrival } from "../../load/arrivals.js";
import { warmUpPlan, type PacingPlan } from "../../load/executors/registry.js";
import { PunctualSleeper } from "../../load/punctual-sleeper.js";
import { databaseOfDialect } from "../../database/registry.js";
import { tablesIn } from "../../workloads/tables.js";
import { roleTraitsOf, storeOf, workloadOf } from "../../workloads/registry.js";
import type { ClientContext, RoleTraits, WorkloadClients } from "../../workloads/workload.js";
import { budgetMs, isOpenLoop, type LoadSettings } from "../../load/load-settings.js";
import { type Clients, type WorkerContext, prepareNothing } from "../../clients/client.js";
import { EventLog } from "../../clients/event-log.js";
import { needsExactStarts, startPhase, type Phase, type PhaseName } from "../../clients/phase.js";
import type { Command, Report, ThreadAssignment } from "./protocol.js";
import { writeSummaryLines } from "../../clients/summary-lines.js";
import { OwnConnectionOperations } from "../../clients/own-operations.js";
import { applicationNameOf, WorkerEndpoints } from "../../clients/worker-endpoints.js";
import { TimeAccount } from "../../clients/time-account.js";
import { RetryPolicy } from "../../clients/retry-policy.js";
import { Transactor } from "../../clients/transactor.js";
import type { ConnectionSource } from "../../database/session.js";

/** How long running transactions may still be retried after a stop; the coordinator waits longer. */
const RETRY_AFTER_STOP_MS = 5_000;
/** First milliseconds of the warm-up that count as outside a window, so that V8 compiles the code for both cases. */
const WARM_UP_OUTSIDE_WINDOW_MS = 250;

/** Delay after which values copied from workers on other machines have surely arrived. */
const MIRROR_DELAY_MS = 1_000;

const CLOSED_LOOP_PLAN: PacingPlan = { executor: "constant-clients" };

export class ClientWorker {
  private readonly sleeper = PunctualSleeper.withTimerThread((error) => this.fail(error));
  private readonly loop = new EventLoopWatch();
  private readonly time = new TimeAccount();
  private readonly partNames = new PartNames();
  private readonly endpoints: WorkerEndpoints;
  private readonly source: ConnectionSource;
  private readonly recorder: Recorder;
  private readonly retry: RetryPolicy;
  private readonly eventLog: EventLog;
  private readonly traits: RoleTraits;
  private readonly context: ClientContext<ThreadAssignment["settings"]>;
  private client: WorkloadClients | undefined;
  private phaseName: PhaseName = "warm-up";
  private phase: Phase = {
    name: "warm-up",
    isOver: true,
    lastIterationEndMs: 0,
    done: Promise.resolve(),
  };
  private deltaTimer: NodeJS.Timeout | undefined;
  private lastCommand: Promise<void> = Promise.resolve();

  constructor(
    private readonly assignment: ThreadAssignment,
    private readonly log: ClosableLogger,
    private readonly send: (report: Report, transfer?: ArrayBuffer[]) => void,
    private readonly fail: (error: unknown) => void,
  ) {
    const { settings, role, trial } = assignment;
    const prng = new Prng(deriveSeed(trial.seed, "worker", role, assignment.index));
    this.eventLog = new EventLog(log.logger);
    this.endpoints = new WorkerEndpoints(assignment, () => this.recorder.serverTransaction(monotonicMs()));
    this.source = this.endpoints.source;
    this.traits = roleTraitsOf(settings, role);
    this.retry = new RetryPolicy(settings.retry, prng);
    this.recorder = new Recorder(this.traits.operations, this.endpoints.split);
    const { sleeper, recorder, eventLog, source, time, partNames } = this;
    const workload = workloadOf(settings);
    const tables = tablesIn(workload, settings.dialect, settings.namespace);
    const { failures } = databaseOfDialect(settings.dialect);
    const measurementOptions = {
      source,
      recorder,
      eventLog,
      sleeper,
      time,
      partNames,
      retry: this.retry,
      slowTransactionMs: settings.log.slowTransactionMs,
      nowMs: monotonicMs,
      failures,
      failurePlaceOf: failures.placesOf(storeOf(settings).statements(settings), tables),
      isStartedBySchedule: (operation: Operation) =>
        this.isScheduled() && this.traits.arrivals.includes(operation),
    };
    this.context = {
      assignment,
      source,
      transactor: new Transactor(measurementOptions),
      operations: new OwnConnectionOperations(measurementOptions),
      applicationName: applicationNameOf(assignment),
      recorder,
      sleeper,
      prng,
      isDraining: () => this.phaseName === "drain",
      isEnding: () => this.phase.isOver,
      isScheduled: () => this.isScheduled(),
      time,
      partNames,
    };
  }

  private makeClient(): WorkloadClients | Promise<WorkloadClients> {
    const { assignment, context } = this;
    return assignment.isCeiling === true
      ? ceilingProbe(context, this.traits.operations[0] ?? "")
      : workloadOf(assignment.settings).client(storeOf(assignment.settings), context);
  }

  /** Connects and makes the first batches ahead, then reports `ready` and waits at the barrier. */
  async prepare(): Promise<void> {
    if (needsExactStarts(this.assignment)) this.sleeper.startTimer();
    const connectStartMs = monotonicMs();
    await this.source.openConnections();
    const connectSeconds = (monotonicMs() - connectStartMs) / 1000;
    const workloadClients = (this.client = await this.makeClient());
    const { clients } = this.assignment;
    for (let client = 0; client < clients; client++) {
      workloadClients.prepare(client);
      await turn(); // it takes long where batches are large, and the thread is to show that it lives
    }
    this.loop.start();
    this.deltaTimer = setInterval(() => this.sendDelta(monotonicMs() - this.laterMs), 1000);
    this.log.logger.info(
      { event: "start", operation: "*", clients, operations: this.traits.operations, connectSeconds },
      "worker ready",
    );
    this.send({ kind: "ready" });
  }

  /** Carries out the command after all earlier ones, so that a stop never overtakes a change of phase. */
  enqueue(command: Command): Promise<void> {
    this.lastCommand = this.lastCommand.then(() => this.execute(command));
    return this.lastCommand;
  }

  private async execute(command: Command): Promise<void> {
    switch (command.kind) {
      case "start":
        await this.sleeper.sleep(command.atMs - monotonicMs());
        this.recorder.measureWarmUp(command.atMs + WARM_UP_OUTSIDE_WINDOW_MS);
        this.time.setWindow(command.atMs, Number.POSITIVE_INFINITY);
        this.begin("warm-up", this.load ? warmUpPlan(this.load) : CLOSED_LOOP_PLAN, command.atMs);
        return;
      case "pause":
        await this.endPhase();
        this.send({ kind: "paused" });
        return;
      case "measure":
        return this.measure(command.startMs, command.endMs);
      case "finish":
        this.loop.close();
        await this.endPhase();
        this.send({ kind: "finished" });
        return;
      case "drain":
        if (this.traits.drains) this.begin("drain", CLOSED_LOOP_PLAN, monotonicMs());
        else this.enterPhase("drain");
        return;
      case "stop":
        return this.stop();
    }
  }

  /** Writes buffered audit material to the ledger. Never throws. */
  flushLedger(): void {
    this.client?.flush?.();
  }

  /** Ends all work at once in a thread that is about to end; sends no report. */
  async abandon(): Promise<void> {
    clearInterval(this.deltaTimer);
    this.phase.isOver = true;
    await Promise.all([this.sleeper.close(), this.source.close()]);
  }

  private async measure(startMs: number, endMs: number): Promise<void> {
    const isFirstWindow = this.phaseName === "warm-up";
    this.recorder.setWindow(startMs, endMs);
    this.time.setWindow(startMs, endMs);
    if (!isFirstWindow) return;
    // A timer may fire a fraction of a millisecond early, and budget used before the window would be counted nowhere.
    while (monotonicMs() < startMs) await this.sleeper.sleep(Math.ceil(startMs - monotonicMs()));
    this.loop.open();
    if (this.load && this.phase.isOver) {
      this.begin("measure", this.load, startMs);
      if (budgetMs(this.load) !== undefined) this.announceBudgetDone(this.phase);
    } else {
      this.enterPhase("measure");
    }
  }

  /** Milliseconds by which the report of a second is delayed, so that all of its records are included. */
  private get laterMs(): number {
    const { settings, mirroredOrdinals } = this.assignment;
    const hasLateRecords = mirroredOrdinals.length > 0 || workloadOf(settings).ownsConnections === true;
    return hasLateRecords ? MIRROR_DELAY_MS : 0;
  }

  private get load(): LoadSettings | undefined {
    return this.assignment.settings.actors[this.assignment.role]?.load;
  }

  /** Whether the current phase runs open-loop arrivals. */
  private isScheduled(): boolean {
    return this.phaseName !== "drain" && this.load !== undefined && isOpenLoop(this.load);
  }

  private announceBudgetDone(phase: Phase): void {
    void phase.done.then(() => {
      if (!phase.isOver) this.send({ kind: "budget-done", finishedMs: phase.lastIterationEndMs });
    });
  }

  private begin(name: PhaseName, plan: PacingPlan, startMs: number): void {
    const { assignment, client: clients, sleeper, recorder } = this;
    if (!clients) throw new Error("a phase began before the clients were made");
    const [only = ""] = this.traits.arrivals;
    const operationOf = (arrival: Arrival): string => clients.operationOf?.(arrival) ?? only;
    this.enterPhase(name);
    const phase = startPhase({
      name,
      plan,
      isPaced: name !== "drain",
      startMs,
      endMs: () => (name === "measure" ? recorder.windowEndMs : Number.POSITIVE_INFINITY),
      assignment,
      clients,
      sleeper,
      time: this.time,
      arrivals: {
        onOffer: (arrival, intendedMs) => recorder.recordOffer(operationOf(arrival), intendedMs),
        onDrop: (arrival, intendedMs, atMs) => recorder.recordDrop(operationOf(arrival), intendedMs, atMs),
      },
    });
    this.phase = phase;
    phase.done.catch((error: unknown) => this.fail(error));
  }

  private async endPhase(): Promise<void> {
    const { phase } = this;
    phase.isOver = true;
    phase.pacer?.settle?.();
    this.sleeper.wakeAll();
    await phase.done;
  }

  private async stop(): Promise<void> {
    this.loop.close();
    this.retry.forbidRetriesAfter(monotonicMs() + RETRY_AFTER_STOP_MS);
    await this.endPhase();
    clearInterval(this.deltaTimer);
    if (this.laterMs > 0) await sleep(this.laterMs);
    this.sendDelta(Number.POSITIVE_INFINITY);
    const ledger = await this.client?.close?.();
    this.loop.stop();
    await Promise.all([this.sleeper.close(), this.source.close()]);
    this.enterPhase("stopped");
    const usage = { loop: this.loop.intervalUsage, accountedMs: this.time.total() };
    this.send({ kind: "stopped", ledger, usage, endpoints: this.endpoints.deltas() });
  }

  private sendDelta(nowMs: number): void {
    this.flushLedger();
    this.phase.pacer?.settle?.();
    const delta: RecorderDelta = this.recorder.take(nowMs);
    writeSummaryLines(this.eventLog, this.phaseName, delta);
    const contacts = [...this.source.contacts];
    const report: Report = {
      kind: "delta",
      delta,
      eventLoopDelayP99Ms: this.loop.delayP99Ms,
      contacts,
    };
    this.send(report, transferablesOf(delta));
    this.log.flush();
  }

  private enterPhase(name: PhaseName): void {
    this.phaseName = name;
    this.log.logger.info({ event: "phase", operation: "*", phase: name }, `phase ${name}`);
  }
}

/**
 * Clients of the ceiling probe: they send pings, the cheapest request for a database, so that the path to it is the limit.
 */
function ceilingProbe({ transactor }: WorkerContext, operation: Operation): Clients {
  return {
    prepare: prepareNothing,
    async iterate(client, intendedMs) {
      await transactor.run({
        operation,
        client,
        intendedMs,
        body: (session) => session.ping(),
        isPoll: false,
        events: () => 0,
      });
    },
  };
}
