// No worker counts as hanging after the coordinator itself was held up.

/** Milliseconds between two `alive` reports of a worker. */
export const ALIVE_REPORT_INTERVAL_MS = 1_000;

export interface HeartbeatOptions {
  readonly nowMs: () => number;
  /** Milliseconds between two calls of `check`. */
  readonly everyMs: number;
  readonly reportTimeoutMs: number;
  /** Called once for each worker that has not reported for `reportTimeoutMs`, with the time since its last report. */
  readonly onMissingReports: (worker: number, sinceReportMs: number) => void;
}

export class Heartbeat {
  private readonly heardMs = new Map<number, number>();
  private lastCheckMs: number;

  constructor(private readonly options: HeartbeatOptions) {
    this.lastCheckMs = options.nowMs();
  }

  /** Expects reports of the worker from now on; the first may be late by `graceMs`. */
  expectReports(worker: number, graceMs = 0): void {
    this.heardMs.set(worker, this.options.nowMs() + graceMs);
  }

  reset(worker: number): void {
    if (this.heardMs.has(worker)) this.heardMs.set(worker, this.options.nowMs());
  }

  /** No longer expects reports of the worker, which has announced its end. */
  forget(worker: number): void {
    this.heardMs.delete(worker);
  }

  /**
   * Looks for workers without reports. To be called every `everyMs`; a much later call shows that the coordinator itself
   * was held up.
   */
  check(): void {
    const { nowMs, everyMs, reportTimeoutMs, onMissingReports } = this.options;
    const atMs = nowMs();
    const wasCheckDelayed = atMs - this.lastCheckMs > 2 * everyMs;
    this.lastCheckMs = atMs;
    for (const [worker, heardMs] of this.heardMs) {
      if (wasCheckDelayed) {
        this.heardMs.set(worker, Math.max(heardMs, atMs));
      } else if (atMs - heardMs > reportTimeoutMs) {
        this.forget(worker);
        onMissingReports(worker, atMs - heardMs);
      }
    }
  }
}
