// A worker's ledger in the trial's directory. Work whose commit got no answer is listed separately.
import { asTrainSimError, type TrainSimError } from "../../../foundation/errors.js";
import { EMPTY_LEDGER, type BatchOutcome, type LedgerEntry, type LedgerTotals } from "../model/ledger.js";
import type { EventPass } from "../model/lifecycle.js";
import { LedgerFileWriter, ledgerPath } from "../audit/ledger-file.js";
import { WorkFileWriter, workPath, type WorkOperation } from "../audit/work-file.js";
import { ledgerSourceOf, type EventAssignment } from "./assignment.js";
import type { TransactionEnd } from "../../../clients/transactor.js";

/** End of a transaction: its time on the monotonic clock, and its endpoint. */
type EndTimeAndEndpoint = Pick<TransactionEnd<unknown>, "finishedMs" | "endpoint">;

export class BatchLedger {
  private readonly sums = { ...EMPTY_LEDGER };
  private work: WorkFileWriter | undefined;
  private failure: TrainSimError | undefined;

  private constructor(
    private readonly file: LedgerFileWriter | undefined,
    private readonly workFilePath: string,
  ) {}

  /** Makes the ledger of a worker. Throws if a file exists already, or cannot be made in the trial's directory. */
  static of(assignment: EventAssignment, publishes: boolean): BatchLedger {
    const { directory, ordinal } = assignment;
    const file = publishes
      ? new LedgerFileWriter(ledgerPath(directory, ordinal), ledgerSourceOf(assignment))
      : undefined;
    return new BatchLedger(file, workPath(directory, ordinal));
  }

  /**
   * Records the outcome of an add. Throws, like the other recording methods, if the ledger cannot be written: no audit
   * would be possible.
   */
  settle(batch: LedgerEntry, outcome: BatchOutcome, { finishedMs, endpoint }: EndTimeAndEndpoint): void {
    const { sums } = this;
    if (outcome === "acknowledged") sums.published += batch.events;
    else if (outcome === "failed") sums.failed += batch.events;
    else sums.inDoubt += batch.events;
    this.file?.add(batch, outcome, finishedMs, endpoint);
    this.requireNoFailure();
  }

  /** Records acknowledged passes. */
  recordPasses(passes: readonly EventPass[], { finishedMs, endpoint }: EndTimeAndEndpoint): void {
    if (passes.length === 0) return;
    this.sums.passes += passes.length;
    const file = this.openWorkFile();
    file.transaction(finishedMs, endpoint);
    for (const pass of passes) file.pass(pass);
  }

  /** Records acknowledged archivings. */
  recordArchivings(ids: readonly string[], { finishedMs, endpoint }: EndTimeAndEndpoint): void {
    if (ids.length === 0) return;
    this.sums.archived += ids.length;
    const file = this.openWorkFile();
    file.transaction(finishedMs, endpoint);
    for (const id of ids) file.archiving(id);
  }

  /**
   * Records a process transaction whose commit is in doubt, with its passes or, if they are unknown, with their largest
   * number.
   */
  recordPassesInDoubt(passes: readonly EventPass[] | undefined, most: number): void {
    this.inDoubt("process", passes, most, (file, pass, doubt) => file.pass(pass, doubt));
  }

  /**
   * Records an archive transaction whose commit is in doubt, with its events or, if they are unknown, with their largest
   * number.
   */
  recordArchivingInDoubt(ids: readonly string[] | undefined, most: number): void {
    this.inDoubt("archive", ids, most, (file, id, doubt) => file.archiving(id, doubt));
  }

  /** Writes buffered records to the files. Never throws: the next recording method throws the error. */
  flush(): void {
    try {
      this.file?.flush();
      this.work?.flush();
    } catch (error) {
      this.failure ??= asTrainSimError(error);
    }
  }

  /** Closes the files and returns the totals of this ledger. Throws if the files cannot be written. */
  close(unmatchedLifecycles: number): LedgerTotals {
    this.requireNoFailure();
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
    const file = this.openWorkFile();
    if (!events) {
      file.unknownWork(operation, most);
      return;
    }
    const doubt = file.nextDoubtNumber();
    for (const event of events) write(file, event, doubt);
  }

  private openWorkFile(): WorkFileWriter {
    this.requireNoFailure();
    return (this.work ??= new WorkFileWriter(this.workFilePath));
  }

  private requireNoFailure(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
