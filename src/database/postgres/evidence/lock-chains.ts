// The longest chain of sessions that wait for each other. Each session of a circle (a deadlock not yet found) counts once.

export interface WaitingSession {
  readonly pid: number;
  readonly blockedBy: readonly number[];
  /** True for a session of the load; chains are followed from such sessions. */
  readonly isLoad: boolean;
}

/**
 * Number of waiting sessions in the longest chain of waits; the session at its end, which waits for none, does not count.
 */
export function longestChain(waiters: readonly WaitingSession[]): number {
  const blockersByPid = new Map(waiters.map(({ pid, blockedBy }) => [pid, blockedBy]));
  const lengthByPid = new Map<number, number>();
  const chainLengthFrom = (pid: number, path: ReadonlySet<number>): number => {
    const blockedBy = blockersByPid.get(pid);
    if (!blockedBy || path.has(pid)) return 0;
    const before = lengthByPid.get(pid);
    if (before !== undefined) return before;
    const pathWithPid = new Set(path).add(pid);
    const length = 1 + Math.max(0, ...blockedBy.map((blocker) => chainLengthFrom(blocker, pathWithPid)));
    lengthByPid.set(pid, length);
    return length;
  };
  return Math.max(
    0,
    ...waiters.filter(({ isLoad }) => isLoad).map(({ pid }) => chainLengthFrom(pid, new Set())),
  );
}
