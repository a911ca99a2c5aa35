// A few numbers for each second of a window: was it steady, and did it stand still?
import { meanMs, type Histogram } from "../../metrics/histograms.js";
import { isCycleOperation, type Operation } from "../../metrics/operations.js";
import type { Totals } from "../../metrics/totals.js";
import { steadyStateOf, type Series } from "../../analysis/steady-state/steady-state.js";
import { stallOf } from "../../analysis/steady-state/stall.js";
import { loadOf } from "../../results/operation-results.js";
import type { Stall, SteadyState } from "../../results/result-schema.js";
import { budgetMs, isOpenLoop } from "../../load/load-settings.js";
import type { TreatmentSettings } from "../../scenario/settings.js";
import { workloadOf } from "../../workloads/registry.js";
import { unitOf } from "../../workloads/vocabulary.js";

/** A running mean to which values can be added. */
class MeanSeries {
  private readonly sums: number[] = [];
  private readonly counts: number[] = [];

  add(second: number, histogram: Histogram | undefined): void {
    if (!histogram) return;
    this.sums[second] = (this.sums[second] ?? 0) + meanMs(histogram) * histogram.totalCount;
    this.counts[second] = (this.counts[second] ?? 0) + histogram.totalCount;
  }

  over(seconds: number): (number | null)[] {
    return Array.from({ length: seconds }, (_, i) => {
      const count = this.counts[i] ?? 0;
      return count > 0 ? (this.sums[i] ?? 0) / count : null;
    });
  }
}

function wholeSeconds(windowSeconds: number): number {
  return Math.floor(windowSeconds + 0.001);
}

function fillMissingSeconds(counts: readonly number[], seconds: number): number[] {
  return Array.from({ length: seconds }, (_, i) => counts[i] ?? 0);
}

const CHANGING_LOAD_EXECUTOR = /^(ramping|daily)-/;

export class SecondSeries {
  private readonly events = new Map<Operation, number[]>();
  private readonly responseTimes = new Map<Operation, MeanSeries>();
  private readonly endedByOperation = new Map<Operation, number[]>();
  private readonly completed = new MeanSeries();

  constructor(operations: readonly Operation[]) {
    for (const operation of operations) {
      if (!isCycleOperation(operation)) {
        this.events.set(operation, []);
        this.endedByOperation.set(operation, []);
      }
      this.responseTimes.set(operation, new MeanSeries());
    }
  }

  add(second: number, totals: Totals): void {
    for (const [operation, counts] of this.events)
      counts[second] = (counts[second] ?? 0) + totals.countsOf(operation).events;
    for (const [operation, counts] of this.endedByOperation) {
      const { transactions, emptyPolls } = totals.countsOf(operation);
      counts[second] = (counts[second] ?? 0) + transactions + emptyPolls;
    }
    for (const [operation, means] of this.responseTimes)
      means.add(second, totals.histograms.get(`${operation}.response`));
    this.completed.add(second, totals.histograms.get("lifecycle.completed"));
  }

  /** Whether the window was steady; an incomplete last second is left out. */
  steadyState(windowSeconds: number, settings: TreatmentSettings): SteadyState {
    const loads = Object.values(settings.actors).map(({ load }) => load.executor);
    if (loads.some((executor) => CHANGING_LOAD_EXECUTOR.test(executor)))
      return { isSteady: null, reason: "the load changes by design" };
    if (settings.faults.length > 0) return { isSteady: null, reason: "faults were injected" };
    const seconds = wholeSeconds(windowSeconds);
    const vocabulary = workloadOf(settings);
    const series: Series[] = [
      ...[...this.events].map(([operation, counts]) => ({
        name: `${operation} ${unitOf(vocabulary, operation)}/s`,
        values: fillMissingSeconds(counts, seconds),
      })),
      ...[...this.responseTimes].map(([operation, means]) => ({
        name: `${operation} mean response ms`,
        values: means.over(seconds),
      })),
      { name: "mean time to completion ms", values: this.completed.over(seconds) },
    ];
    return steadyStateOf(series);
  }

  /**
   * An operation's stall; undefined without one, and if the scenario has faults or a load that changes or ends by design.
   */
  stall(windowSeconds: number, settings: TreatmentSettings): Stall | undefined {
    if (settings.faults.length > 0) return undefined;
    return stallOf(
      [...this.endedByOperation].flatMap(([operation, counts]) => {
        const load = loadOf(operation, settings);
        if (!load || CHANGING_LOAD_EXECUTOR.test(load.executor) || load.rampUpMs > 0) return [];
        const perSecond = fillMissingSeconds(counts, wholeSeconds(windowSeconds));
        if (budgetMs(load) !== undefined)
          perSecond.length = perSecond.findLastIndex((ended) => ended > 0) + 1;
        return [{ operation, perSecond, clients: isOpenLoop(load) ? undefined : load.clients }];
      }),
    );
  }
}
