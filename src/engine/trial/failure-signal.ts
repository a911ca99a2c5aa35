// A server outlives its trials: without `release` its waiting promise would keep each of them in memory.
import { TargetError } from "../../foundation/errors.js";

export class FailureSignal {
  private broken: Promise<never>;
  private cut: (error: unknown) => void = () => undefined;

  constructor() {
    this.broken = new Promise((_, reject) => (this.cut = reject));
    this.broken.catch(() => undefined);
  }

  watch(failure: Promise<never>): void {
    failure.catch((error: unknown) => this.cut(error));
  }

  /** Watches a server: the trial fails when `lost` resolves with the server's last words. */
  watchServer(name: string, lost: Promise<string>): void {
    void lost.then((words) =>
      this.cut(new TargetError(`${name} went away: ${words}`, "Read its log for the cause.")),
    );
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.broken]);
  }

  /** Ignores later failures, because the trial is over, and lets nothing keep it in memory. */
  release(): void {
    this.cut = () => undefined;
    this.broken = new Promise(() => undefined);
  }
}
