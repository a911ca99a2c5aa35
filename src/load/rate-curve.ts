// A level that changes in straight lines: arrivals per second or active clients. Pure; times are milliseconds since its start.

export interface Stage {
  readonly target: number;
  readonly durationMs: number;
}

interface Segment {
  readonly startMs: number;
  readonly durationMs: number;
  readonly from: number;
  readonly to: number;
  /** Arrivals due before the segment, if the level is arrivals per second. */
  readonly countBefore: number;
  readonly countAfter: number;
}

export class RateCurve {
  private readonly segments: Segment[] = [];
  private readonly last: Segment;

  /** The curve starts at `start` and follows the stages; then it stays at the last target, or begins again if `repeats`. */
  constructor(
    start: number,
    stages: readonly Stage[],
    private readonly repeats = false,
  ) {
    let from = start;
    let startMs = 0;
    let countBefore = 0;
    for (const { target, durationMs } of stages) {
      const countAfter = countBefore + ((from + target) / 2) * (durationMs / 1000);
      if (durationMs > 0)
        this.segments.push({ startMs, durationMs, from, to: target, countBefore, countAfter });
      startMs += durationMs;
      countBefore = countAfter;
      from = target;
    }
    const endless = from > 0 ? Number.POSITIVE_INFINITY : countBefore;
    this.last = {
      startMs,
      durationMs: Number.POSITIVE_INFINITY,
      from,
      to: from,
      countBefore,
      countAfter: endless,
    };
  }

  levelAt(ms: number): number {
    const within = this.repeats && this.last.startMs > 0 ? ms % this.last.startMs : ms;
    for (const segment of this.segments) {
      if (within >= segment.startMs + segment.durationMs) continue;
      const share = Math.max(0, within - segment.startMs) / segment.durationMs;
      return segment.from + (segment.to - segment.from) * share;
    }
    return this.last.from;
  }

  /**
   * First moment from `fromMs` on at which the level is at least `level`; Infinity if there is none. Only for curves that
   * do not repeat.
   */
  timeOfLevel(level: number, fromMs: number): number {
    for (const segment of [...this.segments, this.last]) {
      const endMs = segment.startMs + segment.durationMs;
      if (fromMs >= endMs) continue;
      const beginMs = Math.max(fromMs, segment.startMs);
      if (segment === this.last) return segment.from >= level ? beginMs : Number.POSITIVE_INFINITY;
      if (this.levelAt(beginMs) >= level) return beginMs;
      if (segment.to < level) continue;
      const share = (level - segment.from) / (segment.to - segment.from);
      return Math.max(beginMs, segment.startMs + share * segment.durationMs);
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Moment after which more than `count` arrivals are due, fractions included; Infinity if fewer are ever due. */
  timeOfCount(count: number): number {
    const arrivalsPerRepetition = this.last.countBefore;
    if (this.repeats && count >= arrivalsPerRepetition) {
      if (arrivalsPerRepetition === 0) return Number.POSITIVE_INFINITY;
      const repetitions = Math.floor(count / arrivalsPerRepetition);
      return (
        repetitions * this.last.startMs +
        this.timeOfCount(Math.max(0, count - repetitions * arrivalsPerRepetition))
      );
    }
    const segment = this.segments.find(({ countAfter }) => count < countAfter) ?? this.last;
    if (count >= segment.countAfter) return Number.POSITIVE_INFINITY;
    return segment.startMs + 1000 * secondsUntilCount(count - segment.countBefore, segment);
  }
}

/** Seconds into the segment at which `count` arrivals were due: the root of from x + slope x^2 / 2 = count. */
function secondsUntilCount(count: number, { from, to, durationMs }: Segment): number {
  if (count <= 0) return 0;
  const slope = to === from ? 0 : (to - from) / (durationMs / 1000);
  // This form of the root keeps its precision at a small slope and never divides by zero.
  return (2 * count) / (from + Math.sqrt(Math.max(0, from * from + 2 * slope * count)));
}
