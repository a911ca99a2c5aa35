// Steps of a server's clock: each reading bounds its offset to this process's monotonic clock by the time that the answer took.

/** Milliseconds per millisecond by which clocks may drift apart without a step. */
const DRIFT = 0.001;

export class ServerClock {
  private low = Number.NEGATIVE_INFINITY;
  private high = Number.POSITIVE_INFINITY;
  private lastMs = 0;
  /** The largest step so far, in milliseconds, at least; 0 if there was none. */
  stepMs = 0;

  /** `serverMs` is the server's time in its answer to a question that was asked and answered at these monotonic times. */
  read(serverMs: number, askedMs: number, answeredMs: number): void {
    const slack = Math.max(0, answeredMs - this.lastMs) * DRIFT;
    const [low, high] = [serverMs - answeredMs, serverMs - askedMs];
    const [least, most] = [this.low - slack, this.high + slack];
    const stepMs = Math.max(low - most, least - high);
    const isStep = stepMs > 0;
    if (isStep) this.stepMs = Math.max(this.stepMs, stepMs);
    this.low = isStep ? low : Math.max(low, least);
    this.high = isStep ? high : Math.min(high, most);
    this.lastMs = answeredMs;
  }
}
