// Samples as Prometheus gauges. A metric that the last sample did not have is not shown at all: neither 0 nor an earlier
// value.
import { Gauge, type Registry } from "prom-client";
import type { EvidenceValues } from "../metrics/evidence-metric.js";
import { evidenceMetricOf } from "../workloads/evidence.js";

interface GaugeName {
  readonly name: string;
  /** Label that distinguishes the members of a family. */
  readonly familyMember: string | undefined;
  /** Factor from the sample's unit to the unit in the name. */
  readonly scale: number;
}

/**
 * The Prometheus name of a metric: `queue.oldestPendingMs` -> `train_sim_queue_oldest_pending_seconds`; `wait.Lock:tuple`
 * -> `train_sim_wait` with a label.
 */
export function gaugeName(metric: string): GaugeName {
  const [family = "", ...rest] = metric.split(".");
  const own = rest.join(".");
  const kind = evidenceMetricOf(metric)?.kind;
  const isFamilyMember =
    evidenceMetricOf(metric) !== undefined && evidenceMetricOf(`${family}.*`) !== undefined;
  const isTimeMetric = !isFamilyMember && own.endsWith("Ms");
  const words = [
    "train_sim",
    family,
    ...(isFamilyMember || own === "" ? [] : [isTimeMetric ? `${own.slice(0, -2)}Seconds` : own]),
    ...(kind === "counter" ? ["per_second"] : []),
  ];
  const name = words
    .join("_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/[^A-Za-z0-9_]/g, "_")
    .toLowerCase();
  return { name, familyMember: isFamilyMember ? own : undefined, scale: isTimeMetric ? 0.001 : 1 };
}

export class EvidenceGauges {
  private readonly gauges = new Map<string, Gauge>();

  constructor(private readonly registry: Registry) {}

  show(values: EvidenceValues, treatment: string): void {
    this.forget();
    for (const [metric, value] of Object.entries(values)) {
      const { name, familyMember, scale } = gaugeName(metric);
      const labels = familyMember === undefined ? { treatment } : { treatment, event: familyMember };
      this.gauge(name, metric, Object.keys(labels)).set(labels, value * scale);
    }
  }

  forget(): void {
    for (const gauge of this.gauges.values()) gauge.reset();
  }

  private gauge(name: string, metric: string, labelNames: string[]): Gauge {
    const existingGauge = this.gauges.get(name);
    if (existingGauge) return existingGauge;
    const help = evidenceMetricOf(metric)?.meaning ?? metric;
    const gauge = new Gauge({ name, help, labelNames, registers: [this.registry] });
    this.gauges.set(name, gauge);
    return gauge;
  }
}
