// Runs a task for each number with a bounded number under way: what warming up needs, so that 500 connections are
// not asked for in the same millisecond. It settles only when nothing is under way any more, failed or not.

/** Connections that one worker thread opens at the same time while warming up. */
export const OPEN_AT_ONCE = 16;

/**
 * Runs `task(0) .. task(count - 1)`, at most `limit` at a time. After a failure nothing new begins; once what is
 * under way has settled, rejects with the first failure.
 */
export async function eachBounded(
  count: number,
  limit: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    while (next < count && failures.length === 0) {
      try {
        await task(next++);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, lane));
  if (failures.length > 0) throw failures[0];
}
