// Keeps a worker's ledger: what became of each of its batches, in the trial's directory as soon as it is known, and the
// totals that the worker tells at the end. A worker that publishes nothing has no file, but it too was told of commits
// that must have lasted.
import { asTrainSimError, type TrainSimError } from "../foundation/errors.js";
import { EMPTY_LEDGER, type BatchOutcome, type Ledger, type LedgerEntry } from "../model/ledger.js";
import { LedgerFileWriter, ledgerPath } from "../results/ledger-file.js";
import { ledgerSourceOf, type Assignment } from "./protocol.js";

export class BatchLedger {
  private readonly file: LedgerFileWriter | undefined;
  private readonly sums = { ...EMPTY_LEDGER };
  private failure: TrainSimError | undefined;

  private constructor(file: LedgerFileWriter | undefined) {
    this.file = file;
  }

  /** Fails when the trial's directory does not take a file, or has that one. */
  static of(assignment: Assignment, publishes: boolean): BatchLedger {
    if (!publishes) return new BatchLedger(undefined);
    const path = ledgerPath(assignment.directory, assignment.ordinal);
    return new BatchLedger(new LedgerFileWriter(path, ledgerSourceOf(assignment)));
  }

  /** Throws when the disk does not take the ledger: the trial could not be audited. */
  settle(batch: LedgerEntry, outcome: BatchOutcome): void {
    const { sums } = this;
    if (outcome === "acknowledged") sums.published += batch.events;
    else if (outcome === "failed") sums.failed += batch.events;
    else sums.inDoubt += batch.events;
    this.file?.add(batch, outcome);
    this.requireWritten();
  }

  processed(events: number): void {
    this.sums.passes += events;
  }

  archived(events: number): void {
    this.sums.archived += events;
  }

  /** Hands what there is to the operating system. Never throws: `settle` and `close` do, for what it met. */
  flush(): void {
    try {
      this.file?.flush();
    } catch (error) {
      this.failure ??= asTrainSimError(error);
    }
  }

  /** Closes the file; the totals, with what the worker could not match. Throws as `settle`. */
  close(unmatchedLifecycles: number): Ledger {
    this.requireWritten();
    this.file?.close();
    return { ...this.sums, unmatchedLifecycles };
  }

  private requireWritten(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
