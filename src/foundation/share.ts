// Divides a number of things over several places.

/** Clients of a group in worker `index` of `workers`: evenly, the remainder to the first ones. */
export function shareOf(total: number, workers: number, index: number): number {
  return Math.floor(total / workers) + (index < total % workers ? 1 : 0);
}
