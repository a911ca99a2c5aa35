// The same in every thread. Counts are by the largest remainder; neighbours go to different endpoints.

/**
 * Shares of `total` in proportion to the weights, as whole numbers: rounded down, and one more for the largest remainders.
 */
export function countsByWeight(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const exact = weights.map((weight) => (total * weight) / sum);
  const counts = exact.map(Math.floor);
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: share - Math.floor(share) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const left = total - counts.reduce((all, count) => all + count, 0);
  for (const { index } of byRemainder.slice(0, left)) counts[index] = (counts[index] ?? 0) + 1;
  return counts;
}

/** Number of the endpoint of each of `total` clients, in order; endpoints of equal weight take turns. */
export function homesByWeight(weights: readonly number[], total: number): number[] {
  const counts = countsByWeight(weights, total);
  const given = counts.map(() => 0);
  return Array.from({ length: total }, (_, number) => {
    // The endpoint that is furthest behind its share gets the next client; an endpoint with its full share never does.
    const behind = counts.map((count, index) => (count * (number + 1)) / total - (given[index] ?? 0));
    const next = behind.indexOf(Math.max(...behind));
    given[next] = (given[next] ?? 0) + 1;
    return next;
  });
}

/** Weights of the endpoints; an endpoint without a weight has 1. */
export function weightsOf(endpoints: readonly { readonly weight?: number }[]): number[] {
  return endpoints.map(({ weight }) => weight ?? 1);
}
