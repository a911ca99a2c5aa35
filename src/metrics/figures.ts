// Figures that follow from others of the same result. Pure.

/** Latencies in milliseconds. */
export interface LatencySummary {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Figures of an operation, or of a span of an event's life, by their field in the result. */
export type Figures = Readonly<Record<string, unknown>>;

export function latencyOf(of: Figures, field: string): LatencySummary | null | undefined {
  return of[field] as LatencySummary | null | undefined;
}

export function failuresOf({ failures = {} }: Figures): number {
  return sumOfCounts(failures as Readonly<Record<string, number>>);
}

/** Share of failed transactions among the ended ones, 0 to 1; 0 if none ended. */
export function failedShare(of: Figures): number {
  const failures = failuresOf(of);
  return failures / Math.max(1, failures + Number(of["transactions"]));
}

/** Mean service time in milliseconds with `count` more calls, which took `totalMs` together; undefined without any call. */
export function serviceMeanWith(of: Figures, count: number, totalMs: number): number | undefined {
  const transactions = Number(of["transactions"]);
  const serviceMs = (latencyOf(of, "serviceTimeMs")?.mean ?? 0) * transactions;
  return transactions + count > 0 ? (serviceMs + totalMs) / (transactions + count) : undefined;
}

/** Mean service time in milliseconds of committed and failed transactions; undefined if the time of failures is not known. */
export function meanWithFailures(of: Figures): number | undefined {
  const failures = failuresOf(of);
  const failedMs = failures > 0 ? latencyOf(of, "failedTimeMs")?.mean : 0;
  return failedMs === undefined ? undefined : serviceMeanWith(of, failures, failures * failedMs);
}

export function sumOfCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Retries per ended transaction. If none ended, the number of retries itself. */
export function retriesPerTransaction(of: Figures): number {
  const { retries, transactions } = of as { readonly retries: number; readonly transactions: number };
  return retries / Math.max(1, transactions + failuresOf(of));
}

const CLAIM_SUFFIX = ".claim";
/** Parts in which no claim holds locks: they belong to failed attempts, or follow the end of an attempt. */
const PARTS_WITHOUT_LOCKS = ["rollback", "release", "backoff"];

/**
 * Mean milliseconds per transaction from the answer of its claim to the answer of its commit, while it holds row locks;
 * undefined if no statement of the operation is a claim.
 */
export function lockHoldMs({ parts = [] }: Figures): number | undefined {
  const all = parts as readonly { readonly name: string; readonly meanMs: number }[];
  const claim = all.findIndex(({ name }) => name.endsWith(CLAIM_SUFFIX));
  if (claim < 0) return undefined;
  const partsWithLocks = all.slice(claim + 1).filter(({ name }) => !PARTS_WITHOUT_LOCKS.includes(name));
  return partsWithLocks.reduce((sum, { meanMs }) => sum + meanMs, 0);
}
