// The slowest transactions, from `slow` lines (above a bound, with attempts, a limited number a second) and `summary` lines
// (the slowest of each second and worker). A transaction in both is one entry.
import type { Operation } from "../metrics/operations.js";

export interface SlowTransaction {
  readonly operation: Operation;
  readonly actor: string;
  readonly worker: number;
  /** Number of the client within its worker; null if the log states only the time. */
  readonly client: number | null;
  readonly second: number;
  readonly responseMs: number;
  /** Service time in ms; null if only the summary mentions the transaction. */
  readonly serviceMs: number | null;
  readonly poolWaitMs: number | null;
  readonly attempts: number | null;
  /** Milliseconds by part, in order; null if the log does not state them. */
  readonly parts: Readonly<Record<string, number>> | null;
}

export class SlowestTransactions {
  private readonly transactions: SlowTransaction[] = [];

  constructor(private readonly most: number) {}

  get all(): readonly SlowTransaction[] {
    return this.transactions;
  }

  add(candidate: SlowTransaction): void {
    const last = this.transactions.at(-1);
    if (this.transactions.length >= this.most && (!last || candidate.responseMs < last.responseMs)) return;
    const sameIndex = this.transactions.findIndex((each) => isSame(each, candidate));
    if (sameIndex >= 0) {
      this.transactions[sameIndex] = joinedTransaction(
        this.transactions[sameIndex] as SlowTransaction,
        candidate,
      );
      return;
    }
    const place = this.transactions.findIndex(({ responseMs }) => responseMs < candidate.responseMs);
    this.transactions.splice(place < 0 ? this.transactions.length : place, 0, candidate);
    if (this.transactions.length > this.most) this.transactions.pop();
  }
}

/** True if two lines are about the same transaction: they round the time differently, by a microsecond at most. */
function isSame(a: SlowTransaction, b: SlowTransaction): boolean {
  return (
    Math.abs(a.responseMs - b.responseMs) < 0.002 &&
    a.operation === b.operation &&
    a.actor === b.actor &&
    a.worker === b.worker &&
    a.second === b.second &&
    (a.client === b.client || a.client === null || b.client === null)
  );
}

function joinedTransaction(a: SlowTransaction, b: SlowTransaction): SlowTransaction {
  return {
    ...a,
    client: a.client ?? b.client,
    serviceMs: a.serviceMs ?? b.serviceMs,
    poolWaitMs: a.poolWaitMs ?? b.poolWaitMs,
    attempts: a.attempts ?? b.attempts,
    parts: a.parts ?? b.parts,
  };
}
