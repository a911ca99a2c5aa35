// Combinations of several factors for a suite: a set that holds every pair of levels at least once, or, under `npm run
// test:full`, all.
import { isFull } from "./lanes.js";

type Levels = Readonly<Record<string, readonly unknown[]>>;
type Combination<L extends Levels> = { readonly [Factor in keyof L]: L[Factor][number] };

export function combinations<const L extends Levels>(levels: L): Combination<L>[] {
  return isFull ? product(levels) : pairwise(levels);
}

export function product<const L extends Levels>(levels: L): Combination<L>[] {
  const rows = Object.entries(levels).reduce<Record<string, unknown>[]>(
    (rows, [factor, each]) => rows.flatMap((row) => each.map((level) => ({ ...row, [factor]: level }))),
    [{}],
  );
  return rows as Combination<L>[];
}

/** Pairs of levels of two different factors in a row, as text. */
export function pairsOf(row: Readonly<Record<string, unknown>>): string[] {
  const levels = Object.entries(row).map((entry) => JSON.stringify(entry));
  return levels.flatMap((one, i) => levels.slice(i + 1).map((other) => `${one} ${other}`));
}

/**
 * Rows that together contain every pair of levels of two factors. Each row is the one with the most pairs that are still
 * missing.
 */
export function pairwise<const L extends Levels>(levels: L): Combination<L>[] {
  const candidates = product(levels).map((row) => ({ row, pairs: pairsOf(row) }));
  const missing = new Set(candidates.flatMap(({ pairs }) => pairs));
  const isMissing = (pair: string): boolean => missing.has(pair);
  const chosen: Combination<L>[] = [];
  while (missing.size > 0) {
    const gains = candidates.map(({ pairs }) => pairs.filter(isMissing).length);
    const best = candidates[gains.indexOf(Math.max(...gains))];
    if (!best) break;
    for (const pair of best.pairs) missing.delete(pair);
    chosen.push(best.row);
  }
  return chosen;
}
