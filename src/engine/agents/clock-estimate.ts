// The offset of an agent's monotonic clock to the coordinator's, with a bound of its error: the true offset lies within half of
// an exchange's round trip, so the shortest exchange says most, and two of them some time apart bound the drift.

/**
 * Four moments of one exchange, in milliseconds: question sent and answer received by the coordinator's clock, question
 * received and answer sent by the agent's clock.
 */
export interface ClockExchange {
  readonly askedMs: number;
  readonly heardMs: number;
  readonly repliedMs: number;
  readonly answeredMs: number;
}

/**
 * One measured offset: `offsetMs` added to the agent's clock at `atMs` (agent time) gives the coordinator's, within
 * `errorMs`.
 */
interface Reading {
  readonly atMs: number;
  readonly offsetMs: number;
  readonly errorMs: number;
}

/** Length of the stretches of time of which only the exchange with the shortest round trip is kept. */
const READING_INTERVAL_MS = 1_000;
/** Number of stretches that the estimate uses: over longer times temperature changes the drift. */
const READINGS_MAX = 120;
/** Number of latest readings that may be the later end of the interval over which drift is measured. */
const LATEST_READING_COUNT = 10;
/** Drift assumed for a clock that was not measured: crystals are within 100 ppm, and a kernel slews by up to 500 ppm. */
const UNMEASURED_DRIFT_MAX = 600e-6;
/** Change of drift that is allowed for after it was measured (5 ppm), added to its error. */
const DRIFT_CHANGE_ALLOWANCE = 5e-6;

export class ClockEstimate {
  private readonly readings: Reading[] = [];
  private lastRoundTripMs = 0;

  /**
   * Takes an exchange. Returns the milliseconds by which the clock must have stepped since the previous exchange; 0 if the
   * errors explain the difference.
   */
  add({ askedMs, heardMs, repliedMs, answeredMs }: ClockExchange): number {
    const roundTripMs = answeredMs - askedMs - (repliedMs - heardMs);
    const reading: Reading = {
      atMs: (heardMs + repliedMs) / 2,
      offsetMs: (askedMs - heardMs + (answeredMs - repliedMs)) / 2,
      errorMs: Math.max(0, roundTripMs / 2),
    };
    this.lastRoundTripMs = roundTripMs;
    const priorEstimate = this.readings.length > 0 ? this.at(reading.atMs) : undefined;
    const clockStepMs = priorEstimate
      ? Math.abs(reading.offsetMs - priorEstimate.offsetMs) - reading.errorMs - priorEstimate.errorMs
      : 0;
    this.addReading(reading);
    return Math.max(0, clockStepMs);
  }

  /** Round trip of the last exchange, in milliseconds, without the agent's time to answer. */
  get roundTripMs(): number {
    return this.lastRoundTripMs;
  }

  /** Relative rate by which the agent's clock must be sped up, as a share of 1. */
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
    if (last === undefined || readingIntervalOf(last) !== readingIntervalOf(reading))
      this.readings.push(reading);
    else if (reading.errorMs <= last.errorMs) this.readings[this.readings.length - 1] = reading;
    if (this.readings.length > READINGS_MAX) this.readings.shift();
  }

  /** Drift and its error, from the pair of readings that bounds the drift most tightly. */
  private get driftWithin(): { readonly drift: number; readonly error: number } {
    let best = { drift: 0, error: UNMEASURED_DRIFT_MAX };
    for (const last of this.readings.slice(-LATEST_READING_COUNT)) {
      for (const first of this.readings) {
        const elapsedMs = last.atMs - first.atMs;
        if (elapsedMs <= 0) continue;
        const error = (first.errorMs + last.errorMs) / elapsedMs + DRIFT_CHANGE_ALLOWANCE;
        if (error < best.error) best = { drift: (last.offsetMs - first.offsetMs) / elapsedMs, error };
      }
    }
    return best;
  }
}

function readingIntervalOf({ atMs }: Reading): number {
  return Math.floor(atMs / READING_INTERVAL_MS);
}
