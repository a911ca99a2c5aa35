// No thread is accused of silence after the coordinator itself was held up.

/** Between two `alive` reports of a worker. */
export const PULSE_MS = 1_000;

export interface HeartbeatOptions {
  readonly nowMs: () => number;
  /** Between two calls of `look`. */
  readonly everyMs: number;
  readonly silenceMs: number;
  /** Called once for each worker that was silent for longer, with how long. */
  readonly onSilent: (worker: number, silentMs: number) => void;
}

export class Heartbeat {
  private readonly heardMs = new Map<number, number>();
  private lookedMs: number;

  constructor(private readonly options: HeartbeatOptions) {
    this.lookedMs = options.nowMs();
  }

  /** From now on, and once `graceMs` are over, that worker is to be heard of. */
  expect(worker: number, graceMs = 0): void {
    this.heardMs.set(worker, this.options.nowMs() + graceMs);
  }

  reset(worker: number): void {
    if (this.heardMs.has(worker)) this.heardMs.set(worker, this.options.nowMs());
  }

  /** The worker has said that it ends. */
  forget(worker: number): void {
    this.heardMs.delete(worker);
  }

  /** To be called every `everyMs`; a call that comes much later shows that the coordinator was held up. */
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
