// Divides a number of things over several places.

/** Part of `total` for worker `index` of `workers`: even parts, with the remainder to the first workers. */
export function shareOf(total: number, workers: number, index: number): number {
  return Math.floor(total / workers) + (index < total % workers ? 1 : 0);
}
