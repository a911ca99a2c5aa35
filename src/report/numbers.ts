// Numbers as people read them in tables: about three significant digits, at most five characters, never an exponent
// where a reader would have to think. Exact values are in the result document.

/** `0.012`, `1.23`, `12.3`, `123`, `1234`, `12.3k`, `1.23M`. */
export function shortNumber(value: number): string {
  if (value >= 999_950) return `${(value / 1e6).toPrecision(3)}M`;
  if (value >= 9999.5) return `${Number((value / 1000).toPrecision(3))}k`;
  if (value >= 99.95) return value.toFixed(0);
  if (value >= 0.9995) return Number(value.toPrecision(3)).toString();
  return value > 0 && value < 0.0005 ? "<.001" : Number(value.toFixed(3)).toString();
}

/** `0.04`, `1.31`, `12.3`, `123`: two decimals where ratios matter most. */
export function ratioNumber(ratio: number): string {
  if (ratio >= 9.995) return shortNumber(ratio);
  return ratio >= 0.0995 || ratio === 0 ? ratio.toFixed(2) : shortNumber(ratio);
}

export function ratioText(ratio: number): string {
  return `${ratioNumber(ratio)}x`;
}

/** `1.22-1.40`, `<.001` where both ends are below that; empty where there is no interval. */
export function intervalText(low: number | null, high: number | null): string {
  if (low === null || high === null) return "";
  const [from, to] = [ratioNumber(low), ratioNumber(high)];
  return from === to && from.startsWith("<") ? from : `${from}-${to}`;
}

/** What a ratio to or of 0 events/s is worth; `series.ts` makes it so. */
export const NONE_IN_RATIOS =
  "Half an event in the window stands in for none: a ratio of events/s to or of 0 tells that they differ, not by how much.";

export function counted(n: number, singular: string, plural = `${singular}s`): string {
  return `${n} ${n === 1 ? singular : plural}`;
}
