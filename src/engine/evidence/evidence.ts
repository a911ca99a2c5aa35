// A source that does not answer costs its values and a missed sample, never the trial.
import { systemClock, type Clock } from "../../foundation/clock.js";
import { messageOf } from "../../foundation/errors.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import type { DatabaseEvidence } from "../../results/result-schema.js";
import { foreignWorkOf } from "./foreign-work.js";
import { perEventOf, type WindowWork } from "./evidence-per-event.js";
import type { EvidenceReading, SkippedSource } from "../../database/evidence.js";
import { COUNTER_RESTART_REASON, type EvidenceSource } from "./evidence-source.js";
import { DATABASE_EVIDENCE } from "../../workloads/evidence.js";
import { windowFigures } from "./window-figures.js";
import { WindowSums } from "./window-sums.js";

/** Milliseconds by which the span of the end readings may exceed the window; the result states a larger excess. */
const SPAN_EXCESS_MAX_MS = 250;
/** Share of the window by which the span may exceed it before counts are no longer divided by the window's events. */
const SPAN_EXCESS_RATIO_MAX = 0.05;

export interface EvidenceOptions {
  readonly sources: readonly EvidenceSource[];
  /** Milliseconds between samples; 0 takes only the two readings at the ends. */
  readonly everyMs: number;
  readonly onOpening?: (atSeconds: number, values: EvidenceReading) => void;
  readonly onSample: (second: number, values: EvidenceValues) => void;
  readonly clock?: Clock;
}

export class TrialEvidence {
  private readonly sums = new WindowSums();
  private readonly endedAbort = new AbortController();
  private readonly clock: Clock;
  private readonly failures = new Map<string, { count: number; reason: string }>();
  private readonly hookFailures: SkippedSource[] = [];
  private samplingDone: Promise<void> = Promise.resolve();
  private startMs = 0;
  private openedMs = 0;
  private closedMs = 0;
  private windowMs = 0;
  private lastSecond = -1;
  private missedSamples = 0;
  private tookMs = 0;
  private readings = 0;
  private state: "new" | "open" | "closeWindow" = "new";

  constructor(private readonly options: EvidenceOptions) {
    this.clock = options.clock ?? systemClock;
  }

  /** Connects the reachable sources. Never rejects; may be cut short by `close`. */
  async open(): Promise<void> {
    await Promise.all(this.options.sources.map(async (source) => source.prepare?.()));
  }

  /** Takes the first reading and resolves with it. Samples follow from `startMs` (monotonic) on. */
  async begin(startMs: number): Promise<void> {
    this.startMs = startMs;
    await this.callWindowHooks("openWindow");
    this.openedMs = this.clock.nowMs();
    const reading = await this.read();
    this.sums.open(reading, this.openedMs);
    this.state = "open";
    if (this.options.everyMs === 0) return;
    this.options.onOpening?.(Math.max(0, this.clock.nowMs() - startMs) / 1000, reading);
    this.samplingDone = this.sampleUntilEnd();
  }

  async end(endMs: number): Promise<void> {
    if (this.state !== "open") return;
    this.windowMs = endMs - this.startMs;
    this.endedAbort.abort();
    await this.samplingDone;
    this.closedMs = this.clock.nowMs();
    const reading = await this.read();
    const lastSecond = Math.max(0, Math.ceil((this.windowMs - 1) / 1000) - 1);
    if (this.options.everyMs > 0 && lastSecond > this.lastSecond)
      this.take(lastSecond, reading, this.closedMs);
    this.sums.close(reading);
    this.state = "closeWindow";
    await this.callWindowHooks("closeWindow");
  }

  /** The evidence of the window; empty if the window did not come to its end. */
  result(done: WindowWork): DatabaseEvidence {
    if (this.state !== "closeWindow") return {};
    const { sums } = this;
    const parts = Object.assign(
      windowFigures(sums, DATABASE_EVIDENCE),
      ...this.options.sources.map((source) => source.summary?.(sums)),
    ) as DatabaseEvidence;
    const perEvent = this.isFarOff ? undefined : perEventOf(parts, sums, done);
    const span = { seconds: this.spanMs / 1000, windowSeconds: this.windowMs / 1000 };
    const foreign = foreignWorkOf(sums, done, span);
    const skippedSources = this.skippedSources();
    return {
      ...parts,
      ...(foreign && { foreign }),
      ...(perEvent && { perEvent }),
      ...(sums.samples > 0 && {
        sampling: { samples: sums.samples, missed: this.missedSamples, meanMs: this.tookMs / this.readings },
      }),
      ...(skippedSources.length > 0 && { skipped: skippedSources }),
    };
  }

  /** Ends sampling at any stage and closes the sources. Never rejects. */
  async close(): Promise<void> {
    this.endedAbort.abort();
    await Promise.all(this.options.sources.map((source) => source.close()));
    await this.samplingDone;
  }

  private async sampleUntilEnd(): Promise<void> {
    const { everyMs } = this.options;
    const { signal } = this.endedAbort;
    for (let tick = 1; ; tick++) {
      await this.clock.sleep(this.startMs + tick * everyMs - this.clock.nowMs(), signal);
      if (signal.aborted) {
        // The last sample coincides with the reading at the end, so it is not counted as missed.
        this.missedSamples += Math.max(0, Math.ceil((this.windowMs - 1) / everyMs) - tick);
        return;
      }
      const atMs = this.clock.nowMs();
      const reading = await this.read();
      this.take(Math.ceil((tick * everyMs) / 1000) - 1, reading, atMs);
      // A sample that took longer than the interval replaces the samples that became due meanwhile.
      const dueTick = Math.floor((this.clock.nowMs() - this.startMs) / everyMs);
      this.missedSamples += Math.max(0, dueTick - tick);
      tick = Math.max(tick, dueTick);
    }
  }

  private take(second: number, reading: EvidenceReading, atMs: number): void {
    if (Object.keys(reading).length === 0) return;
    this.lastSecond = second;
    this.options.onSample(second, this.sums.sample(reading, atMs));
  }

  /** Reads all sources at once; sources that fail are left out. */
  private async read(): Promise<EvidenceReading> {
    const { sources } = this.options;
    const startMs = this.clock.nowMs();
    const readings = await Promise.allSettled(sources.map((source) => source.sample()));
    this.tookMs += this.clock.nowMs() - startMs;
    this.readings++;
    const values = readings.map((reading, i) => {
      if (reading.status === "fulfilled") return reading.value;
      const name = sources[i]?.name ?? "";
      const count = (this.failures.get(name)?.count ?? 0) + 1;
      this.failures.set(name, { count, reason: messageOf(reading.reason) });
      return {};
    });
    if (readings.some(({ status }) => status === "rejected")) this.missedSamples++;
    return Object.assign({}, ...values) as EvidenceReading;
  }

  private async callWindowHooks(name: "openWindow" | "closeWindow"): Promise<void> {
    for (const source of this.options.sources) {
      try {
        await source[name]?.();
      } catch (error) {
        this.hookFailures.push({ source: source.name, reason: messageOf(error) });
      }
    }
  }

  private get spanMs(): number {
    return this.closedMs - this.openedMs;
  }

  private get isSlack(): boolean {
    return Math.abs(this.spanMs - this.windowMs) > SPAN_EXCESS_MAX_MS;
  }

  private get isFarOff(): boolean {
    return this.isSlack && Math.abs(this.spanMs - this.windowMs) > SPAN_EXCESS_RATIO_MAX * this.windowMs;
  }

  private skippedSources(): SkippedSource[] {
    const { spanMs, windowMs, isSlack, isFarOff } = this;
    const missed = [...this.failures].map(([source, { count, reason }]) => ({
      source,
      reason: `${count} reading${count === 1 ? "" : "s"} missed: ${reason}`,
      isPartial: true as const,
    }));
    const lengths = `counters cover ${(spanMs / 1000).toFixed(2)} s, and the window lasted ${(windowMs / 1000).toFixed(2)} s`;
    const span: SkippedSource = {
      source: "window",
      reason: isFarOff ? `${lengths}, so no cost per event is stated` : lengths,
      isPartial: true,
    };
    const { restarted } = this.sums;
    const restartedCounters: SkippedSource = {
      source: "counters",
      reason: `${COUNTER_RESTART_REASON}, so these have no total: ${restarted.join(", ")}`,
      isPartial: true,
    };
    return [
      ...this.options.sources.flatMap(({ skipped }) => skipped),
      ...this.hookFailures,
      ...missed,
      ...(isSlack ? [span] : []),
      ...(restarted.length > 0 ? [restartedCounters] : []),
    ];
  }
}
