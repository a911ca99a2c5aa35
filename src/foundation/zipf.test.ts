// All streams are seeded, so a failure repeats.
import { expect, test } from "vitest";
import { deriveSeed, Prng } from "./prng.js";
import { Zipf } from "./zipf.js";

const DRAWS = 200_000;

interface Group {
  seen: number;
  expected: number;
}

/** Ranks in groups that are expected often enough for a chi-squared test. */
function groupRanks(n: number, s: number): Group[] {
  const zipf = new Zipf(n, s);
  const prng = new Prng(deriveSeed("zipf", n, s * 1000));
  const drawn = new Float64Array(n + 1);
  for (let i = 0; i < DRAWS; i++) {
    const rank = zipf.draw(prng);
    drawn[rank] = (drawn[rank] ?? 0) + 1;
  }
  expect(drawn.reduce((sum, count) => sum + count)).toBe(DRAWS);
  expect(drawn[0]).toBe(0);
  let total = 0;
  for (let k = 1; k <= n; k++) total += k ** -s;
  const groups: Group[] = [];
  let open: Group = { seen: 0, expected: 0 };
  for (let k = 1; k <= n; k++) {
    open.seen += drawn[k] ?? 0;
    open.expected += (DRAWS * k ** -s) / total;
    if (open.expected < DRAWS / 200) continue;
    groups.push(open);
    open = { seen: 0, expected: 0 };
  }
  const last = groups.at(-1);
  if (last) {
    last.seen += open.seen;
    last.expected += open.expected;
  }
  return groups;
}

test.each([
  [50, 0.1],
  [50, 0.5],
  [50, 0.99],
  [50, 1],
  [50, 1.0001],
  [50, 1.5],
  [50, 3],
  [2, 0.99],
  [1_000, 1],
  [100_000, 0.99],
  [100_000, 1.2],
])("ranks over 1..%d with exponent %d have frequencies proportional to k^-s", (n, s) => {
  const groups = groupRanks(n, s);
  const statistic = groups.reduce((sum, { seen, expected }) => sum + (seen - expected) ** 2 / expected, 0);
  const freedom = groups.length - 1;
  // Wilson and Hilferty's 99.9 % point of chi-squared.
  const bound = freedom * (1 - 2 / (9 * freedom) + 3.09 * Math.sqrt(2 / (9 * freedom))) ** 3;
  expect(freedom).toBeGreaterThan(0);
  expect(statistic).toBeLessThan(bound);
});

test("a single rank is drawn always", () => {
  const zipf = new Zipf(1, 0.99);
  const prng = new Prng(1);
  expect(Array.from({ length: 100 }, () => zipf.draw(prng))).toEqual(new Array(100).fill(1));
});

test("ranks stay within bounds for the largest exponents and sets", () => {
  const prng = new Prng(2);
  for (const [n, s] of [
    [1e9, 0.01],
    [1e9, 1],
    [10, 1000],
  ] as const)
    for (let i = 0; i < 1_000; i++) expect(new Zipf(n, s).draw(prng)).toBeLessThanOrEqual(n);
});
