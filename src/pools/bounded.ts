// Limits the number of attempts under way, so that 500 connections are not opened in the same millisecond. Waiting tasks
// begin in order.

/** Maximum number of connections to be kept that one worker thread opens to one endpoint at the same time. */
export const SIMULTANEOUS_CONNECTS_MAX = 16;

export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Runs `task` once an earlier task has settled; returns its outcome. */
  async pass<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}

/** Runs `task(0) .. task(count - 1)`, at most `limit` at a time. Rejects with the first failure once all have settled. */
export async function eachBounded(
  count: number,
  limit: number,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const runNextTasks = async (): Promise<void> => {
    while (next < count && failures.length === 0) {
      try {
        await task(next++);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, runNextTasks));
  if (failures.length > 0) throw failures[0];
}
