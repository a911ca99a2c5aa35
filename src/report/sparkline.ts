// A row of characters for a row of numbers: what happened over time at a glance, eight heights of blocks.
// The lowest height is for zero alone, so that a stall shows.

const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** One character a value, scaled from 0 to the largest. */
export function sparkline(values: readonly number[]): string {
  const largest = Math.max(...values, 0);
  return values
    .map((value) => (value > 0 ? Math.ceil((value / largest) * (BLOCKS.length - 1)) : 0))
    .map((height) => BLOCKS[height] ?? "")
    .join("");
}
