// Means are taken from sums at the end, so every transaction weighs the same. Sums are whole nanoseconds: they add up exactly in any order
// and come back exactly from a stored mean. The slowest transaction is kept whole: averages hide the tail.
import { sortedPartNames, type PartNames, type PartTimes } from "./part-times.js";

/** The slowest transaction of a second of one worker. */
export interface SlowestTransaction {
  readonly responseMs: number;
  readonly client: number;
  /** Milliseconds by part, to the microsecond. */
  readonly parts: Record<string, number>;
}

/**
 * Nanoseconds and calls of one part over all transactions; `slowNs` is over the slowest transactions only. Whole numbers.
 */
export interface PartSum {
  ns: number;
  calls: number;
  slowNs: number;
}

/** Times of one worker's transactions of one operation in one second. Plain values, because it is sent between threads. */
export interface PartsDelta {
  readonly transactions: number;
  /** Sums by part, in the order in which the worker met them. */
  readonly sums: Readonly<Record<string, PartSum>>;
  readonly slowest: SlowestTransaction;
}

/** A part's mean over transactions, in milliseconds; see `LatencyPart` of the result document. */
export interface PartSummary {
  readonly name: string;
  readonly meanMs: number;
  readonly calls: number;
  readonly slowMeanMs: number;
}

/** Sums of one worker, operation and second. `drain` returns them, leaves the buffer empty and keeps its memory. */
export class PartBuffers {
  private transactions = 0;
  private readonly ms: number[] = [];
  private readonly calls: number[] = [];
  private readonly slowMs: number[] = [];
  private slowestMs = 0;
  private slowestClient = 0;
  private names: PartNames | undefined;

  add(times: PartTimes, responseMs: number): void {
    const { ms, calls } = times;
    this.names = times.names;
    while (this.ms.length < ms.length) {
      this.ms.push(0);
      this.calls.push(0);
      this.slowMs.push(0);
    }
    for (let part = 0; part < ms.length; part++) {
      this.ms[part] = (this.ms[part] as number) + (ms[part] as number);
      this.calls[part] = (this.calls[part] as number) + (calls[part] as number);
    }
    if (this.transactions++ > 0 && responseMs <= this.slowestMs) return;
    this.slowestMs = responseMs;
    this.slowestClient = times.client;
    for (let part = 0; part < this.slowMs.length; part++) this.slowMs[part] = ms[part] ?? 0;
  }

  drain(): PartsDelta | undefined {
    const { names, transactions } = this;
    if (!names || transactions === 0) return undefined;
    const sums: Record<string, PartSum> = {};
    this.ms.forEach((ms, part) => {
      const calls = this.calls[part] as number;
      const sum = { ns: toNs(ms), calls, slowNs: toNs(this.slowMs[part] as number) };
      if (sum.ns > 0 || calls > 0) sums[names.nameOf(part)] = sum;
    });
    const slowest = {
      responseMs: Math.round(this.slowestMs * 1000) / 1000,
      client: this.slowestClient,
      parts: names.record(this.slowMs),
    };
    this.transactions = 0;
    this.ms.fill(0);
    this.calls.fill(0);
    return { transactions, sums, slowest };
  }
}

function toNs(ms: number): number {
  return Math.round(ms * 1e6);
}

/** Sums of parts that can be added over seconds, workers and trials. */
export class PartSums {
  private transactions = 0;
  private slowTransactions = 0;
  private readonly sums = new Map<string, PartSum>();

  addDelta({ transactions, sums }: PartsDelta): void {
    this.addCounts(transactions, 1);
    for (const [name, sum] of Object.entries(sums)) this.addPart(name, sum);
  }

  add(other: PartSums): void {
    this.addCounts(other.transactions, other.slowTransactions);
    for (const [name, sum] of other.sums) this.addPart(name, sum);
  }

  /** Adds the sums that a stored summary was computed from. */
  addSummary(
    parts: readonly (Omit<PartSummary, "slowMeanMs"> & { readonly slowMeanMs?: number | undefined })[],
    transactions: number,
    slowTransactions: number,
  ): void {
    this.addCounts(transactions, slowTransactions);
    for (const { name, meanMs, calls, slowMeanMs = 0 } of parts)
      this.addPart(name, {
        ns: toNs(meanMs * transactions),
        calls: Math.round(calls * transactions),
        slowNs: toNs(slowMeanMs * slowTransactions),
      });
  }

  /** Number of transactions that were the slowest of their second and worker. */
  get slowCount(): number {
    return this.slowTransactions;
  }

  /** Means by part, in the order in which parts are shown; empty without a transaction. */
  summary(): PartSummary[] {
    return sortedPartNames([...this.sums.keys()]).map((name) => {
      const { ns, calls, slowNs } = this.sums.get(name) ?? { ns: 0, calls: 0, slowNs: 0 };
      return {
        name,
        meanMs: ns / 1e6 / this.transactions,
        calls: calls / this.transactions,
        slowMeanMs: slowNs / 1e6 / this.slowTransactions,
      };
    });
  }

  private addCounts(transactions: number, slowTransactions: number): void {
    this.transactions += transactions;
    this.slowTransactions += slowTransactions;
  }

  private addPart(name: string, { ns, calls, slowNs }: PartSum): void {
    const sum = this.sums.get(name);
    if (!sum) {
      this.sums.set(name, { ns, calls, slowNs });
      return;
    }
    sum.ns += ns;
    sum.calls += calls;
    sum.slowNs += slowNs;
  }
}
