// A window of days takes no more memory than one of seconds. A counter that restarted has no total.
import { STATISTICS_BEGAN, type EvidenceReading } from "../../database/evidence.js";
import type { EvidenceValues } from "../../metrics/evidence-metric.js";
import { evidenceMetricOf } from "../../workloads/evidence.js";
import {
  POOLER_SESSION_KEY,
  SERVER_PID_KEY,
  type MeanAndMax,
  type WindowEvidence,
} from "./evidence-source.js";

interface Gauge {
  sum: number;
  count: number;
  max: number;
}

interface Counter {
  last: number;
  lastReadAtMs: number;
  wasReset: boolean;
}

/** A counter that falls below this share of its last value was reset; a smaller fall is rounding of sums. */
const RESET_BELOW_RATIO = 0.999;
/** A counter with `mayFall` was reset if it falls below this share of its last value. */
const RESET_BELOW_RATIO_IF_MAY_FALL = 0.5;

function isCounterReset(name: string, { last }: Counter, value: number): boolean {
  return value < last * (evidenceMetricOf(name)?.mayFall ? RESET_BELOW_RATIO_IF_MAY_FALL : RESET_BELOW_RATIO);
}

/** Keys of values that identify when counters began, and are no metrics. */
const RESTART_MARKS: ReadonlySet<string> = new Set([STATISTICS_BEGAN, SERVER_PID_KEY, POOLER_SESSION_KEY]);

const isCounterMetric = (name: string): boolean => evidenceMetricOf(name)?.kind === "counter";

export class WindowSums implements WindowEvidence {
  private readonly gauges = new Map<string, Gauge>();
  private readonly counters = new Map<string, Counter>();
  private openingReading: EvidenceReading = {};
  private closingReading: EvidenceReading = {};
  private count = 0;

  get samples(): number {
    return this.count;
  }

  /** Adds the reading at the start, the reference of counters and sizes. It is no sample. */
  open(reading: EvidenceReading, atMs: number): void {
    this.openingReading = reading;
    this.ratesOf(reading, atMs);
  }

  /** Adds a sample of the window; returns its gauges, and rates per second since the reading before. */
  sample(reading: EvidenceReading, atMs: number): EvidenceValues {
    this.count++;
    const gauges = Object.entries(reading).filter(
      ([name]) => !isCounterMetric(name) && !RESTART_MARKS.has(name),
    );
    for (const [name, value] of gauges) {
      const gauge = this.gauges.get(name);
      if (!gauge) {
        this.gauges.set(name, { sum: value, count: 1, max: value });
        continue;
      }
      gauge.sum += value;
      gauge.count++;
      gauge.max = Math.max(gauge.max, value);
    }
    return { ...Object.fromEntries(gauges), ...this.ratesOf(reading, atMs) };
  }

  close(reading: EvidenceReading): void {
    this.closingReading = reading;
    const isRestarted = this.counterRestartCheck();
    for (const [name, counter] of this.counters) {
      const value = reading[name];
      if (value === undefined) continue;
      if (isCounterReset(name, counter, value) || isRestarted(name)) counter.wasReset = true;
    }
  }

  get restarted(): string[] {
    return [...this.counters].filter(([, { wasReset }]) => wasReset).map(([name]) => name);
  }

  gauge(name: string): MeanAndMax | undefined {
    const gauge = this.gauges.get(name);
    return gauge && { mean: gauge.sum / gauge.count, max: gauge.max };
  }

  sampleCount(name: string): number {
    return this.gauges.get(name)?.count ?? 0;
  }

  family(prefix: string): ReadonlyMap<string, number> {
    const familyGauges = [...this.gauges].filter(([name]) => name.startsWith(prefix));
    return new Map(familyGauges.map(([name, { sum }]) => [name.slice(prefix.length), sum]));
  }

  total(name: string): number | undefined {
    const [first, last] = [this.openingReading[name], this.closingReading[name]];
    if (first === undefined || last === undefined) return undefined;
    if (this.counters.get(name)?.wasReset) return undefined;
    return Math.max(0, last - first);
  }

  first(name: string): number | undefined {
    return this.openingReading[name];
  }

  last(name: string): number | undefined {
    return this.closingReading[name];
  }

  /**
   * Decides whether the server restarted a counter. Compares both ends, since a restarted counter may exceed its earlier
   * value.
   */
  private counterRestartCheck(): (name: string) => boolean {
    const isMarkChanged = (mark: string): boolean => {
      const [first, last] = [this.openingReading[mark], this.closingReading[mark]];
      return first !== undefined && last !== undefined && first !== last;
    };
    const [areStatisticsRestarted, isServerRestarted] = [
      isMarkChanged(STATISTICS_BEGAN),
      isMarkChanged(SERVER_PID_KEY),
    ];
    const isPoolerRestarted = isMarkChanged(POOLER_SESSION_KEY);
    return (name) =>
      (areStatisticsRestarted && evidenceMetricOf(name)?.source === undefined) ||
      (isServerRestarted && name.startsWith("host.server")) ||
      (isPoolerRestarted && name.startsWith("pooler."));
  }

  private ratesOf(reading: EvidenceReading, atMs: number): Record<string, number> {
    const rates: Record<string, number> = {};
    for (const [name, value] of Object.entries(reading)) {
      if (!isCounterMetric(name)) continue;
      const counter = this.counters.get(name);
      if (!counter) {
        this.counters.set(name, { last: value, lastReadAtMs: atMs, wasReset: false });
        continue;
      }
      if (isCounterReset(name, counter, value)) counter.wasReset = true;
      if (value >= counter.last && atMs > counter.lastReadAtMs)
        rates[name] = ((value - counter.last) / (atMs - counter.lastReadAtMs)) * 1000;
      counter.last = value;
      counter.lastReadAtMs = atMs;
    }
    return rates;
  }
}
