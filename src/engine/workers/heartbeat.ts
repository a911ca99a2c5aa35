// No thread is accused of silence after the coordinator itself was held up.

/** Milliseconds between two `alive` reports of a worker. */
export const PULSE_MS = 1_000;

export interface HeartbeatOptions {
  readonly nowMs: () => number;
  /** Milliseconds between two calls of `check`. */
  readonly everyMs: number;
  readonly silenceMs: number;
  /** Called once for each worker whose silence exceeds the limit, with the length of the silence. */
  readonly onSilent: (worker: number, silentMs: number) => void;
}

export class Heartbeat {
  private readonly heardMs = new Map<number, number>();
  private lookedMs: number;

  constructor(private readonly options: HeartbeatOptions) {
    this.lookedMs = options.nowMs();
  }

  /** Expects reports of the worker from now on; the first may be late by `graceMs`. */
  expect(worker: number, graceMs = 0): void {
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
   * Looks for silent workers. To be called every `everyMs`; a much later call shows that the coordinator itself was held
   * up.
   */
  check(): void {
    const { nowMs, everyMs, silenceMs, onSilent } = this.options;
    const atMs = nowMs();
    const wasHeldUp = atMs - this.lookedMs > 2 * everyMs;
    this.lookedMs = atMs;
    for (const [worker, heardMs] of this.heardMs) {
      if (wasHeldUp) {
        this.heardMs.set(worker, Math.max(heardMs, atMs));
      } else if (atMs - heardMs > silenceMs) {
        this.forget(worker);
        onSilent(worker, atMs - heardMs);
      }
    }
  }
}
