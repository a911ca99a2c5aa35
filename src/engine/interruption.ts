// A user's wish to stop: the first SIGINT or SIGTERM, passed through the engine so that every wait ends early and
// what was measured so far is kept and marked. The second signal is the command line's business: it ends at once.
import { Sleeper } from "../foundation/sleeper.js";

export class Interruption {
  private readonly sleeper = new Sleeper();
  private name: string | undefined;

  isRequested(): boolean {
    return this.name !== undefined;
  }

  /** `SIGINT`, `SIGTERM`; undefined while nobody asked. */
  get signalName(): string | undefined {
    return this.name;
  }

  request(signalName: string): void {
    this.name ??= signalName;
    this.sleeper.wakeAll();
  }

  /** Resolves after `ms`, or at once when a stop was or is requested or `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.isRequested() ? Promise.resolve() : this.sleeper.sleep(ms, signal);
  }
}
