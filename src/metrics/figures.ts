// Figures that follow from others of the same result. Pure.

/** All in milliseconds. */
export interface LatencySummary {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** What a result says of one operation, or of a span of an event's life, by field. */
export type Figures = Readonly<Record<string, unknown>>;

export function latencyOf(of: Figures, field: string): LatencySummary | null | undefined {
  return of[field] as LatencySummary | null | undefined;
}

export function failuresOf({ failures = {} }: Figures): number {
  return sumOfCounts(failures as Readonly<Record<string, number>>);
}

/** 0 to 1, of the transactions that ended; 0 where none did. */
export function failedShare(of: Figures): number {
  const failures = failuresOf(of);
  return failures / Math.max(1, failures + Number(of["transactions"]));
}

/** Sum over the SQLSTATEs of a count. */
export function sumOfCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Where nothing ended, whatever was tried again was tried in vain, and counts for the one that did not come. */
export function retriesPerTransaction(of: Figures): number {
  const { retries, transactions } = of as { readonly retries: number; readonly transactions: number };
  return retries / Math.max(1, transactions + failuresOf(of));
}
