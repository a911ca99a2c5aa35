// A worker's ledger: the fate of each batch and the work on each event, written to the trial's directory as soon as it is known.
// Work whose commit got no answer is kept apart, by commit. A worker writes only the files of its own work.
import { asTrainSimError, type TrainSimError } from "../../../foundation/errors.js";
import { EMPTY_LEDGER, type BatchOutcome, type LedgerEntry, type LedgerTotals } from "../model/ledger.js";
import type { EventPass } from "../model/lifecycle.js";
import { LedgerFileWriter, ledgerPath } from "../audit/ledger-file.js";
import { WorkFileWriter, workPath, type WorkOperation } from "../audit/work-file.js";
import { ledgerSourceOf, type EventAssignment } from "./assignment.js";
import type { TransactionEnd } from "../../../actors/transactor.js";

/** When a transaction ended, on the monotonic clock, and at which endpoint. */
type Ended = Pick<TransactionEnd<unknown>, "finishedMs" | "endpoint">;

export class BatchLedger {
  private readonly sums = { ...EMPTY_LEDGER };
  private work: WorkFileWriter | undefined;
  private failure: TrainSimError | undefined;

  private constructor(
    private readonly file: LedgerFileWriter | undefined,
    private readonly workFile: string,
  ) {}

  /** Fails when the trial's directory does not take a file, or has that one. */
  static of(assignment: EventAssignment, publishes: boolean): BatchLedger {
    const { directory, ordinal } = assignment;
    const file = publishes
      ? new LedgerFileWriter(ledgerPath(directory, ordinal), ledgerSourceOf(assignment))
      : undefined;
    return new BatchLedger(file, workPath(directory, ordinal));
  }

  /** Throws when the disk does not take the ledger: the trial could not be audited. So do the next four. */
  settle(batch: LedgerEntry, outcome: BatchOutcome, { finishedMs, endpoint }: Ended): void {
    const { sums } = this;
    if (outcome === "acknowledged") sums.published += batch.events;
    else if (outcome === "failed") sums.failed += batch.events;
    else sums.inDoubt += batch.events;
    this.file?.add(batch, outcome, finishedMs, endpoint);
    this.requireWritten();
  }

  /** Passes that were acknowledged. */
  processed(passes: readonly EventPass[], { finishedMs, endpoint }: Ended): void {
    if (passes.length === 0) return;
    this.sums.passes += passes.length;
    const file = this.openWork();
    file.transaction(finishedMs, endpoint);
    for (const pass of passes) file.pass(pass);
  }

  /** Archivings that were acknowledged. */
  archived(ids: readonly string[], { finishedMs, endpoint }: Ended): void {
    if (ids.length === 0) return;
    this.sums.archived += ids.length;
    const file = this.openWork();
    file.transaction(finishedMs, endpoint);
    for (const id of ids) file.archived(id);
  }

  /** A commit in doubt of a process transaction: of those passes, or of at most `most` where they are not known. */
  processedInDoubt(passes: readonly EventPass[] | undefined, most: number): void {
    this.inDoubt("process", passes, most, (file, pass, doubt) => file.pass(pass, doubt));
  }

  /** Like `processedInDoubt`, for an archive transaction. */
  archivedInDoubt(ids: readonly string[] | undefined, most: number): void {
    this.inDoubt("archive", ids, most, (file, id, doubt) => file.archived(id, doubt));
  }

  /** Hands what there is to the operating system. Never throws: the others do, for what it met. */
  flush(): void {
    try {
      this.file?.flush();
      this.work?.flush();
    } catch (error) {
      this.failure ??= asTrainSimError(error);
    }
  }

  /** Closes the files; the totals, with what the worker could not match. Throws as `settle`. */
  close(unmatchedLifecycles: number): LedgerTotals {
    this.requireWritten();
    this.file?.close();
    this.work?.close();
    return { ...this.sums, unmatchedLifecycles };
  }

  private inDoubt<T>(
    operation: WorkOperation,
    events: readonly T[] | undefined,
    most: number,
    write: (file: WorkFileWriter, event: T, doubt: number) => void,
  ): void {
    if (events?.length === 0) return;
    const file = this.openWork();
    if (!events) {
      file.unknown(operation, most);
      return;
    }
    const doubt = file.nextDoubt();
    for (const event of events) write(file, event, doubt);
  }

  private openWork(): WorkFileWriter {
    this.requireWritten();
    return (this.work ??= new WorkFileWriter(this.workFile));
  }

  private requireWritten(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
