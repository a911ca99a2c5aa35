// The offset of an agent's monotonic clock to the coordinator's, with a bound of its error: the true offset lies within half of
// an exchange's round trip, so the shortest exchange says most, and two of them some time apart bound the drift.

/** Milliseconds: the outer two by the coordinator's clock, the inner two by the agent's. */
export interface Exchange {
  readonly askedMs: number;
  readonly heardMs: number;
  readonly repliedMs: number;
  readonly answeredMs: number;
}

/** What to add to the agent's clock at `atMs` of it, within `errorMs`. */
interface Reading {
  readonly atMs: number;
  readonly offsetMs: number;
  readonly errorMs: number;
}

/** The exchange with the shortest way is kept of each stretch of this length. */
const STRETCH_MS = 1_000;
/** Stretches that are looked back on: temperature changes the drift over longer times. */
const STRETCHES_MAX = 120;
/** The last ones, of which one ends the time over which the drift is taken. */
const LATEST = 10;
/** The drift of an unknown clock: crystals are within 100 ppm, and a kernel slews by up to 500. */
const DRIFT_UNKNOWN = 600e-6;
/** Added to the error of a measured drift, which may change by that much later: 5 ppm. */
const DRIFT_CHANGE = 5e-6;

export class ClockEstimate {
  private readonly readings: Reading[] = [];
  private lastRoundTripMs = 0;

  /** Milliseconds by which the clock must have stepped since the last exchange; 0 where nothing speaks for that. */
  add({ askedMs, heardMs, repliedMs, answeredMs }: Exchange): number {
    const roundTripMs = answeredMs - askedMs - (repliedMs - heardMs);
    const reading: Reading = {
      atMs: (heardMs + repliedMs) / 2,
      offsetMs: (askedMs - heardMs + (answeredMs - repliedMs)) / 2,
      errorMs: Math.max(0, roundTripMs / 2),
    };
    this.lastRoundTripMs = roundTripMs;
    const expected = this.readings.length > 0 ? this.at(reading.atMs) : undefined;
    const steppedMs = expected
      ? Math.abs(reading.offsetMs - expected.offsetMs) - reading.errorMs - expected.errorMs
      : 0;
    this.addReading(reading);
    return Math.max(0, steppedMs);
  }

  /** Milliseconds that the last exchange was under way, there and back. */
  get roundTripMs(): number {
    return this.lastRoundTripMs;
  }

  /** Parts of one, by which the agent's clock must be sped up. */
  get drift(): number {
    return this.driftWithin.drift;
  }

  at(atMs: number): { readonly offsetMs: number; readonly errorMs: number } {
    const { drift, error } = this.driftWithin;
    const from = this.readings.map(({ atMs: sinceMs, offsetMs, errorMs }) => ({
      offsetMs: offsetMs + drift * (atMs - sinceMs),
      errorMs: errorMs + error * Math.abs(atMs - sinceMs),
    }));
    return from.reduce((best, each) => (each.errorMs < best.errorMs ? each : best), {
      offsetMs: 0,
      errorMs: Number.POSITIVE_INFINITY,
    });
  }

  private addReading(reading: Reading): void {
    const last = this.readings.at(-1);
    if (last === undefined || stretchOf(last) !== stretchOf(reading)) this.readings.push(reading);
    else if (reading.errorMs <= last.errorMs) this.readings[this.readings.length - 1] = reading;
    if (this.readings.length > STRETCHES_MAX) this.readings.shift();
  }

  /** From the two readings that bound it best. */
  private get driftWithin(): { readonly drift: number; readonly error: number } {
    let best = { drift: 0, error: DRIFT_UNKNOWN };
    for (const last of this.readings.slice(-LATEST)) {
      for (const first of this.readings) {
        const apartMs = last.atMs - first.atMs;
        if (apartMs <= 0) continue;
        const error = (first.errorMs + last.errorMs) / apartMs + DRIFT_CHANGE;
        if (error < best.error) best = { drift: (last.offsetMs - first.offsetMs) / apartMs, error };
      }
    }
    return best;
  }
}

function stretchOf({ atMs }: Reading): number {
  return Math.floor(atMs / STRETCH_MS);
}
