// One trial, from an empty namespace to a verdict; a signal ends it early, anything else fails it with its cause.
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicMs } from "../../foundation/clock.js";
import { explainedError } from "../../database/registry.js";
import { TrialError, type TrainSimError } from "../../foundation/errors.js";
import { storeOf, workloadOf } from "../../workloads/registry.js";
import { finishedCountIn } from "../../metrics/recorder-delta.js";
import { Tally, type SecondSink } from "../../metrics/tally.js";
import { WorkerTallies } from "../../metrics/worker-tallies.js";
import { arrivalOperations, operationsOf } from "../../results/operation-results.js";
import type { Totals, WindowSummary } from "../../metrics/totals.js";
import { secondLines, TrialFiles } from "../../results/trial-files.js";
import { totalWorkers } from "../../scenario/settings.js";
import { assignmentsOf, workersToRestart } from "../workers/assignments.js";
import { ClientPath } from "./client-path.js";
import type { TrialEvidence } from "../evidence/evidence.js";
import { evidenceOf } from "../evidence/evidence-sources.js";
import { NO_PLANS, readPlans } from "../evidence/plan-watch.js";
import { budgetsOf, windowEndByBudgets } from "./budgets.js";
import { TrialFaults } from "./trial-faults.js";
import { Fleet, type FleetEvents } from "../workers/fleet.js";
import { lastTransactionsOptions, awaitLastTransactions } from "./last-transactions.js";
import { FailureSignal } from "./failure-signal.js";
import { MeasuredWindow } from "./measured-window.js";
import type { TrialPhase } from "../session/observer.js";
import { SecondSeries } from "./second-series.js";
import { analyzeNamespace } from "./prepare-namespace.js";
import type { FinishedTrial, TrialHost, TrialInputs } from "./trial-parts.js";
import { ServerWatch } from "./server-watch.js";
import { EnvironmentReadings } from "../evidence/surroundings.js";
import { TrialTables } from "./trial-tables.js";
import { TrialLog } from "./trial-log.js";
import {
  endingOf,
  loadFacts,
  trialResult,
  windowFacts,
  type TrialEnding,
  type TrialFacts,
} from "./trial-result.js";

const ANALYZE_WARM_UP_SHARE = 0.6;
const DRAIN_POLL_MS = 100;
/**
 * Milliseconds before the window at which its first readings begin, because they take a moment; an earlier reading would
 * include other work.
 */
const FIRST_READING_LEAD_MS = 30;

export async function runTrial(host: TrialHost, inputs: TrialInputs): Promise<FinishedTrial> {
  return new TrialRun(host, inputs).run();
}

/** The load of a trial, ready to begin, and what surrounds it: the evidence, and the faults that strike it. */
interface Load {
  readonly fleet: Fleet;
  readonly evidence: TrialEvidence;
  readonly faults: TrialFaults;
}

class TrialRun {
  private readonly log: TrialLog;
  private readonly watch: ServerWatch;
  private readonly tally: Tally;
  private readonly workers = new WorkerTallies();
  private readonly series: SecondSeries;
  private readonly failures = new FailureSignal();
  /** Aborted when the trial is over, however it ended, so that no timer remains. */
  private readonly trialEnd = new AbortController();
  private readonly mayContinue = () => !this.host.interruption.isRequested() && !this.trialEnd.signal.aborted;
  private readonly path: ClientPath;
  private readonly surroundings: EnvironmentReadings;
  private readonly tables: TrialTables;
  /** Functions that close what the phases opened; called in reverse order. */
  private readonly closers: (() => unknown)[] = [];
  private readonly onSecond: SecondSink[] = [];
  private readonly onSample: TrialFiles["onEvidence"][] = [];
  /** Functions that return the facts of the phases that were reached; called after everything is closed. */
  private readonly facts: ((summary: WindowSummary) => TrialFacts)[] = [];
  private plans = NO_PLANS;
  private windowSeconds = 0;
  private ending: TrialEnding | undefined;
  private failure: TrainSimError | undefined;

  constructor(
    private readonly host: TrialHost,
    private readonly inputs: TrialInputs,
  ) {
    const { settings } = inputs.treatment;
    const { failures } = this;
    this.log = new TrialLog(inputs);
    this.path = new ClientPath(host, inputs, failures);
    this.surroundings = new EnvironmentReadings(host, inputs);
    this.tables = new TrialTables(host, inputs, this.log);
    this.series = new SecondSeries(operationsOf(settings));
    const onSecond: SecondSink = (second, totals) => {
      this.series.add(second, totals);
      for (const sink of this.onSecond) sink(second, totals);
      host.observer.second(second, totals);
    };
    this.tally = new Tally(operationsOf(settings), totalWorkers(settings), onSecond, warmUpSecondHandlers);
    this.watch = new ServerWatch(host.target.admin, host.claim.run);
    failures.watch(host.claim.lossRejection);
    failures.watchServer("the database server", Promise.race([host.target.lost, this.watch.lost]));
    this.closers.push(
      () => this.tally.finish(this.windowSeconds),
      () => failures.release(),
      () => this.watch.stop(),
      () => this.path.close(),
    );
  }

  /** Runs the trial. Never rejects for a failure of the trial, which its result states. */
  async run(): Promise<FinishedTrial> {
    const { host, inputs, log, surroundings, series, tally, watch } = this;
    host.observer.trialStarted(inputs.trial, inputs.treatment);
    await this.runPhases().catch((error: unknown) => this.fail(error));
    this.trialEnd.abort();
    host.meeting.leave();
    for (const close of this.closers.toReversed()) {
      try {
        await close();
      } catch (error) {
        this.fail(error);
      }
    }
    this.failure ??= log.failure;
    const summary = tally.summary(this.windowSeconds);
    const result = trialResult(inputs, {
      facts: Object.assign({}, ...this.facts.map((state) => state(summary))) as TrialFacts,
      summary,
      surroundings,
      series,
      plans: this.plans,
      ending: this.ending,
      failure: this.failure,
      serverClockStepMs: watch.clock.stepMs,
      stopReason: host.interruption.reason,
    });
    await log.close(result);
    const failure = this.failure ?? log.failure;
    return { result, totals: tally.finish(result.windowSeconds), ...(failure && { failure }) };
  }

  private async runPhases(): Promise<void> {
    await this.reset();
    const load = await this.launch();
    await this.warmUp(load);
    await this.measure(load);
    const drainSeconds = await this.drain(load);
    await this.stop(load);
    await this.audit(load, drainSeconds);
  }

  private fail(error: unknown): void {
    this.failure ??= explainedError(error);
  }

  private async reset(): Promise<void> {
    this.phase("reset", undefined);
    await this.surroundings.begin();
    await this.path.open();
    await this.failures.race(this.tables.reset(this.path.endpoints, this.mayContinue));
  }

  private async launch(): Promise<Load> {
    const { host, inputs, path, watch, log, failures, closers } = this;
    const { settings } = inputs.treatment;
    const assignments = assignmentsOf({
      trial: inputs.trial,
      settings,
      directory: inputs.directory,
      logFile: log.file,
      endpoints: path.endpoints,
      prepared: settings.prepared === true && (path.pooler?.supportsPreparedStatements ?? true),
    });
    const events: FleetEvents = {
      onDelta: (delta, worker) => {
        if (finishedCountIn(delta) > 0) watch.recordAnswer();
        this.workers.add(worker, delta);
        this.tally.add(worker, delta);
      },
      onKilled: (worker) => this.tally.forget(worker),
      onContacts: path.onContacts,
    };
    const fleet = new Fleet(assignments, events, host.place);
    const faults = new TrialFaults({ host, inputs, path, fleet, watch, log });
    this.onSecond.push((second, totals) => faults.onSecond(second, totals));
    this.facts.push(() => loadFacts(fleet, this.workers, path.namedEndpoints, settings));
    closers.push(() => this.endLoad(fleet, faults));
    for (const { failure } of [fleet, faults]) failures.watch(failure);
    await failures.race(fleet.launch());
    const programs = (): number[] =>
      (workloadOf(settings).programs?.(inputs.directory) ?? []).map(({ pid }) => pid);
    const evidence = evidenceOf(host, this.surroundings, path.pooler, settings, programs, {
      onOpening: (atSeconds, values) => faults.onEvidence(atSeconds, values),
      onSample: (second, values) => {
        faults.onEvidence(second + 1, values);
        for (const sink of this.onSample) sink(second, values);
      },
    });
    closers.push(
      () => evidence.close(),
      () => faults.end(),
    );
    await failures.race(evidence.open());
    return { fleet, evidence, faults };
  }

  private async endLoad(fleet: Fleet, faults: TrialFaults): Promise<void> {
    const hasTrialFailed = this.failure !== undefined;
    if (hasTrialFailed) await fleet.closeLedgers();
    const endless = await fleet.terminate();
    const failedTrialAudit =
      hasTrialFailed && (await this.tables.auditFailedTrial(fleet, faults, this.watch.clock.stepMs));
    if (failedTrialAudit) this.ending = endingOf(failedTrialAudit, undefined, this.inputs.treatment.settings);
    if (endless) throw endless;
  }

  private async warmUp({ fleet }: Load): Promise<void> {
    const { settings } = this.inputs.treatment;
    const { warmUpMs } = settings.trial;
    if (warmUpMs === 0 || this.host.interruption.isRequested()) return;
    this.phase("warm-up", warmUpMs);
    const startMs = await this.awaitCommonStart(fleet.leadMs);
    fleet.start(startMs);
    await this.sleepUntil(startMs + warmUpMs * ANALYZE_WARM_UP_SHARE);
    // Cached plans were made for empty tables; with new statistics the server plans again, as on a live system.
    await this.failures.race(analyzeNamespace(this.host.admin, settings));
    await this.sleepUntil(startMs + warmUpMs - fleet.leadMs);
    await this.awaitCommandAnswer(fleet.pause(workersToRestart(fleet.assignments)));
  }

  private async measure(load: Load): Promise<void> {
    const { host, failures } = this;
    const { fleet, evidence, faults } = load;
    if (host.interruption.isRequested()) return;
    const { settings } = this.inputs.treatment;
    const budgets = budgetsOf(fleet, settings);
    const windowMaxMs = budgets ? undefined : settings.trial.durationMs;
    const window = this.openWindow(await this.awaitCommonStart(fleet.leadMs), windowMaxMs, load);
    fleet.measure(window.startMs, window.endMs);
    await this.sleepUntil(window.startMs - FIRST_READING_LEAD_MS);
    this.phase("measure", windowMaxMs, window.startedAt);
    window.readStart();
    faults.begin(window.startMs);
    await failures.race(evidence.begin(window.startMs));
    const endMs = budgets
      ? await windowEndByBudgets({ ...host, budgets, failures, trialEnd: this.trialEnd.signal })
      : await this.sleepUntil(window.endMs);
    if (budgets || host.interruption.isRequested()) {
      window.endMs = Math.min(endMs, window.endMs);
      fleet.measure(window.startMs, window.endMs);
    }
    window.readEnd(fleet.eventLoopDelayP99Ms());
    await failures.race(faults.end(!host.interruption.isRequested()));
    await failures.race(evidence.end(window.endMs));
    this.plans = await failures.race(readPlans(host.admin, settings));
    await this.awaitCommonStart(0);
  }

  /** Opens the window with its files, which are closed last because workers send records until they end. */
  private openWindow(startMs: number, windowMaxMs: number | undefined, load: Load): MeasuredWindow {
    const { host, inputs, path, workers } = this;
    const window = new MeasuredWindow(startMs, windowMaxMs, this.surroundings);
    const operations = arrivalOperations(inputs.treatment.settings);
    const files = new TrialFiles(inputs.directory, window.startedAtMs, operations);
    this.closers.unshift(() => files.close());
    this.closers.push(() => {
      if (this.failure) window.endEarly();
      this.windowSeconds = window.seconds;
    });
    this.onSample.push(files.onEvidence);
    this.onSecond.push(files.onSecond, (second) => {
      if (!window.isOpen) return;
      window.updateClockStep();
      host.onTotals?.(this.tally.running, second + 1);
    });
    this.facts.push((summary) =>
      windowFacts(inputs, { ...load, window, workers, poolerSettings: path.poolerSettings, summary }),
    );
    return window;
  }

  /** Resolves to the seconds from the end of the load until the queue was empty; undefined where it was not emptied. */
  private async drain({ fleet }: Load): Promise<number | undefined> {
    const { settings } = this.inputs.treatment;
    const { drainMaxMs } = settings.trial;
    if (drainMaxMs === 0 || this.host.interruption.isRequested()) return undefined;
    this.phase("drain", drainMaxMs);
    const sinceMs = monotonicMs();
    await this.awaitCommandAnswer(fleet.finish());
    fleet.drain();
    const deadlineMs = monotonicMs() + drainMaxMs;
    while (!(await this.failures.race(this.isDrained()))) {
      if (monotonicMs() >= deadlineMs || !this.mayContinue()) return undefined;
      await this.failures.race(sleep(DRAIN_POLL_MS));
    }
    return (monotonicMs() - sinceMs) / 1000;
  }

  /** Asks on the control connection, because a client's poll may find nothing while other sessions hold locks. */
  private async isDrained(): Promise<boolean> {
    const { settings } = this.inputs.treatment;
    return (
      (await workloadOf(settings).draining?.isDone(storeOf(settings), this.host.admin, settings)) ?? true
    );
  }

  private async stop({ fleet }: Load): Promise<void> {
    await this.awaitCommandAnswer(fleet.stop());
    if (!this.host.interruption.isRequested()) this.requireBalancedAccounts(fleet);
    await this.surroundings.end();
  }

  /**
   * Throws a TrialError that names a worker that lost an arrival. A killed worker is exempt: it could not report its last
   * second.
   */
  private requireBalancedAccounts(fleet: Fleet): void {
    const mismatch = this.workers.findUnaccountedArrivals((worker) => fleet.isWorkerKilled(worker));
    if (!mismatch) return;
    const { worker, operation, offered, accounted } = mismatch;
    throw new TrialError(
      `the accounts of ${fleet.nameOf(worker)} do not add up: of ${operation}, ${offered} arrivals were offered, and ` +
        `${accounted} ended, were dropped or were under way at the end`,
      "This is a bug of train-sim; please report it with the scenario.",
    );
  }

  private async audit({ fleet, faults }: Load, drainSeconds: number | undefined): Promise<void> {
    this.phase("audit", undefined);
    const seen = { isDrained: drainSeconds !== undefined, clockStepMs: this.watch.clock.stepMs };
    const audited = await this.failures.race(this.tables.audit(fleet, faults, seen));
    if (audited) this.ending = endingOf(audited, drainSeconds, this.inputs.treatment.settings);
  }

  /**
   * The monotonic moment at which all simultaneous trials begin: at least `leadMs` from now, so that every thread knows it
   * before.
   */
  private awaitCommonStart(leadMs: number): Promise<number> {
    return this.failures.race(this.host.meeting.meet(leadMs));
  }

  /** Awaits a command's answer, which comes when the last transactions have ended. */
  private awaitCommandAnswer<T>(ended: Promise<T>): Promise<T> {
    const options = lastTransactionsOptions(
      this.host,
      this.inputs,
      this.log,
      this.path,
      this.trialEnd.signal,
    );
    return this.failures.race(awaitLastTransactions(ended, options));
  }

  /** Resolves to the current moment when `atMs` (monotonic) is reached, or earlier on a request to stop. */
  private async sleepUntil(atMs: number): Promise<number> {
    await this.failures.race(this.host.interruption.sleep(atMs - monotonicMs(), this.trialEnd.signal));
    return monotonicMs();
  }

  /** Announces a phase; `startedAt` is the wall-clock time at which the window began. */
  private phase(name: TrialPhase, mostMs: number | undefined, startedAt?: string): void {
    this.log.phase(name, startedAt);
    this.host.observer.phaseStarted(name, mostMs);
  }
}

/** Handles a second of the warm-up like a second of the window, without effect, so that V8 compiles the code before. */
function warmUpSecondHandlers(totals: Totals): void {
  new SecondSeries(totals.operations).add(0, totals);
  secondLines(0, totals, []);
}
