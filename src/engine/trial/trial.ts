// One trial, from an empty namespace to a verdict: reset, launch, warm up, measure, drain, stop, audit. It owns the
// order of these and what happens when one of them cannot go on: a signal ends the trial early with what was
// measured so far, marked; anything else fails it with its cause, and nothing of it is left running.
import { monotonicMs } from "../../foundation/clock.js";
import { asTrainSimError, type TrainSimError } from "../../foundation/errors.js";
import type { Audited } from "../../workloads/workload.js";
import { Tally, type SecondSink } from "../../metrics/tally.js";
import { arrivalOperations, operationsOf } from "../../results/operation-results.js";
import type { TrialResult } from "../../results/result-schema.js";
import { TrialFiles } from "../../results/trial-files.js";
import { totalClients } from "../../scenario/settings.js";
import { assignmentsOf, workersThatStartAnew } from "../workers/assignments.js";
import { ClientPath } from "./client-path.js";
import type { TrialEvidence } from "../evidence/evidence.js";
import { evidenceOf } from "../evidence/evidence-sources.js";
import { budgetsOf, untilBudgetsAreUsed } from "./budgets.js";
import { drainQueue } from "./drain.js";
import { TrialFaults } from "./trial-faults.js";
import { Fleet } from "../workers/fleet.js";
import { askTheServer, lastTransactions } from "./last-transactions.js";
import { Lifeline } from "./lifeline.js";
import { liveSecond } from "./live-second.js";
import { MeasuredWindow } from "./measured-window.js";
import type { TrialPhase } from "../session/observer.js";
import { rehearseSecond } from "./rehearse-second.js";
import { SecondSeries } from "./second-series.js";
import { analyzeNamespace } from "./prepare-namespace.js";
import type { FinishedTrial, TrialHost, TrialInputs } from "./trial-parts.js";
import { ServerWatch } from "./server-watch.js";
import { Surroundings } from "../evidence/surroundings.js";
import { TrialTables } from "./trial-tables.js";
import { TrialLog } from "./trial-log.js";
import { endingOf, trialResult, type TrialEnding } from "./trial-result.js";

const ANALYZE_AFTER = 0.6; // share of the warm-up after which statistics are gathered

export async function runTrial(host: TrialHost, inputs: TrialInputs): Promise<FinishedTrial> {
  return new TrialRun(host, inputs).run();
}

class TrialRun {
  private readonly log: TrialLog;
  private readonly watch: ServerWatch;
  private readonly tally: Tally;
  private readonly series: SecondSeries;
  private readonly lifeline = new Lifeline();
  /** Aborted when the trial is over, however it ended: no timer of it outlives it. */
  private readonly over = new AbortController();
  private readonly isWanted = () => !this.host.interruption.isRequested() && !this.over.signal.aborted;
  private files: TrialFiles | undefined;
  private readonly path: ClientPath;
  private readonly surroundings: Surroundings;
  private fleet: Fleet | undefined;
  private window: MeasuredWindow | undefined;
  private evidence: TrialEvidence | undefined;
  private faults: TrialFaults | undefined;
  private isMeasuring = false;
  private readonly tables: TrialTables;

  constructor(
    private readonly host: TrialHost,
    private readonly inputs: TrialInputs,
  ) {
    const { settings } = inputs.treatment;
    this.log = new TrialLog(inputs);
    this.path = new ClientPath(host, inputs, this.lifeline);
    this.surroundings = new Surroundings(host, inputs);
    this.tables = new TrialTables(host, inputs, this.log);
    const workers = Object.values(settings.actors).reduce((sum, group) => sum + group.workers, 0);
    this.series = new SecondSeries(operationsOf(settings));
    const onSecond: SecondSink = (second, totals) => {
      this.series.add(second, totals);
      this.faults?.onSecond(second, totals);
      this.files?.onSecond(second, totals);
      host.observer.second(liveSecond(second, totals));
      if (!this.isMeasuring) return;
      this.window?.readClock();
      host.onTotals?.(this.tally.running, second + 1);
    };
    this.tally = new Tally(operationsOf(settings), workers, onSecond, rehearseSecond);
    this.watch = new ServerWatch(host.target.admin, host.claim.run);
    this.lifeline.watch(host.claim.lost);
    this.lifeline.watchServer("the database server", Promise.race([host.target.lost, this.watch.lost]));
  }

  /** Never rejects for what happens in the trial: that is in its result. */
  async run(): Promise<FinishedTrial> {
    this.host.observer.trialStarted(this.inputs.trial, this.inputs.treatment);
    let ending: TrialEnding | undefined;
    let failure: TrainSimError | undefined;
    try {
      await this.reset();
      const fleet = await this.launch();
      await this.warmUp(fleet);
      await this.measure(fleet);
      const drainSeconds = await this.drain(fleet);
      await this.stop(fleet);
      const audited = await this.audit(fleet, drainSeconds !== undefined);
      ending = audited && endingOf(audited, drainSeconds);
    } catch (error) {
      failure = asTrainSimError(error);
      this.window?.cutShort();
    }
    this.over.abort();
    await this.faults?.end();
    await this.evidence?.close();
    if (failure) await this.fleet?.closeLedgers();
    const endless = await this.fleet?.terminate();
    const salvaged = failure && this.fleet && (await this.tables.auditFailed(this.fleet));
    if (salvaged) ending = endingOf(salvaged, undefined);
    await this.path.close();
    await this.watch.stop();
    this.lifeline.release();
    failure = [failure, endless, this.closeFiles()].find((each) => each !== undefined);
    const result = this.result(ending, failure);
    await this.log.close(result);
    failure ??= this.log.failure;
    return { result, totals: this.tally.finish(result.windowSeconds), ...(failure && { failure }) };
  }

  private async reset(): Promise<void> {
    this.phase("reset", undefined);
    await this.surroundings.begin();
    await this.path.open();
    await this.lifeline.hold(this.tables.reset(this.path.endpoints, this.isWanted));
  }

  private async launch(): Promise<Fleet> {
    const { settings } = this.inputs.treatment;
    const assignments = assignmentsOf({
      ...{ trial: this.inputs.trial, settings, directory: this.inputs.directory, logFile: this.log.file },
      endpoints: this.path.endpoints,
      prepared: settings.prepared && (this.path.pooler?.supportsPreparedStatements ?? true),
    });
    this.fleet = new Fleet(assignments, {
      onDelta: (delta, worker) => this.tally.add(worker, delta),
      onContacts: this.path.onContacts,
    });
    this.lifeline.watch(this.fleet.failure);
    await this.lifeline.hold(this.fleet.launch());
    this.evidence = evidenceOf(this.host, this.surroundings, this.path.pooler, settings, () => this.files);
    await this.lifeline.hold(this.evidence.open());
    return this.fleet;
  }

  private async warmUp(fleet: Fleet): Promise<void> {
    const { settings } = this.inputs.treatment;
    const { warmUpMs } = settings.trial;
    if (warmUpMs === 0 || this.host.interruption.isRequested()) return;
    this.phase("warm-up", warmUpMs);
    const startMs = monotonicMs() + fleet.leadMs;
    fleet.start(startMs);
    await this.sleepUntil(startMs + warmUpMs * ANALYZE_AFTER);
    // Cached plans were made for empty tables; with statistics the server plans anew, as on a live system.
    await this.lifeline.hold(analyzeNamespace(this.host.admin, settings));
    await this.sleepUntil(startMs + warmUpMs - fleet.leadMs);
    await this.untilEnded(fleet.pause(workersThatStartAnew(fleet.assignments)));
  }

  private async measure(fleet: Fleet): Promise<void> {
    if (this.host.interruption.isRequested()) return;
    const { settings } = this.inputs.treatment;
    const budgets = budgetsOf(fleet, settings);
    const mostMs = budgets ? undefined : settings.trial.durationMs;
    const window = new MeasuredWindow(fleet.leadMs, mostMs, this.surroundings);
    this.window = window;
    this.files = new TrialFiles(this.inputs.directory, window.startedAtMs, arrivalOperations(settings));
    fleet.measure(window.startMs, window.endMs);
    this.phase("measure", mostMs);
    window.readStart();
    this.isMeasuring = true;
    const { host, inputs, path, watch, log, lifeline } = this;
    this.faults = new TrialFaults({ host, inputs, path, watch, log });
    this.lifeline.watch(this.faults.failure);
    this.faults.begin(window.startMs);
    await this.lifeline.hold(Promise.resolve(this.evidence?.begin(window.startMs)));
    const endMs = budgets
      ? await untilBudgetsAreUsed({ ...host, budgets, lifeline, over: this.over.signal })
      : await this.sleepUntil(window.endMs);
    this.isMeasuring = false;
    if (budgets || this.host.interruption.isRequested()) {
      window.endMs = Math.min(endMs, window.endMs);
      fleet.measure(window.startMs, window.endMs);
    }
    window.readEnd(fleet.eventLoopDelayP99Ms());
    await this.faults.end(!this.host.interruption.isRequested());
    await this.lifeline.hold(Promise.resolve(this.evidence?.end(window.endMs)));
  }

  /** Resolves to the seconds until the queue was empty; undefined where it was not emptied. */
  private async drain(fleet: Fleet): Promise<number | undefined> {
    const { settings } = this.inputs.treatment;
    if (settings.trial.drainMaxMs === 0 || this.host.interruption.isRequested()) return undefined;
    this.phase("drain", settings.trial.drainMaxMs);
    const sinceMs = monotonicMs();
    await this.untilEnded(fleet.finish());
    fleet.drain();
    return this.lifeline.hold(drainQueue(this.host.admin, settings, this.isWanted, sinceMs));
  }

  private async stop(fleet: Fleet): Promise<void> {
    await this.untilEnded(fleet.stop());
    this.window?.settle(fleet.usages, totalClients(this.inputs.treatment.settings));
    await this.surroundings.end();
  }

  private async audit(fleet: Fleet, isDrained: boolean): Promise<Audited | undefined> {
    this.phase("audit", undefined);
    return this.lifeline.hold(this.tables.audit(fleet, isDrained));
  }

  private closeFiles(): TrainSimError | undefined {
    try {
      this.tally.finish(this.window?.seconds ?? 0);
      this.files?.close();
      return this.log.failure;
    } catch (error) {
      return asTrainSimError(error);
    }
  }

  private result(ending: TrialEnding | undefined, failure: TrainSimError | undefined): TrialResult {
    const { window, evidence, series, surroundings } = this;
    return trialResult(this.inputs, {
      ...{ window, evidence, series, surroundings, ending, failure },
      ...{ endpoints: this.path.namedEndpoints, endpointDeltas: this.fleet?.endpointDeltas ?? [] },
      faults: this.faults?.records(window?.seconds ?? 0) ?? [],
      summary: this.tally.summary(window?.seconds ?? 0),
      stopReason: this.host.interruption.reason,
    });
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
    this.log.phase(name, name === "measure" ? this.window?.startedAt : undefined);
    this.host.observer.phaseStarted(name, mostMs);
  }
}
