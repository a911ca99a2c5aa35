// Which workers of a fleet have ended, and with which ledgers: whoever audits a trial must know whose last work was never
// written down. A worker that failed has ended, and its ledger is not closed.
import { withinMs } from "../../foundation/deadline.js";

export class WorkerRoll {
  private readonly gone = new Set<number>();
  private readonly ledgers = new Map<number, unknown>();
  private onEnded: () => void = () => undefined;

  hasEnded(worker: number): boolean {
    return this.gone.has(worker);
  }

  ended(worker: number): void {
    this.gone.add(worker);
    this.onEnded();
  }

  closed(worker: number, ledger: unknown): void {
    this.ledgers.set(worker, ledger);
  }

  hasClosed(worker: number): boolean {
    return this.ledgers.has(worker);
  }

  /** Of the workers that closed theirs. */
  get told(): readonly unknown[] {
    return [...this.ledgers.values()];
  }

  /** Resolves once all of those have ended, or so many milliseconds are over. Never rejects. */
  async untilEnded(workers: readonly number[], mostMs: number): Promise<void> {
    const all = new Promise<void>((resolve) => {
      this.onEnded = () => {
        if (workers.every((worker) => this.gone.has(worker))) resolve();
      };
    });
    this.onEnded();
    await withinMs(all, mostMs).catch(() => undefined);
  }
}
