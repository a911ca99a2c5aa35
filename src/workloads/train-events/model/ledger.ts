// The fate of every batch. A batch is described, not listed: its keys and documents are made again from the description, so that
// a ledger takes bytes a batch and not bytes an event.
import * as z from "zod";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import { VIOLATION_KINDS } from "./conservation.js";
import { batchKeys, idsOf, type IdKind } from "./event-id.js";
import type { KeySum } from "./key-sum.js";
import { DOCUMENT_SHAPES } from "../settings.js";

/** How a batch ended; numbers are its code in the ledger's file. */
export const BATCH_OUTCOMES = ["acknowledged", "failed", "in-doubt"] as const;
export type BatchOutcome = (typeof BATCH_OUTCOMES)[number];

/** Batches of one worker that the audit compares as one set. */
export const RANGE_BATCHES = 64;

/** One batch of a worker, as it can be made again. */
export interface LedgerEntry {
  /** Counted by the worker, from 0; a batch that was never sent leaves a gap. */
  readonly batch: number;
  readonly events: number;
  /** Wall-clock time in its keys. */
  readonly madeAtMs: number;
  /** Its documents are those from this index on of the client's stream. */
  readonly firstDocument: number;
  /** The client's number in its group. */
  readonly client: number;
  /** The checksum of its keys. */
  readonly keys: Readonly<Pick<KeySum, "u" | "v">>;
}

/** And what became of it. */
export interface LedgerBatch extends LedgerEntry {
  readonly outcome: BatchOutcome;
  /** Moment at which the outcome was known, in monotonic milliseconds. */
  readonly endedAtMs: number;
  /** Number of the endpoint where it ended. */
  readonly endpoint: number;
}

/** Properties that all batches of one worker share. */
export const LedgerSource = z.strictObject({
  /** The worker's number in its keys. */
  worker: z.int().min(0).max(255),
  /** Group of the streams that its documents come from, as `producers`. */
  stream: z.string(),
  ids: z.enum(["uuidv7", "uuidv4"]),
  seed: z.int().nonnegative(),
  documentBytes: z.int().nonnegative(),
  documentShape: z.enum(DOCUMENT_SHAPES),
});
export type LedgerSource = z.infer<typeof LedgerSource>;

/** Name of a client's stream of documents; `preload` has one. */
export function streamName(source: Pick<LedgerSource, "stream">, client: number): string {
  return `${source.stream}/${client}`;
}

/** Makes the keys of a worker's batches, the same ones whenever it is asked. */
export class KeyMaker {
  private readonly prng = new Prng(0);
  private readonly seed: number;

  constructor(private readonly source: Pick<LedgerSource, "worker" | "ids" | "seed">) {
    this.seed = deriveSeed(source.seed, "ids", source.worker);
  }

  /** `KEY_BYTES` each. */
  bytesOf({ batch, events, madeAtMs }: Pick<LedgerBatch, "batch" | "events" | "madeAtMs">): Buffer {
    const { worker, ids } = this.source as { worker: number; ids: IdKind };
    this.prng.reseed(this.seed, batch);
    return batchKeys(ids, events, worker, batch, madeAtMs, this.prng);
  }

  keysOf(batch: Pick<LedgerBatch, "batch" | "events" | "madeAtMs">): string[] {
    return idsOf(this.bytesOf(batch));
  }
}

const Count = z.int().nonnegative();

const SampleCount = z.object({ sampled: Count, verified: Count });

/** Verified transactions and documents of a worker, and events that were wrong, by kind. */
export const SampleChecks = z.object({
  reads: SampleCount,
  claims: SampleCount,
  validated: z.object({ made: Count, claimed: Count }),
  invalid: Count,
  misread: Count,
  misclaimed: Count,
  named: z.array(z.object({ kind: z.enum(VIOLATION_KINDS), id: z.string(), words: z.string() })),
});
export type SampleChecks = z.infer<typeof SampleChecks>;

export const NO_CHECKS: SampleChecks = {
  reads: { sampled: 0, verified: 0 },
  claims: { sampled: 0, verified: 0 },
  validated: { made: 0, claimed: 0 },
  invalid: 0,
  misread: 0,
  misclaimed: 0,
  named: [],
};

/** The account of a worker over a trial. Numbers are events. */
export const Ledger = z.object({
  /** Acknowledged. */
  published: Count,
  /** Events of add transactions that failed. */
  failed: Count,
  /** Events of add transactions that stayed in doubt: the audit looks them up. */
  inDoubt: Count,
  /** Passes of process transactions that were acknowledged, one for each event in them. */
  passes: Count,
  /** Moved to history, as this worker was told. */
  archived: Count,
  /** Completions and archivings whose publish moment was not known, missing from the lifecycle's latencies. */
  unmatchedLifecycles: Count,
  /** Left out where there was nothing to sample. */
  checks: SampleChecks.optional(),
});
export type Ledger = z.infer<typeof Ledger>;

/** Its numbers. */
export type LedgerTotals = Omit<Ledger, "checks">;

export const EMPTY_LEDGER: LedgerTotals = {
  published: 0,
  failed: 0,
  inDoubt: 0,
  passes: 0,
  archived: 0,
  unmatchedLifecycles: 0,
};
