// Uses 12 bytes a second, because a window may last for days. A stall is a run of whole seconds in which an operation
// finished nothing, not even an empty poll, and would have finished at least five at its usual rate.

const SECONDS_PER_CHUNK = 1024;
const FIELDS_PER_SECOND = 3;
const EXPECTED_COMPLETIONS_MIN = 5;

export interface SecondFacts {
  readonly finished: number;
  readonly failed: number;
  readonly longestMs: number;
}

export interface Stall {
  /** Second of the window, from 0. */
  readonly fromSecond: number;
  readonly seconds: number;
  /** Number of retries and failures during the stall. */
  readonly failedAttempts: number;
  /** Longest response time in ms in the second after the stall, of transactions that had waited. */
  readonly longestAfterMs: number;
}

export class SecondTrack {
  private readonly chunks = new Map<number, Float32Array>();

  /** Adds facts of one second; each worker and each late line adds a part. */
  add(second: number, { finished, failed, longestMs }: SecondFacts): void {
    const number = Math.floor(second / SECONDS_PER_CHUNK);
    let chunk = this.chunks.get(number);
    if (!chunk) this.chunks.set(number, (chunk = new Float32Array(SECONDS_PER_CHUNK * FIELDS_PER_SECOND)));
    const at = (second % SECONDS_PER_CHUNK) * FIELDS_PER_SECOND;
    chunk[at] = (chunk[at] ?? 0) + finished;
    chunk[at + 1] = (chunk[at + 1] ?? 0) + failed;
    chunk[at + 2] = Math.max(chunk[at + 2] ?? 0, longestMs);
  }

  stalls(): Stall[] {
    const found: Stall[] = [];
    let finished = 0;
    let first: number | undefined;
    let last = 0;
    let failedDuringGap = 0;
    for (const [second, facts] of this.seconds()) {
      if (facts.finished === 0) {
        failedDuringGap += facts.failed;
        continue;
      }
      if (first !== undefined && second > last + 1) {
        const gap = { fromSecond: last + 1, seconds: second - last - 1 };
        found.push({ ...gap, failedAttempts: failedDuringGap, longestAfterMs: facts.longestMs });
      }
      first ??= second;
      last = second;
      failedDuringGap = 0;
      finished += facts.finished;
    }
    if (first === undefined) return [];
    // Seconds without completions count, too: seconds with completions alone would overstate the rate of rare completions.
    const perSecond = finished / (last - first + 1);
    return found.filter(({ seconds }) => seconds * perSecond >= EXPECTED_COMPLETIONS_MIN);
  }

  /** Seconds with any event, in order. */
  private *seconds(): Generator<[second: number, facts: SecondFacts]> {
    for (const [number, chunk] of [...this.chunks].sort(([a], [b]) => a - b)) {
      for (let i = 0; i < SECONDS_PER_CHUNK; i++) {
        const [finished = 0, failed = 0, longestMs = 0] = chunk.subarray(
          i * FIELDS_PER_SECOND,
          (i + 1) * FIELDS_PER_SECOND,
        );
        if (finished + failed > 0) yield [number * SECONDS_PER_CHUNK + i, { finished, failed, longestMs }];
      }
    }
  }
}
