// What a trial hangs on: its worker threads, its pooler, its server. Whatever the trial waits for, it waits for
// only as long as all of these are there; the first that gives way ends the wait with the reason. A server outlives
// its trials, and so does what waits for its end: `release` lets go of the trial, or each would stay in memory.
import { TargetError } from "../../foundation/errors.js";

export class Lifeline {
  private broken: Promise<never>;
  private cut: (error: unknown) => void = () => undefined;

  constructor() {
    this.broken = new Promise((_, reject) => (this.cut = reject));
    this.broken.catch(() => undefined);
  }

  /** Watches something that rejects when it fails. */
  watch(failure: Promise<never>): void {
    failure.catch((error: unknown) => this.cut(error));
  }

  /** Watches a server: `lost` resolves with its last words when it goes away. */
  watchServer(name: string, lost: Promise<string>): void {
    void lost.then((words) =>
      this.cut(new TargetError(`${name} went away: ${words}`, "Read its log for the cause.")),
    );
  }

  /** The outcome of `work`, or a rejection as soon as something it hangs on gives way. */
  hold<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.broken]);
  }

  /** The trial is over: nothing that gives way from now on matters, and nothing is held for it. */
  release(): void {
    this.cut = () => undefined;
    this.broken = new Promise(() => undefined);
  }
}
