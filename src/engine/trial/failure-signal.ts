// A server outlives its trials: without `release` its waiting promise would keep each of them in memory.
import { TargetError } from "../../foundation/errors.js";

export class FailureSignal {
  private failurePromise: Promise<never>;
  private rejectFailure: (error: unknown) => void = () => undefined;

  constructor() {
    this.failurePromise = new Promise((_, reject) => (this.rejectFailure = reject));
    this.failurePromise.catch(() => undefined);
  }

  watch(failure: Promise<never>): void {
    failure.catch((error: unknown) => this.rejectFailure(error));
  }

  /** Watches a server: the trial fails when `lost` resolves with the reason of the loss. */
  watchServer(name: string, lost: Promise<string>): void {
    void lost.then((words) =>
      this.rejectFailure(new TargetError(`${name} went away: ${words}`, "Read its log for the cause.")),
    );
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.failurePromise]);
  }

  /** Ignores later failures, because the trial is over, and lets nothing keep it in memory. */
  release(): void {
    this.rejectFailure = () => undefined;
    this.failurePromise = new Promise(() => undefined);
  }
}
