// The faults of one trial. During a fault, a server that does not answer is not taken for lost.
import { systemClock } from "../../foundation/clock.js";
import { deriveSeed, Prng } from "../../foundation/prng.js";
import type { Totals } from "../../metrics/totals.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import type { FaultRecord } from "../../results/result-schema.js";
import type { Fault } from "../../faults/registry.js";
import type { ClientPath } from "./client-path.js";
import type { ServerWatch } from "./server-watch.js";
import type { Fleet } from "../workers/fleet.js";
import type { TrialLog } from "./trial-log.js";
import type { TrialHost, TrialInputs } from "./trial-parts.js";
import { BacklogSamples, faultRecords } from "./fault-records.js";
import { FaultSchedule, type FaultSpan } from "../../faults/fault-schedule.js";
import { injectFault } from "../../faults/faults.js";
import { faultTablesIn, loadApplicationNames } from "../../workloads/tables.js";
import { workloadOf } from "../../workloads/registry.js";
import type { LossTerms } from "../../workloads/workload.js";
import { LoadSeconds } from "../../faults/load-seconds.js";

/** The longest wait for a fault, in ms: no fault needs an hour to be injected and cleared. */
const PATIENCE_MS = 3_600_000;

export interface TrialFaultsOptions {
  readonly host: Pick<TrialHost, "target" | "observer" | "claim" | "interruption">;
  readonly inputs: TrialInputs;
  readonly path: Pick<ClientPath, "pooler" | "poolerWatch" | "networks">;
  readonly fleet: Pick<Fleet, "chooseAgents">;
  readonly watch: ServerWatch;
  readonly log: TrialLog;
}

export class TrialFaults {
  /** Rejects as soon as a fault cannot be injected or cleared; never resolves. */
  readonly failure: Promise<never>;
  private readonly schedule: FaultSchedule;
  private readonly load = new LoadSeconds();
  private readonly queue = new BacklogSamples();
  /** Monotonic start of the window; undefined until then. */
  private startMs: number | undefined;
  /** Faults that are present, each with the function that ends the watches' tolerance of it. */
  private readonly endToleranceByFault = new Map<Fault, () => void>();

  constructor(private readonly options: TrialFaultsOptions) {
    const { host, inputs, path, fleet } = options;
    const { settings } = inputs.treatment;
    const workload = workloadOf(settings);
    this.schedule = new FaultSchedule({
      faults: settings.faults,
      host: {
        target: host.target,
        pooler: path.pooler,
        networks: path.networks,
        chooseAgents: (count, prng) => fleet.chooseAgents(count, prng),
        queueProcesses: () =>
          (workload.programs?.(inputs.directory) ?? []).flatMap(({ pid, runsJobs }) =>
            runsJobs ? [pid] : [],
          ),
        tables: faultTablesIn(workload, settings.dialect, settings.namespace),
        loadNames: loadApplicationNames(workload),
        prng: new Prng(deriveSeed(inputs.trial.seed, "faults")),
      },
      inject: injectFault,
      watcher: {
        onInjection: (fault) => this.onInjection(fault),
        onInjected: (fault) => this.log(fault, "is there"),
        onCleared: (fault, span) => this.onCleared(fault, span),
      },
      clock: systemClock,
    });
    this.failure = this.schedule.failure;
  }

  begin(startMs: number): void {
    this.startMs = startMs;
    this.schedule.begin(startMs);
  }

  /**
   * Clears faults that are present; resolves once the system is healthy, or cannot become so. Never rejects. `whole`: the
   * window reached its end.
   */
  async end(whole = false): Promise<void> {
    const cleared = new AbortController();
    const ended = this.schedule.end(whole).finally(() => cleared.abort());
    for (const fault of this.endToleranceByFault.keys())
      this.announceFault(fault, "is active at the end of the window and is cleared");
    await this.options.host.interruption.sleep(PATIENCE_MS, cleared.signal);
    if (!cleared.signal.aborted) await this.schedule.end();
    await ended;
    for (const calm of this.endToleranceByFault.values()) calm();
    this.endToleranceByFault.clear();
  }

  onSecond(second: number, totals: Totals): void {
    this.load.add(second, totals);
  }

  /** Takes the reading at the start of the window and every sample, with the seconds since the start. */
  onEvidence(atSeconds: number, values: EvidenceValues): void {
    this.queue.add(atSeconds, values);
  }

  /** What the faults may have lost; known once all are cleared. */
  loss(): Omit<LossTerms, "isAllowed"> {
    const spans = this.schedule.spans.flatMap(({ mayLose }) => mayLose ?? []);
    return { spans, windowStartMs: this.startMs };
  }

  records(windowSeconds: number): FaultRecord[] {
    const { schedule, startMs, load, queue } = this;
    if (startMs === undefined) return [];
    return faultRecords(this.options.inputs, schedule.spans, startMs, windowSeconds, load, queue);
  }

  private onInjection(fault: Fault): void {
    const { watch, path, host } = this.options;
    const ends = [watch.tolerateAbsence(), path.poolerWatch?.tolerateRefusals(), host.claim.tolerateLoss()];
    this.endToleranceByFault.set(fault, () => ends.forEach((end) => end?.()));
    this.announceFault(fault, "begins");
  }

  private onCleared(fault: Fault, { injectedMs, clearedMs = injectedMs, words }: FaultSpan): void {
    this.endToleranceByFault.get(fault)?.();
    this.endToleranceByFault.delete(fault);
    const seconds = ((clearedMs - injectedMs) / 1000).toFixed(1);
    this.announceFault(fault, `is over after ${seconds} s: ${words}`);
  }

  private announceFault(fault: Fault, words: string): void {
    const second = this.log(fault, words);
    this.options.host.observer.note(`fault ${fault.kind} at ${second.toFixed(1)} s ${words}`);
  }

  private log(fault: Fault, words: string): number {
    const second = Math.max(0, systemClock.nowMs() - (this.startMs ?? Number.POSITIVE_INFINITY)) / 1000;
    this.options.log.logFault(fault, second, words);
    return second;
  }
}
