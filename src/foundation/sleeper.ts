// Sleeping that can be cut short for everyone at once: the clients of a worker thread think, delay and back off
// in it, and a phase change or a stop wakes them all. It exists because hundreds of clients hanging listeners on
// one AbortSignal cost more than the sleeps themselves.

export class Sleeper {
  private readonly sleeping = new Set<{ timer: NodeJS.Timeout; wake: () => void }>();

  /**
   * Resolves after `ms` milliseconds, or sooner when `wakeAll` is called or `signal` aborts. Zero or less does not
   * wait. Leave `signal` out where many sleep.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(entry.timer);
        this.sleeping.delete(entry);
        resolve();
      };
      const entry = { timer: setTimeout(end, ms), wake: resolve };
      this.sleeping.add(entry);
      signal?.addEventListener("abort", end, { once: true });
    });
  }

  /** Ends every sleep under way; later ones are not affected. */
  wakeAll(): void {
    for (const entry of this.sleeping) {
      clearTimeout(entry.timer);
      entry.wake();
    }
    this.sleeping.clear();
  }
}
