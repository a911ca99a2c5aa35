// One trial, from an empty namespace to a verdict: reset, launch, warm up, measure, drain, stop, audit. It owns the
// order of these and what happens when one of them cannot go on: a signal ends the trial early with what was
// measured so far, marked; anything else fails it with its cause, and nothing of it is left running.
// Each phase takes what those before it made; `reached` holds the same for the end, when all of it is put away.
import { monotonicMs } from "../../foundation/clock.js";
import { asExplained } from "../../database/registry.js";
import { TrialError, type TrainSimError } from "../../foundation/errors.js";
import type { Audited } from "../../workloads/workload.js";
import { finishedIn, type RecorderDelta } from "../../metrics/recorder-delta.js";
import { Tally, type SecondSink } from "../../metrics/tally.js";
import type { Totals } from "../../metrics/totals.js";
import { WorkerTallies } from "../../metrics/worker-tallies.js";
import { arrivalOperations, operationsOf } from "../../results/operation-results.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import { secondLines, TrialFiles } from "../../results/trial-files.js";
import { totalWorkers } from "../../scenario/settings.js";
import { assignmentsOf, workersThatStartAnew } from "../workers/assignments.js";
import { ClientPath } from "./client-path.js";
import type { TrialEvidence } from "../evidence/evidence.js";
import { evidenceOf } from "../evidence/evidence-sources.js";
import { readPlans } from "../evidence/plan-watch.js";
import { budgetsOf, untilBudgetsAreUsed } from "./budgets.js";
import { drainQueue } from "./drain.js";
import { TrialFaults } from "./trial-faults.js";
import { Fleet } from "../workers/fleet.js";
import { askTheServer, lastTransactions } from "./last-transactions.js";
import { Lifeline } from "./lifeline.js";
import { liveSecond } from "./live-second.js";
import { MeasuredWindow } from "./measured-window.js";
import type { TrialPhase } from "../session/observer.js";
import { SecondSeries } from "./second-series.js";
import { analyzeNamespace } from "./prepare-namespace.js";
import type { FinishedTrial, TrialHost, TrialInputs } from "./trial-parts.js";
import { ServerWatch } from "./server-watch.js";
import { Surroundings } from "../evidence/surroundings.js";
import { TrialTables } from "./trial-tables.js";
import { TrialLog } from "./trial-log.js";
import { endingOf, NOT_REACHED, trialResult, type Reached, type TrialEnding } from "./trial-result.js";

const ANALYZE_AFTER = 0.6; // share of the warm-up after which statistics are gathered
/** What is read at the window's start takes a moment; earlier, it would hold what others measured before it. */
const READ_AHEAD_MS = 30;

export async function runTrial(host: TrialHost, inputs: TrialInputs): Promise<FinishedTrial> {
  return new TrialRun(host, inputs).run();
}

/** The load of a trial, ready to begin, and what is asked of the servers meanwhile. */
interface Launched {
  readonly fleet: Fleet;
  readonly evidence: TrialEvidence;
}

class TrialRun {
  private readonly log: TrialLog;
  private readonly watch: ServerWatch;
  private readonly tally: Tally;
  private readonly workers = new WorkerTallies();
  private readonly series: SecondSeries;
  private readonly lifeline = new Lifeline();
  /** Aborted when the trial is over, however it ended: no timer of it outlives it. */
  private readonly over = new AbortController();
  private readonly isWanted = () => !this.host.interruption.isRequested() && !this.over.signal.aborted;
  private readonly path: ClientPath;
  private readonly surroundings: Surroundings;
  private readonly tables: TrialTables;
  private readonly reached: Reached = { ...NOT_REACHED };

  constructor(
    private readonly host: TrialHost,
    private readonly inputs: TrialInputs,
  ) {
    const { settings } = inputs.treatment;
    this.log = new TrialLog(inputs);
    this.path = new ClientPath(host, inputs, this.lifeline);
    this.surroundings = new Surroundings(host, inputs);
    this.tables = new TrialTables(host, inputs, this.log);
    this.series = new SecondSeries(operationsOf(settings));
    const onSecond: SecondSink = (second, totals) => {
      const { faults, files, window } = this.reached;
      this.series.add(second, totals);
      faults.onSecond(second, totals);
      files.onSecond(second, totals);
      host.observer.second(liveSecond(second, totals));
      if (!window.isOpen) return;
      window.readClock();
      host.onTotals?.(this.tally.running, second + 1);
    };
    this.tally = new Tally(operationsOf(settings), totalWorkers(settings), onSecond, rehearseSecond);
    this.watch = new ServerWatch(host.target.admin, host.claim.run);
    this.lifeline.watch(host.claim.lost);
    this.lifeline.watchServer("the database server", Promise.race([host.target.lost, this.watch.lost]));
  }

  /** Never rejects for what happens in the trial: that is in its result. */
  async run(): Promise<FinishedTrial> {
    const { host, inputs, reached, surroundings, series, tally } = this;
    const { settings } = inputs.treatment;
    host.observer.trialStarted(inputs.trial, inputs.treatment);
    let ending: TrialEnding | undefined;
    let failure: TrainSimError | undefined;
    try {
      await this.reset();
      const launched = await this.launch();
      await this.warmUp(launched);
      await this.measure(launched);
      const drainSeconds = await this.drain(launched);
      await this.stop(launched);
      const audited = await this.audit(launched, drainSeconds !== undefined);
      ending = audited && endingOf(audited, drainSeconds, settings);
    } catch (error) {
      failure = asExplained(error);
      reached.window.cutShort();
    }
    this.over.abort();
    host.meeting?.leave();
    await reached.faults.end();
    await reached.evidence.close();
    if (failure) await reached.fleet.closeLedgers();
    const endless = await reached.fleet.terminate();
    const salvaged =
      failure && (await this.tables.auditFailed(reached.fleet, reached.faults, this.watch.clock.stepMs));
    if (salvaged) ending = endingOf(salvaged, undefined, settings);
    await this.path.close();
    await this.watch.stop();
    this.lifeline.release();
    failure = [failure, endless, this.closeFiles()].find((each) => each !== undefined);
    const result = trialResult(inputs, {
      ...{ reached, surroundings, series, ending, failure },
      endpoints: this.path.namedEndpoints,
      poolerSettings: this.path.poolerSettings,
      summary: tally.summary(reached.window.seconds),
      workers: this.workers,
      serverClockStepMs: this.watch.clock.stepMs,
      stopReason: host.interruption.reason,
    });
    await this.log.close(result);
    failure ??= this.log.failure;
    return { result, totals: tally.finish(result.windowSeconds), ...(failure && { failure }) };
  }

  private async reset(): Promise<void> {
    this.phase("reset", undefined);
    await this.surroundings.begin();
    await this.path.open();
    await this.lifeline.hold(this.tables.reset(this.path.endpoints, this.isWanted));
  }

  private async launch(): Promise<Launched> {
    const { settings } = this.inputs.treatment;
    const assignments = assignmentsOf({
      ...{ trial: this.inputs.trial, settings, directory: this.inputs.directory, logFile: this.log.file },
      endpoints: this.path.endpoints,
      prepared: settings.prepared === true && (this.path.pooler?.supportsPreparedStatements ?? true),
    });
    const onDelta = (delta: RecorderDelta, worker: number): void => {
      if (finishedIn(delta) > 0) this.watch.served();
      this.workers.add(worker, delta);
      this.tally.add(worker, delta);
    };
    const onKilled = (worker: number): void => this.tally.forget(worker);
    const events = { onDelta, onKilled, onContacts: this.path.onContacts };
    const fleet = new Fleet(assignments, events, this.host.place);
    this.reached.fleet = fleet;
    this.lifeline.watch(fleet.failure);
    await this.lifeline.hold(fleet.launch());
    const sink = {
      onOpening: (atSeconds: number, values: EvidenceValues) =>
        this.reached.faults.onEvidence(atSeconds, values),
      onSample: (second: number, values: EvidenceValues) => {
        this.reached.faults.onEvidence(second + 1, values);
        this.reached.files.onEvidence(second, values);
      },
    };
    const evidence = evidenceOf(this.host, this.surroundings, this.path.pooler, settings, sink);
    this.reached.evidence = evidence;
    await this.lifeline.hold(evidence.open());
    return { fleet, evidence };
  }

  private async warmUp({ fleet }: Launched): Promise<void> {
    const { settings } = this.inputs.treatment;
    const { warmUpMs } = settings.trial;
    if (warmUpMs === 0 || this.host.interruption.isRequested()) return;
    this.phase("warm-up", warmUpMs);
    const startMs = await this.startTogether(fleet.leadMs);
    fleet.start(startMs);
    await this.sleepUntil(startMs + warmUpMs * ANALYZE_AFTER);
    // Cached plans were made for empty tables; with statistics the server plans anew, as on a live system.
    await this.lifeline.hold(analyzeNamespace(this.host.admin, settings));
    await this.sleepUntil(startMs + warmUpMs - fleet.leadMs);
    await this.untilEnded(fleet.pause(workersThatStartAnew(fleet.assignments)));
  }

  private async measure({ fleet, evidence }: Launched): Promise<void> {
    const { host, inputs, path, watch, log, lifeline, reached } = this;
    if (host.interruption.isRequested()) return;
    const { settings } = inputs.treatment;
    const budgets = budgetsOf(fleet, settings);
    const mostMs = budgets ? undefined : settings.trial.durationMs;
    const window = new MeasuredWindow(await this.startTogether(fleet.leadMs), mostMs, this.surroundings);
    reached.window = window;
    reached.files = new TrialFiles(inputs.directory, window.startedAtMs, arrivalOperations(settings));
    fleet.measure(window.startMs, window.endMs);
    await this.sleepUntil(window.startMs - READ_AHEAD_MS);
    this.phase("measure", mostMs);
    window.readStart();
    const faults = new TrialFaults({ host, inputs, path, fleet, watch, log });
    reached.faults = faults;
    lifeline.watch(faults.failure);
    faults.begin(window.startMs);
    await lifeline.hold(evidence.begin(window.startMs));
    const endMs = budgets
      ? await untilBudgetsAreUsed({ ...host, budgets, lifeline, over: this.over.signal })
      : await this.sleepUntil(window.endMs);
    if (budgets || host.interruption.isRequested()) {
      window.endMs = Math.min(endMs, window.endMs);
      fleet.measure(window.startMs, window.endMs);
    }
    window.readEnd(fleet.eventLoopDelayP99Ms());
    await lifeline.hold(faults.end(!host.interruption.isRequested()));
    await lifeline.hold(evidence.end(window.endMs));
    reached.plans = await lifeline.hold(readPlans(host.admin, settings));
    await this.startTogether(0);
  }

  /** Resolves to the seconds until the queue was empty; undefined where it was not emptied. */
  private async drain({ fleet }: Launched): Promise<number | undefined> {
    const { settings } = this.inputs.treatment;
    if (settings.trial.drainMaxMs === 0 || this.host.interruption.isRequested()) return undefined;
    this.phase("drain", settings.trial.drainMaxMs);
    const sinceMs = monotonicMs();
    await this.untilEnded(fleet.finish());
    fleet.drain();
    return this.lifeline.hold(drainQueue(this.host.admin, settings, this.isWanted, sinceMs));
  }

  private async stop({ fleet }: Launched): Promise<void> {
    await this.untilEnded(fleet.stop());
    if (!this.host.interruption.isRequested()) this.requireAccounts(fleet);
    await this.surroundings.end();
  }

  /** Throws a TrialError that names a worker that lost an arrival. A killed worker never reported its last second: exempt. */
  private requireAccounts(fleet: Fleet): void {
    const found = this.workers.unaccounted((worker) => fleet.hasKilled(worker));
    if (!found) return;
    const { worker, operation, offered, accounted } = found;
    throw new TrialError(
      `the accounts of ${fleet.nameOf(worker)} do not add up: of ${operation}, ${offered} arrivals were offered, and ` +
        `${accounted} ended, were dropped or were under way at the end`,
      "This is a bug of train-sim; please report it with the scenario.",
    );
  }

  private async audit({ fleet }: Launched, isDrained: boolean): Promise<Audited | undefined> {
    this.phase("audit", undefined);
    return this.lifeline.hold(
      this.tables.audit(fleet, this.reached.faults, { isDrained, clockStepMs: this.watch.clock.stepMs }),
    );
  }

  private closeFiles(): TrainSimError | undefined {
    try {
      this.tally.finish(this.reached.window.seconds);
      this.reached.files.close();
      return this.log.failure;
    } catch (error) {
      return asExplained(error);
    }
  }

  /** The monotonic moment after `leadMs`, so that every thread has heard of it before, or when all that run at once can begin. */
  private startTogether(leadMs: number): Promise<number> {
    const { meeting } = this.host;
    return meeting ? this.lifeline.hold(meeting.meet(leadMs)) : Promise.resolve(monotonicMs() + leadMs);
  }

  /** The outcome of a command that workers answer when their last transactions have ended. */
  private untilEnded<T>(ended: Promise<T>): Promise<T> {
    const options = askTheServer(this.host, this.inputs, this.log, this.path, this.over.signal);
    return this.lifeline.hold(lastTransactions(ended, options));
  }

  /** Resolves at that monotonic moment, or earlier on a request to stop, with the moment it is then. */
  private async sleepUntil(atMs: number): Promise<number> {
    await this.lifeline.hold(this.host.interruption.sleep(atMs - monotonicMs(), this.over.signal));
    return monotonicMs();
  }

  private phase(name: TrialPhase, mostMs: number | undefined): void {
    this.log.phase(name, name === "measure" ? this.reached.window.startedAt : undefined);
    this.host.observer.phaseStarted(name, mostMs);
  }
}

/**
 * Handles a second of the warm-up as one of the window, for nobody: V8 has compiled all of it when the window begins, and takes
 * no processor from the database for that.
 */
function rehearseSecond(totals: Totals): void {
  new SecondSeries(totals.operations).add(0, totals);
  secondLines(0, totals, []);
  liveSecond(0, totals);
}
