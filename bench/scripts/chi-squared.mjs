// Tests whether two samples of keys have the same distribution: Pearson's chi-squared of two rows of counts.

/** Smallest count of a cell, in both samples together, for which chi-squared is a good approximation. */
const CELL_LEAST = 10;

/** Logarithm of the gamma function of a + 1. `a` is a multiple of a half. */
function logGammaAfter(a) {
  let sum = Number.isInteger(a) ? 0 : Math.log(Math.PI) / 2;
  for (let factor = a; factor > 0; factor--) sum += Math.log(factor);
  return sum;
}

/** Probability that chi-squared with the given degrees of freedom is at least `value`. */
export function probabilityAbove(value, degrees) {
  if (value <= 0) return 1;
  const [a, x] = [degrees / 2, value / 2];
  let term = Math.exp(a * Math.log(x) - x - logGammaAfter(a));
  let below = term;
  for (let n = 1; term > below * 1e-15; n++) {
    term *= x / (a + n);
    below += term;
  }
  return Math.max(0, 1 - below);
}

/** Counts by cell. Neighbouring keys share a cell until it holds enough; a remainder at the end joins the last cell. */
function cellsOf(ours, theirs) {
  const cells = [];
  let open = [0, 0];
  for (const [key, count] of ours.entries()) {
    open = [open[0] + count, open[1] + theirs[key]];
    if (open[0] + open[1] < CELL_LEAST) continue;
    cells.push(open);
    open = [0, 0];
  }
  const last = cells.at(-1);
  if (last) cells[cells.length - 1] = [last[0] + open[0], last[1] + open[1]];
  return cells;
}

/** Compares the counts by key of two samples. */
export function compareCounts(ours, theirs) {
  const cells = cellsOf(ours, theirs);
  const totals = [0, 1].map((side) => cells.reduce((sum, cell) => sum + cell[side], 0));
  const all = totals[0] + totals[1];
  const value = cells.reduce(
    (sum, cell) =>
      sum +
      cell.reduce((both, count, side) => {
        const expected = ((cell[0] + cell[1]) * totals[side]) / all;
        return both + (count - expected) ** 2 / expected;
      }, 0),
    0,
  );
  const degrees = cells.length - 1;
  return { value, degrees, probability: probabilityAbove(value, degrees) };
}
