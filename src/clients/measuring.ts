// Measures one operation of a client: its parts, its retries with backoff, its outcome.
import { messageOf, TrialError } from "../foundation/errors.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { Operation } from "../metrics/operations.js";
import { BACKOFF_PART, PartTimes, POOL_WAIT_PART, type PartNames } from "../metrics/part-times.js";
import type { Recorder } from "../metrics/recorder.js";
import { errorCodeText, InDoubtError, StatementError } from "../database/errors.js";
import type { Failure, FailurePlace, FailureClassifier } from "../database/contract.js";
import type { EventLog } from "./event-log.js";
import type { RetryPolicy } from "./retry-policy.js";
import type { TimeAccount } from "./time-account.js";
import type { FailureFacts, TransactionFacts } from "./facts.js";
import type { ConnectionSource } from "../database/session.js";

export interface OperationPlan<T> {
  readonly operation: Operation;
  /** Number of the client in its worker, from 0. */
  readonly client: number;
  /** Start that the schedule intended, in monotonic milliseconds. */
  readonly intendedMs: number;
  /** Number of events that the result represents. */
  events(result: T): number;
  /** True if an operation without events is an empty poll, which does not count as a transaction. */
  readonly isPoll: boolean;
  /** True if a commit in doubt that stays unresolved is final, because a repetition might do the work twice. */
  readonly isFinalIfInDoubt?: boolean;
  /**
   * Called after each commit in doubt, with the result that the operation has if it was committed; undefined if that is
   * unknown.
   */
  onUnanswered?(result: T | undefined): void;
}

interface AttemptEnd {
  readonly finishedMs: number;
  /** Number of the endpoint at which the last attempt was made. */
  readonly endpoint: number;
}

export type TransactionEnd<T> =
  | (AttemptEnd & { readonly kind: "committed" | "empty"; readonly result: T })
  | (AttemptEnd & { readonly kind: "failed"; readonly inDoubt: boolean });

export interface OperationRunnerOptions {
  readonly source: Pick<ConnectionSource, "endpointOf">;
  readonly recorder: Recorder;
  readonly eventLog: EventLog;
  readonly retry: RetryPolicy;
  readonly slowTransactionMs: number;
  readonly sleeper: Sleeper;
  /** True if an open loop starts operations with that name now. */
  readonly isStartedBySchedule: (operation: Operation) => boolean;
  readonly time: TimeAccount;
  readonly partNames: PartNames;
  readonly failures: FailureClassifier;
  readonly failurePlaceOf: (error: unknown) => FailurePlace;
  /** Monotonic milliseconds of the clock that also times the connections' calls. */
  readonly nowMs: () => number;
}

export interface OperationProgress {
  attempt: number;
  inDoubt: boolean;
  readonly times: PartTimes;
}

export abstract class OperationRunner {
  /** One stopwatch per client, since each client runs one operation at a time. */
  private readonly partTimesByClient: PartTimes[] = [];

  constructor(protected readonly options: OperationRunnerOptions) {}

  /** Tries the plan once. The error of a rejection decides whether the plan is tried again. */
  protected abstract attempt<T>(plan: OperationPlan<T>, progress: OperationProgress): Promise<T>;

  /** Resolves with the operation's outcome; rejects only if the trial cannot go on. */
  protected async measure<T>(plan: OperationPlan<T>): Promise<TransactionEnd<T>> {
    const startMs = this.options.nowMs();
    this.options.time.bookWork(plan.client, startMs);
    const times = (this.partTimesByClient[plan.client] ??= new PartTimes(
      this.options.partNames,
      plan.client,
    ));
    times.start(startMs);
    const progress: OperationProgress = { attempt: 1, inDoubt: false, times };
    for (;;) {
      try {
        const result = await this.attempt(plan, progress);
        return this.finish(plan, result, startMs, progress);
      } catch (error) {
        const failure = this.classifyFailure(plan, error, progress);
        const isFailureFinal =
          failure.kind === "final" || (failure.kind === "in-doubt" && plan.isFinalIfInDoubt === true);
        const backoffMs = isFailureFinal
          ? undefined
          : this.options.retry.backoffMs(progress.attempt, startMs, this.options.nowMs());
        if (backoffMs === undefined) return this.giveUp(plan, error, failure, startMs, progress);
        await this.backOff(plan, backoffMs, this.causeOf(error, failure), startMs, progress);
        progress.attempt++;
      }
    }
  }

  /** Classifies the error of an attempt, considering earlier commits in doubt. Throws if the error is fatal. */
  private classifyFailure<T>(plan: OperationPlan<T>, error: unknown, progress: OperationProgress): Failure {
    const { failures } = this.options;
    const failure = failures.classify(error);
    if (failure.kind === "in-doubt") {
      progress.inDoubt = true;
      this.options.recorder.count(plan.operation, "unansweredCommits", this.options.nowMs());
      plan.onUnanswered?.(error instanceof InDoubtError ? (error.result as T | undefined) : undefined);
    }
    if (failure.kind !== "fatal") return failure;
    // A duplicate after a commit in doubt: that commit was still running when it was looked up. Its rows exist now, so
    // the next attempt settles it.
    if (progress.inDoubt && failures.isDuplicate(failure)) return { ...failure, kind: "retry" };
    if (error instanceof TrialError) throw error;
    const place = error instanceof StatementError && error.place !== undefined ? `${error.place}: ` : "";
    throw new TrialError(
      `${place}${messageOf(error)} (${errorCodeText(failure.sqlstate)})`,
      failures.remedyOf(error) ?? "The error is not retryable: the trial was stopped.",
      { cause: error },
    );
  }

  private finish<T>(
    plan: OperationPlan<T>,
    result: T,
    startMs: number,
    progress: OperationProgress,
  ): TransactionEnd<T> {
    const { source, recorder, slowTransactionMs, eventLog, time } = this.options;
    const { times } = progress;
    // A commit is acknowledged when its answer arrives, not when this thread reads it.
    const finishedMs = times.lastMs;
    const serviceMs = finishedMs - startMs;
    const events = plan.events(result);
    const endpoint = source.endpointOf(plan.client);
    time.book(plan.client, "service", startMs, finishedMs);
    const scheduledMs = this.scheduledMs(plan);
    if (events === 0 && plan.isPoll) {
      recorder.emptyPoll(plan.operation, finishedMs, serviceMs, scheduledMs);
      return { kind: "empty", result, finishedMs, endpoint };
    }
    // Without a schedule, the intended start is the actual start and the response time is the service time.
    const intendedMs = scheduledMs ?? startMs;
    const responseMs = finishedMs - intendedMs;
    times.finish(finishedMs, startMs - intendedMs);
    recorder.transaction(plan.operation, {
      finishedMs,
      events,
      serviceMs,
      responseMs,
      poolWaitMs: times.msOf(POOL_WAIT_PART),
      parts: times,
      endpoint,
      intendedMs: scheduledMs,
    });
    if (serviceMs > slowTransactionMs) {
      const facts = this.facts(plan, startMs, finishedMs, progress);
      eventLog.slow(facts, { events, responseMs, parts: times.byName() });
    }
    return { kind: "committed", result, finishedMs, endpoint };
  }

  private giveUp<T>(
    plan: OperationPlan<T>,
    error: unknown,
    failure: Failure,
    startMs: number,
    progress: OperationProgress,
  ): TransactionEnd<T> {
    const finishedMs = this.options.nowMs();
    const serviceMs = finishedMs - startMs;
    const { sqlstate } = failure;
    const endpoint = this.options.source.endpointOf(plan.client);
    const sample = {
      finishedMs,
      serviceMs,
      sqlstate,
      endpoint,
      intendedMs: this.scheduledMs(plan),
    };
    this.options.time.book(plan.client, "service", startMs, finishedMs);
    this.options.recorder.failure(plan.operation, sample);
    this.options.eventLog.failure(
      this.facts(plan, startMs, finishedMs, progress),
      this.causeOf(error, failure),
    );
    return { kind: "failed", inDoubt: progress.inDoubt, finishedMs, endpoint };
  }

  private async backOff(
    plan: OperationPlan<unknown>,
    backoffMs: number,
    cause: FailureFacts,
    startMs: number,
    progress: OperationProgress,
  ): Promise<void> {
    const { source, recorder, eventLog, sleeper, nowMs } = this.options;
    const backoffStartMs = nowMs();
    recorder.retry(plan.operation, cause.sqlstate, backoffStartMs, source.endpointOf(plan.client));
    eventLog.retry(this.facts(plan, startMs, backoffStartMs, progress), cause, backoffMs);
    await sleeper.sleep(backoffMs);
    progress.times.book(BACKOFF_PART, backoffStartMs, nowMs());
  }

  private causeOf(error: unknown, { sqlstate }: Failure): FailureFacts {
    return { sqlstate, reason: messageOf(error), ...this.options.failurePlaceOf(error) };
  }

  /** Intended start of the operation if a schedule started it; undefined otherwise. */
  private scheduledMs({ operation, intendedMs }: OperationPlan<unknown>): number | undefined {
    return this.options.isStartedBySchedule(operation) ? intendedMs : undefined;
  }

  private facts(
    plan: OperationPlan<unknown>,
    startMs: number,
    nowMs: number,
    progress: OperationProgress,
  ): TransactionFacts {
    return {
      operation: plan.operation,
      client: plan.client,
      attempt: progress.attempt,
      serviceMs: nowMs - startMs,
      poolWaitMs: progress.times.msOf(POOL_WAIT_PART),
      second: this.options.recorder.secondAt(nowMs),
    };
  }
}
