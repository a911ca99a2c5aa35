// Every wait of the engine ends early by a signal or a broken threshold; what was measured is kept and marked.
import type { TrainSimError } from "../../foundation/errors.js";
import { Sleeper } from "../../foundation/sleeper.js";

export class Interruption {
  private readonly sleeper = new Sleeper();
  private name: string | undefined;
  private cause: TrainSimError | undefined;

  isRequested(): boolean {
    return this.name !== undefined || this.cause !== undefined;
  }

  get reason(): string | undefined {
    return this.name === undefined ? this.cause?.message : `stopped by ${this.name}`;
  }

  /** The error that ended the experiment; undefined if a signal ended it, or nothing did. */
  get abortedBy(): TrainSimError | undefined {
    return this.name === undefined ? this.cause : undefined;
  }

  get signalName(): string | undefined {
    return this.name;
  }

  request(signalName: string): void {
    if (!this.cause) this.name ??= signalName;
    this.sleeper.wakeAll();
  }

  /** Ends the experiment as a signal would. If it already ended, the first reason remains. */
  abort(cause: TrainSimError): void {
    if (!this.isRequested()) this.cause = cause;
    this.sleeper.wakeAll();
  }

  /** Resolves after `ms`, at once if a stop was or is requested, or when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.isRequested() ? Promise.resolve() : this.sleeper.sleep(ms, signal);
  }
}
