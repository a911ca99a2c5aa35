// Amounts in a sentence. Each unit has the least difference that deserves a sentence, in the unit of the stored value.
import type { EvidenceUnit } from "../../metrics/evidence-metric.js";
import { bytesText, shortNumber, textOnSameSide } from "../../foundation/text/numbers.js";

export interface Unit {
  readonly text: (value: number) => string;
  /** Smallest difference that gets a sentence; a large ratio does not lower it. */
  readonly floor: number;
  /** True if a ratio such as "3.10x" is stated next to the two values; next to two percentages it would confuse. */
  readonly hasRatio: boolean;
}

function signedText(value: number): string {
  return value < 0 ? `-${shortNumber(-value)}` : shortNumber(value);
}

/** Amount such as `4.1 kB`; growth may be negative. */
function bytesUnit(floor: number): Unit {
  return { text: (value) => bytesText(Math.round(value)), floor, hasRatio: true };
}

/** Amount such as `0.12 ms`; from ten seconds on `12 s`. */
export function millisecondsUnit(floor: number): Unit {
  const text = (value: number): string =>
    value < 10_000 ? `${shortNumber(value)} ms` : `${shortNumber(value / 1000)} s`;
  return { text, floor, hasRatio: true };
}

export function plainUnit(floor: number): Unit {
  return { text: signedText, floor, hasRatio: true };
}

/** Percentage such as `27 %` for 0.27; 0.996 gives `99.6 %`, because it is not rounded up to all. */
export function shareUnit(floor: number): Unit {
  return { text: (value) => `${textOnSameSide(value * 100, 100, 2)} %`, floor, hasRatio: false };
}

/** Formatter of amounts in that unit; `floor` is the smallest difference that gets a sentence. */
export function amountUnit(unit: EvidenceUnit, floor: number): Unit {
  if (unit === "bytes") return bytesUnit(floor);
  if (unit === "ms") return millisecondsUnit(floor);
  return unit === "%" ? shareUnit(floor) : plainUnit(floor);
}
