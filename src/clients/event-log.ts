// Log lines for retries, failures and slow transactions, limited per second; the next summary line states how many were left out.
import type { Logger } from "../foundation/logger.js";
import type { FailureFacts, TransactionFacts } from "./facts.js";

const LINES_PER_SECOND_MAX = 20;

export interface SlowTransactionOutcome {
  readonly events: number;
  readonly responseMs: number;
  /** Milliseconds of the response time by part. */
  readonly parts: Record<string, number>;
}

export class EventLog {
  private linesLeft = LINES_PER_SECOND_MAX;
  private suppressedCount = 0;

  constructor(readonly logger: Logger) {}

  retry(facts: TransactionFacts, cause: FailureFacts, backoffMs: number): void {
    if (this.mayWriteLine("warn"))
      this.logger.warn({ event: "retry", ...facts, ...cause, backoffMs }, "retry");
  }

  failure(facts: TransactionFacts, cause: FailureFacts): void {
    if (this.mayWriteLine("error")) this.logger.error({ event: "failure", ...facts, ...cause }, "failure");
  }

  slow(facts: TransactionFacts, outcome: SlowTransactionOutcome): void {
    if (this.mayWriteLine("warn"))
      this.logger.warn({ event: "slow", ...facts, ...outcome }, "slow transaction");
  }

  /** Allows the full number of lines again, since a new second begins. */
  startNextSecond(): void {
    this.linesLeft = LINES_PER_SECOND_MAX;
  }

  /** Returns the number of lines left out since the last call. The caller must log it. */
  takeSuppressedCount(): number {
    const suppressed = this.suppressedCount;
    this.suppressedCount = 0;
    return suppressed;
  }

  private mayWriteLine(level: "warn" | "error"): boolean {
    // A line below `log.level` is not written, so it uses up no allowance.
    if (!this.logger.isLevelEnabled(level)) return false;
    if (this.linesLeft > 0) {
      this.linesLeft--;
      return true;
    }
    this.suppressedCount++;
    return false;
  }
}
