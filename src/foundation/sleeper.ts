// Sleeps that can all be cut short at once. One AbortSignal listener per client costs more than the sleep itself.

export class Sleeper {
  private readonly sleepingTimers = new Set<{ timer: NodeJS.Timeout; wake: () => void }>();

  /** Resolves after `ms`, or earlier on `wakeAll` or when `signal` aborts; many sleepers should omit `signal`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(sleepingTimer.timer);
        this.sleepingTimers.delete(sleepingTimer);
        resolve();
      };
      const sleepingTimer = { timer: setTimeout(end, ms), wake: resolve };
      this.sleepingTimers.add(sleepingTimer);
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  wakeAll(): void {
    for (const sleepingTimer of this.sleepingTimers) {
      clearTimeout(sleepingTimer.timer);
      sleepingTimer.wake();
    }
    this.sleepingTimers.clear();
  }
}
