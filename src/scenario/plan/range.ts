// A range as the levels of a factor, `4..128`: levels double from the low end on; the high end is the last.
/** Matches a range such as `1s..5s`: two numbers with their units. */
export const RANGE = /^(\d+(?:\.\d+)?)([A-Za-z]*)\.\.(\d+(?:\.\d+)?)([A-Za-z]+)?$/;

interface Range {
  readonly low: number;
  readonly high: number;
  readonly lowUnit: string;
  readonly unit: string;
}

function read(level: unknown): Range | undefined {
  const match = typeof level === "string" ? RANGE.exec(level) : null;
  if (!match) return undefined;
  const [, low, lowUnit = "", high, unit = ""] = match;
  return { low: Number(low), high: Number(high), lowUnit, unit };
}

/** The problem of a level that looks like a range; undefined for a valid range and for any other level. */
export function rangeProblem(level: unknown): string | undefined {
  const range = read(level);
  if (!range) return undefined;
  const { low, high, lowUnit, unit } = range;
  if (lowUnit !== "" && lowUnit !== unit) return "a range has one unit at both ends: 64MB..1024MB";
  return low > 0 && low < high ? undefined : "a range begins above 0 and ends at a higher number: 4..128";
}

/** The levels of a factor: the entries of a list, the levels of a range, or the single value. */
export function levelsIn(factorValue: unknown): unknown[] {
  if (Array.isArray(factorValue)) return factorValue as unknown[];
  const range = rangeProblem(factorValue) === undefined ? read(factorValue) : undefined;
  if (!range) return [factorValue];
  const { low, high, unit } = range;
  const levels: number[] = [];
  for (let level = low; level < high; level *= 2) levels.push(level);
  return [...levels, high].map((level) => (unit === "" ? level : `${level}${unit}`));
}
