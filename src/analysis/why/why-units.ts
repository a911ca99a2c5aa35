// Amounts in a sentence: two or three digits that mean something, with their unit. Each is made with the least difference that is worth a
// sentence, in the unit in which it is stored.
import type { EvidenceUnit } from "../../metrics/evidence-metric.js";
import { bytesText, shortNumber, sidedText } from "../../foundation/text/numbers.js";

export interface Unit {
  readonly text: (value: number) => string;
  /** A difference below this is not worth telling, whatever its ratio. */
  readonly floor: number;
  /** Whether "3.10x" says something beside the two values; beside two percentages it confuses. */
  readonly hasRatio: boolean;
}

function signed(value: number): string {
  return value < 0 ? `-${shortNumber(-value)}` : shortNumber(value);
}

/** `4.1 kB`; growth may be negative. */
function bytes(floor: number): Unit {
  return { text: (value) => bytesText(Math.round(value)), floor, hasRatio: true };
}

/** `0.12 ms`; from ten seconds on `12 s`. */
export function milliseconds(floor: number): Unit {
  const text = (value: number): string =>
    value < 10_000 ? `${shortNumber(value)} ms` : `${shortNumber(value / 1000)} s`;
  return { text, floor, hasRatio: true };
}

/** A count, or a mean of counts. */
export function plain(floor: number): Unit {
  return { text: signed, floor, hasRatio: true };
}

/** `27 %` of 0.27; `99.6 %` of 0.996, which is not all. */
export function share(floor: number): Unit {
  return { text: (value) => `${sidedText(value * 100, 100, 2)} %`, floor, hasRatio: false };
}

/** How amounts of a metric in that unit are written. */
export function amounts(unit: EvidenceUnit, floor: number): Unit {
  if (unit === "bytes") return bytes(floor);
  if (unit === "ms") return milliseconds(floor);
  return unit === "%" ? share(floor) : plain(floor);
}
