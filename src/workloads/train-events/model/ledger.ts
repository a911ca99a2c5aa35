// A batch is described, not listed: a ledger takes bytes a batch and not bytes an event.
import * as z from "zod";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import { VIOLATION_KINDS } from "./conservation.js";
import { batchKeys, idsOf, type IdKind } from "../../event-id.js";
import { DocumentGenerator } from "./document-generator.js";
import type { KeySum } from "./key-sum.js";
import { DOCUMENT_SHAPES } from "../settings.js";

/** Outcomes of a batch. The ledger's file stores their indexes. */
export const BATCH_OUTCOMES = ["acknowledged", "failed", "in-doubt"] as const;
export type BatchOutcome = (typeof BATCH_OUTCOMES)[number];

/** Number of consecutive batches of one worker that the audit compares as one set. */
export const BATCHES_PER_RANGE = 64;

/** Entry of a ledger: everything that is needed to make a batch of a worker again. */
export interface LedgerEntry {
  readonly batch: number;
  readonly events: number;
  readonly madeAtMs: number;
  readonly firstDocument: number;
  /** Number of the client in its role. */
  readonly client: number;
  /** Checksum of the batch's keys. */
  readonly keys: Readonly<Pick<KeySum, "u" | "v">>;
}

export interface LedgerBatch extends LedgerEntry {
  readonly outcome: BatchOutcome;
  /** Monotonic milliseconds at which the outcome was known. */
  readonly endedAtMs: number;
  readonly endpoint: number;
}

/** Head of a ledger: properties that all batches of one worker share. */
export const LedgerSource = z.strictObject({
  /** Worker number in the keys of the worker's events. */
  worker: z.int().min(0).max(255),
  /** Name of the random stream of the documents, such as `producers`, the role. */
  stream: z.string(),
  ids: z.enum(["uuidv7", "uuidv4"]),
  seed: z.int().nonnegative(),
  documentBytes: z.int().nonnegative(),
  documentShape: z.enum(DOCUMENT_SHAPES),
  /** Present if the documents have a member that preloaded ones lack. */
  documentEvolution: z.literal("new-member").exactOptional(),
});
export type LedgerSource = z.infer<typeof LedgerSource>;

export function streamName(source: Pick<LedgerSource, "stream">, client: number): string {
  return `${source.stream}/${client}`;
}

/** Generator that makes the documents of a client again. */
export function documentsOf(source: LedgerSource, client: number): DocumentGenerator {
  const { seed, documentBytes, documentShape, documentEvolution } = source;
  const name = streamName(source, client);
  return new DocumentGenerator(seed, name, documentBytes, documentShape, documentEvolution !== undefined);
}

/** Makes the keys of a worker's batches. The same batch always gets the same keys. */
export class KeyMaker {
  private readonly prng = new Prng(0);
  private readonly seed: number;

  constructor(private readonly source: Pick<LedgerSource, "worker" | "ids" | "seed">) {
    this.seed = deriveSeed(source.seed, "ids", source.worker);
  }

  /** Keys of a batch as bytes, `KEY_BYTES` each. */
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

/** Numbers of a worker's sampled and verified transactions, of validated documents, and of wrong events by kind. */
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

/** A worker's account of a trial. All numbers are numbers of events. */
export const Ledger = z.object({
  /** Events of acknowledged add transactions. */
  published: Count,
  /** Events of add transactions that failed. */
  failed: Count,
  /** Events of add transactions that stayed in doubt; the audit looks them up. */
  inDoubt: Count,
  /** Passes of acknowledged process transactions; each of their events has one pass. */
  passes: Count,
  /** Events of acknowledged archive transactions. */
  archived: Count,
  /** Completions and archivings whose publish time is unknown. The lifecycle's latencies lack them. */
  unmatchedLifecycles: Count,
  /** Results of sampled checks; left out if the worker had nothing to sample. */
  checks: SampleChecks.optional(),
});
export type Ledger = z.infer<typeof Ledger>;

export type LedgerTotals = Omit<Ledger, "checks">;

export const EMPTY_LEDGER: LedgerTotals = {
  published: 0,
  failed: 0,
  inDoubt: 0,
  passes: 0,
  archived: 0,
  unmatchedLifecycles: 0,
};
