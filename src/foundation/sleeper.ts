// Sleeping that can be cut short for everyone at once: the clients of a worker thread think, delay and back off
// in it, and a phase change or a stop wakes them all. It exists because hundreds of clients hanging listeners on
// one AbortSignal cost more than the sleeps themselves.

export class Sleeper {
  private readonly sleeping = new Set<{ timer: NodeJS.Timeout; wake: () => void }>();

  /** Resolves after `ms` milliseconds, or sooner when `wakeAll` is called. Zero or less does not wait. */
  sleep(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const entry = {
        timer: setTimeout(() => {
          this.sleeping.delete(entry);
          resolve();
        }, ms),
        wake: resolve,
      };
      this.sleeping.add(entry);
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
