// What a worker writes to the trial's NDJSON log beside its summaries: retries, failures and slow transactions,
// at most so many lines a second, because a storm must be visible without the log becoming the load. What was
// left out is counted and stands in the next summary line.
import type { Logger } from "../foundation/logger.js";
import type { Operation } from "../metrics/operations.js";

const LINES_PER_SECOND = 20;

export interface TransactionFacts {
  readonly operation: Operation;
  readonly client: number;
  readonly attempt: number;
  readonly serviceMs: number;
  readonly poolWaitMs: number;
}

export class EventLog {
  private linesLeft = LINES_PER_SECOND;
  private suppressed = 0;

  constructor(readonly logger: Logger) {}

  retry(facts: TransactionFacts, sqlstate: string, message: string, backoffMs: number): void {
    if (this.mayWrite())
      this.logger.warn({ event: "retry", ...facts, sqlstate, backoffMs, reason: message }, "retry");
  }

  failure(facts: TransactionFacts, sqlstate: string, message: string): void {
    if (this.mayWrite())
      this.logger.error({ event: "failure", ...facts, sqlstate, reason: message }, "failure");
  }

  slow(facts: TransactionFacts, events: number): void {
    if (this.mayWrite()) this.logger.warn({ event: "slow", ...facts, events }, "slow transaction");
  }

  /** Opens the next second's allowance; resolves to the number of lines left out in the last. */
  nextSecond(): number {
    const left = this.suppressed;
    this.suppressed = 0;
    this.linesLeft = LINES_PER_SECOND;
    return left;
  }

  private mayWrite(): boolean {
    if (this.linesLeft > 0) {
      this.linesLeft--;
      return true;
    }
    this.suppressed++;
    return false;
  }
}
