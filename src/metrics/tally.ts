// The coordinator's side of measuring. Seconds are handed on and not kept, so memory stays flat however long the window is.
// A late sample counts in the total, and its second is handed on again.
import type { Operation } from "./operations.js";
import type { RecorderDelta, SecondDelta } from "./recorder-delta.js";
import { Totals, type WindowSummary } from "./totals.js";

/**
 * Receives each second of the window in order, summed over all workers, also seconds without events; a second again if a
 * part came late. `totals` is reused: it is valid during the call only.
 */
export type SecondSink = (second: number, totals: Totals) => void;

export class Tally {
  private readonly total: Totals;
  private readonly pending = new Map<number, Totals>();
  private readonly spareTotals: Totals[] = [];
  private readonly closedBefore = new Map<number, number>();
  private readonly warmUpTotals = new Totals();
  /** The worker whose warm-up seconds stand for the warm-up of all workers. */
  private warmUpWorker: number | undefined;
  private nextSecond = 0;

  /** A second is complete when `workers` have closed it. `onRehearsal` receives the warm-up seconds of one worker. */
  constructor(
    private readonly operations: readonly Operation[],
    private readonly workers: number,
    private readonly onSecond: SecondSink = () => undefined,
    private readonly onWarmUp: (totals: Totals) => void = () => undefined,
  ) {
    this.total = new Totals(operations);
  }

  /** Adds a delta; `worker` is any number that identifies the worker. Rethrows errors of `onSecond`. */
  add(worker: number, delta: RecorderDelta): void {
    if (delta.isWarmUp) {
      this.addWarmUp(worker, delta.seconds);
      return;
    }
    for (const part of delta.seconds) this.pendingTotals(part.second).addSecond(part);
    this.total.clampedSamples += delta.clampedSamples;
    this.total.addUnderWay(delta);
    this.close(worker, delta.closedBefore);
  }

  /** From now on, completes seconds without waiting for that worker. */
  forget(worker: number): void {
    this.close(worker, Number.POSITIVE_INFINITY);
  }

  /** Totals of the complete seconds. The object changes when more seconds complete. */
  get running(): Totals {
    return this.total;
  }

  /** Completes every second of a window of `windowSeconds`, whether or not every worker shipped it. */
  finish(windowSeconds: number): Totals {
    this.complete(Number.POSITIVE_INFINITY);
    while (this.nextSecond < Math.ceil(windowSeconds)) this.emitSecond(this.nextSecond);
    return this.total;
  }

  summary(windowSeconds: number): WindowSummary {
    return this.finish(windowSeconds).summary(windowSeconds);
  }

  /** Processes warm-up seconds like seconds of the window, so that the code is compiled; their sums are not used. */
  private addWarmUp(worker: number, seconds: readonly SecondDelta[]): void {
    const totals = this.spareTotals.pop() ?? new Totals(this.operations);
    for (const part of seconds) totals.addSecond(part);
    this.warmUpTotals.add(totals);
    if (worker === (this.warmUpWorker ??= worker)) this.onWarmUp(totals);
    totals.reset();
    this.spareTotals.push(totals);
  }

  private close(worker: number, before: number): void {
    this.closedBefore.set(worker, Math.max(this.closedBefore.get(worker) ?? 0, before));
    if (this.closedBefore.size === this.workers) this.complete(Math.min(...this.closedBefore.values()));
  }

  private pendingTotals(second: number): Totals {
    let totals = this.pending.get(second);
    if (!totals) {
      totals = this.spareTotals.pop() ?? new Totals(this.operations);
      this.pending.set(second, totals);
    }
    return totals;
  }

  private complete(before: number): void {
    const pendingSeconds = [...this.pending.keys()].filter((second) => second < before).sort((a, b) => a - b);
    for (const second of pendingSeconds) {
      while (this.nextSecond < second) this.emitSecond(this.nextSecond);
      this.emitSecond(second);
    }
    while (this.nextSecond < before && before !== Number.POSITIVE_INFINITY) this.emitSecond(this.nextSecond);
  }

  private emitSecond(second: number): void {
    const totals = this.pendingTotals(second);
    this.pending.delete(second);
    this.nextSecond = Math.max(this.nextSecond, second + 1);
    this.total.add(totals);
    try {
      this.onSecond(second, totals);
    } finally {
      totals.reset();
      this.spareTotals.push(totals);
    }
  }
}
