// The same in every thread. Counts are by the largest remainder; neighbours go to different endpoints.

/**
 * Shares of `total` in proportion to the weights, as whole numbers: rounded down, and one more for the largest remainders.
 */
export function countsByWeight(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const exactShares = weights.map((weight) => (total * weight) / sum);
  const counts = exactShares.map(Math.floor);
  const indexesByRemainder = exactShares
    .map((share, index) => ({ index, remainder: share - Math.floor(share) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const unassignedCount = total - counts.reduce((all, count) => all + count, 0);
  for (const { index } of indexesByRemainder.slice(0, unassignedCount))
    counts[index] = (counts[index] ?? 0) + 1;
  return counts;
}

/** Number of the endpoint of each of `total` clients, in order; endpoints of equal weight take turns. */
export function assignEndpointsByWeight(weights: readonly number[], total: number): number[] {
  const counts = countsByWeight(weights, total);
  const assignedCounts = counts.map(() => 0);
  return Array.from({ length: total }, (_, number) => {
    // The endpoint that is furthest behind its share gets the next client; an endpoint with its full share never does.
    const shortfalls = counts.map(
      (count, index) => (count * (number + 1)) / total - (assignedCounts[index] ?? 0),
    );
    const next = shortfalls.indexOf(Math.max(...shortfalls));
    assignedCounts[next] = (assignedCounts[next] ?? 0) + 1;
    return next;
  });
}

/** Weights of the endpoints; an endpoint without a weight has 1. */
export function weightsOf(endpoints: readonly { readonly weight?: number }[]): number[] {
  return endpoints.map(({ weight }) => weight ?? 1);
}
