// A row of characters for a row of numbers: eight blocks in Unicode, five marks in ASCII. Zero alone has the lowest height.

const UNICODE_BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const ASCII_BLOCKS = ["_", ".", "-", "=", "#"] as const;

/**
 * Line of `width` characters that shows values scaled from 0 to the largest, the newest on the right; blank for missing
 * values.
 */
export function sparkline(values: readonly number[], width: number, isUnicode: boolean): string {
  const heights: readonly string[] = isUnicode ? UNICODE_BLOCKS : ASCII_BLOCKS;
  const latestValues = values.slice(Math.max(0, values.length - width));
  const largest = Math.max(...latestValues, 0);
  const marks = latestValues.map((value) => {
    const height = largest > 0 && value > 0 ? Math.ceil((value / largest) * (heights.length - 1)) : 0;
    return heights[height] ?? "";
  });
  return marks.join("").padStart(width);
}

/** Bar of `width` characters that shows `part` as a share of `whole`. */
export function bar(part: number, whole: number, width: number, isUnicode: boolean): string {
  const full = whole > 0 ? Math.round(Math.min(1, Math.max(0, part / whole)) * width) : 0;
  const [filled, empty] = isUnicode ? ["█", "░"] : ["#", "."];
  return filled.repeat(full) + empty.repeat(width - full);
}
