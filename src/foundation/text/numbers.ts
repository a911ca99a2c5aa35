// Numbers for tables: about three significant digits, at most five characters. Exact values are in the result document.

const MAGNITUDE_LETTERS = [
  ["T", 1e12],
  ["G", 1e9],
] as const;

function textWithSiPrefix(value: number): string {
  const [letter, size] = MAGNITUDE_LETTERS.find(([, from]) => value >= 0.9995 * from) ?? ["M", 1e6];
  const scaled = value / size;
  return `${scaled >= 999.5 ? Math.round(scaled) : scaled.toPrecision(3)}${letter}`;
}

/** Number in few characters: `0.012`, `1.23`, `12.3`, `123`, `1234`, `12.3k`, `1.23M`, `1.23G`, `1.23T`. */
export function shortNumber(value: number): string {
  if (value >= 999_950) return textWithSiPrefix(value);
  if (value >= 9999.5) return `${Number((value / 1000).toPrecision(3))}k`;
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 0.9995) return Number(value.toPrecision(3)).toString();
  return value > 0 && value < 0.0005 ? "<.001" : Number(value.toFixed(3)).toString();
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Size such as `4.1 kB`, in multiples of 1000 like ticks of charts, so that sentences and charts show the same number. */
export function bytesText(value: number): string {
  const size = Math.abs(value);
  const step = size < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  return `${value < 0 ? "-" : ""}${shortNumber(size / 1000 ** step)} ${BYTE_UNITS[step] ?? "B"}`;
}

/** Ratio such as `1.31`. A ratio close to 1 has up to four decimals: a difference of 0.3 % is not `1.00`. */
function ratioNearOne(ratio: number): string {
  const texts = [2, 3, 4].map((decimals) => ratio.toFixed(decimals));
  return texts.find((text) => Number(text) !== 1) ?? "1.00";
}

/** Ratio such as `0.04`, `1.31`, `12.3` or `123`: two decimals below 10, and more close to 1. */
export function ratioNumber(ratio: number): string {
  if (ratio >= 9.995) return shortNumber(ratio);
  return ratio >= 0.0995 || ratio === 0 ? ratioNearOne(ratio) : shortNumber(ratio);
}

export function ratioText(ratio: number): string {
  return `${ratioNumber(ratio)}x`;
}

/** Confidence interval such as `[1.22, 1.40]`; empty if an end is missing. */
export function intervalText(low: number | null, high: number | null, write = ratioNumber): string {
  return low === null || high === null ? "" : `[${write(low)}, ${write(high)}]`;
}

/** Range of trials or blocks, such as `1.22..1.40`. */
export function rangeText(least: number, most: number, write = ratioNumber): string {
  return `${write(least)}..${write(most)}`;
}

/** The value with that many significant digits, or with more if the rounded value would cross the bound. */
export function textOnSameSide(value: number, bound: number, digits: number): string {
  const texts = Array.from({ length: 12 }, (_, i) => String(Number(value.toPrecision(digits + i))));
  const isOnSameSide = (text: string): boolean =>
    Math.sign(Number(text) - bound) === Math.sign(value - bound);
  return texts.find(isOnSameSide) ?? texts[0] ?? "";
}

/**
 * Measured value of a threshold. Integers are in full, others have four significant digits, or more if the rounded value
 * would cross the bound in `expression`: 499.97 is not `500` next to `p(99)<500`.
 */
export function measuredText(seen: number | null, expression: string): string {
  if (seen === null) return "-";
  if (Number.isInteger(seen)) return String(seen);
  return textOnSameSide(seen, Number(/-?[\d.]+\s*$/.exec(expression)?.[0]), 4);
}

/** P-value such as `0.012`; the least is `<0.001`, never 0. */
export function pValueText(p: number): string {
  return p < 0.0005 ? "<0.001" : p.toFixed(3);
}

/** Numbers of trials as text: `trial 3`, `trials 1, 4`. */
export function trialsText(numbers: readonly number[]): string {
  return `${numbers.length === 1 ? "trial" : "trials"} ${numbers.join(", ")}`;
}

/** The first `max` names as text: `a, b, c and 4 more`. */
export function firstOf(names: readonly string[], max: number): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Note on ratios in which `zeroAs` of `series.ts` replaced a 0. */
export const ZERO_IN_RATIOS_NOTE =
  "Ratios take half of one for 0: they show that two sides differ, not by how much.";
