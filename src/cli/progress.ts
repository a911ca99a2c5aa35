// Live progress on standard error: which trial of how many, which phase, events a second, p99 and the time left.
// On a terminal it is one line that is rewritten; elsewhere (CI, a pipe) a plain line for each trial's end and one
// every ten seconds. Standard output stays free for results.
import { monotonicMs } from "../foundation/clock.js";
import { formatDuration } from "../foundation/units.js";
import type { ExperimentObserver, LiveSecond, TrialPhase } from "../engine/observer.js";
import type { TrialResult } from "../results/result-schema.js";
import type { Experiment, PlannedTrial, Treatment } from "../scenario/settings.js";

const PLAIN_EVERY_MS = 10_000;

/** Milliseconds that a trial of these settings takes without reset, drain and audit; budgets count as nothing. */
function plannedMs(treatment: Treatment): number {
  const { trial } = treatment.settings;
  return trial.warmUpMs + trial.durationMs;
}

export class Progress implements ExperimentObserver {
  private readonly startedMs = monotonicMs();
  private trial: PlannedTrial | undefined;
  private trialStartedMs = 0;
  private phase: TrialPhase = "reset";
  private live: LiveSecond | undefined;
  private finishedPlannedMs = 0;
  private finishedMs = 0;
  private lastPlainMs = monotonicMs();
  private ticker: NodeJS.Timeout | undefined;

  constructor(
    private readonly experiment: Experiment,
    private readonly stream: NodeJS.WriteStream,
  ) {
    if (stream.isTTY) this.ticker = setInterval(() => this.drawLine(), 500).unref();
  }

  note(text: string): void {
    this.print(text);
  }

  trialStarted(trial: PlannedTrial): void {
    this.trial = trial;
    this.trialStartedMs = monotonicMs();
    this.live = undefined;
  }

  phaseStarted(phase: TrialPhase): void {
    this.phase = phase;
    this.drawLine();
  }

  second(live: LiveSecond): void {
    this.live = live;
    const nowMs = monotonicMs();
    if (this.stream.isTTY || nowMs - this.lastPlainMs < PLAIN_EVERY_MS) return;
    this.lastPlainMs = nowMs;
    this.print(this.line());
  }

  thresholds(): void {
    // Nor are these.
  }

  evidence(): void {
    // Not shown on one line.
  }

  trialEnded(result: TrialResult, treatment: Treatment): void {
    this.finishedPlannedMs += plannedMs(treatment);
    this.finishedMs += monotonicMs() - this.trialStartedMs;
    this.lastPlainMs = monotonicMs();
    const rates = Object.entries(result.operations)
      .filter(([operation]) => operation !== "__cycle__")
      .map(([operation, each]) => `${operation} ${each.eventsPerSecond.toFixed(0)} ev/s`);
    const note =
      result.status === "complete" ? "" : ` (${result.status}: ${result.reason ?? "no reason given"})`;
    this.print(
      `${this.heading()}  ${rates.join("  ")}  integrity ${result.integrity?.verdict ?? "not checked"}${note}`,
    );
  }

  /** Clears the live line; call before anything else is printed. */
  close(): void {
    clearInterval(this.ticker);
    this.clear();
  }

  private heading(): string {
    const { trial, experiment } = this;
    const width = Math.max(...experiment.treatments.map(({ id }) => id.length));
    // A search for capacity does not know how many trials it will take.
    const total = experiment.trials.length > 0 ? `/${experiment.trials.length}` : "";
    return `trial ${trial?.number ?? 0}${total}  ${(trial?.treatmentId ?? "").padEnd(width)}`;
  }

  private line(): string {
    const operations = Object.entries(this.live?.operations ?? {})
      .filter(([operation]) => operation !== "__cycle__")
      .map(([operation, each]) => {
        const p99 = each.response === null ? "" : ` p99 ${each.response.p99Ms.toFixed(1)}ms`;
        const [retries, failures] = [sum(each.retries), sum(each.failures)];
        const trouble = retries + failures > 0 ? ` ${retries} retries ${failures} failures` : "";
        return `${operation} ${each.events} ev/s${p99}${trouble}`;
      });
    const timeLeft = this.experiment.trials.length > 0 ? [`${this.timeLeft()} left`] : [];
    return [this.heading(), this.phase, ...timeLeft, ...operations].join("  ");
  }

  /** Planned time of what is left, plus the overhead that finished trials have had beyond theirs. */
  private timeLeft(): string {
    const { experiment, trial } = this;
    const byId = new Map(experiment.treatments.map((each) => [each.id, each]));
    const done = (trial?.number ?? 1) - 1;
    const overheadMs = done > 0 ? Math.max(0, this.finishedMs - this.finishedPlannedMs) / done : 2_000;
    const leftMs = experiment.trials.slice(done).reduce((sum, each) => {
      const treatment = byId.get(each.treatmentId);
      return sum + (treatment ? plannedMs(treatment) + overheadMs : 0);
    }, 0);
    const spentMs = trial ? monotonicMs() - this.trialStartedMs : 0;
    return formatDuration(Math.max(0, Math.round((leftMs - spentMs) / 1000)) * 1000);
  }

  private drawLine(): void {
    if (!this.stream.isTTY || !this.trial) return;
    this.stream.write(`\r\u001b[2K${this.line().slice(0, Math.max(20, this.stream.columns - 1))}`);
  }

  private clear(): void {
    if (this.stream.isTTY) this.stream.write("\r\u001b[2K");
  }

  private print(text: string): void {
    this.clear();
    this.stream.write(
      `[${formatDuration(Math.round((monotonicMs() - this.startedMs) / 1000) * 1000)}] ${text}\n`,
    );
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Hears everything and says nothing: `--quiet`. */
export const silentObserver: ExperimentObserver = {
  note: () => undefined,
  trialStarted: () => undefined,
  phaseStarted: () => undefined,
  second: () => undefined,
  evidence: () => undefined,
  thresholds: () => undefined,
  trialEnded: () => undefined,
};
