// Sleeps that can all be cut short at once. One AbortSignal listener per client costs more than the sleep itself.

export class Sleeper {
  private readonly sleepingTimers = new Set<{ timer: NodeJS.Timeout; wake: () => void }>();

  /** Resolves after `ms`, or earlier on `wakeAll` or when `signal` aborts; many sleepers should omit `signal`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(entry.timer);
        this.sleepingTimers.delete(entry);
        resolve();
      };
      const entry = { timer: setTimeout(end, ms), wake: resolve };
      this.sleepingTimers.add(entry);
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  wakeAll(): void {
    for (const entry of this.sleepingTimers) {
      clearTimeout(entry.timer);
      entry.wake();
    }
    this.sleepingTimers.clear();
  }
}
