// Runs one transaction of a client to its end: gets a connection, times it and its parts, retries what can be retried
// with full-jitter backoff, and records what happened. Every outcome is counted: acknowledged, retried, failed for
// good, in doubt. An error that trying again cannot mend ends the trial with the statement's name.
import { messageOf, TrialError } from "../foundation/errors.js";
import type { Sleeper } from "../foundation/sleeper.js";
import type { Operation } from "../metrics/operations.js";
import { BACKOFF, PartTimes, POOL_WAIT, RELEASE, type PartNames } from "../metrics/part-times.js";
import type { Recorder } from "../metrics/recorder.js";
import { InDoubtError, StatementError } from "../database/errors.js";
import { placeOf } from "../database/postgres/failure-place.js";
import { remedyOf } from "../database/postgres/remedies.js";
import { classifyFailure, type Failure } from "../database/postgres/sqlstates.js";
import type { EventLog } from "./event-log.js";
import type { RetryPolicy } from "./retry-policy.js";
import type { TimeAccount } from "./time-account.js";
import type { Connection, ConnectionSource, Lease } from "../database/contract.js";
import type { FailureFacts, TransactionFacts } from "./facts.js";

/** One transaction as an actor describes it. */
export interface TransactionPlan<T> {
  readonly operation: Operation;
  readonly client: number;
  /** Monotonic milliseconds at which the schedule wanted it to start. */
  readonly intendedMs: number;
  /** The calls on the connection are booked to `times` already; what else the body waits for it books itself. */
  body(connection: Connection, times: PartTimes): Promise<T>;
  /** Events that the result stands for. */
  events(result: T): number;
  /** Whether a result without events is an empty poll, counted apart, rather than a transaction. */
  readonly isPoll: boolean;
  /**
   * After a commit in doubt, asked on a new connection before the body is tried again: the result when the
   * transaction did commit, undefined when it did not. Left out where a repetition does no harm.
   */
  settle?(connection: Connection): Promise<T | undefined>;
  /** Whether a commit in doubt that cannot be settled is the end: a repetition might do it twice. */
  readonly isOnce?: boolean;
  /** Told of each commit in doubt: what it did if it was committed, undefined where that is not known. */
  unanswered?(result: T | undefined): void;
}

interface Ended {
  /** Monotonic. */
  readonly finishedMs: number;
  /** Number of the endpoint of its last attempt. */
  readonly endpoint: number;
}

/** How a transaction ended. */
export type TransactionEnd<T> =
  | (Ended & { readonly kind: "committed" | "empty"; readonly result: T })
  | (Ended & { readonly kind: "failed"; readonly inDoubt: boolean });

export interface TransactorOptions {
  readonly source: ConnectionSource;
  readonly recorder: Recorder;
  readonly eventLog: EventLog;
  readonly retry: RetryPolicy;
  readonly slowTransactionMs: number;
  readonly sleeper: Sleeper;
  /** Whether transactions of that operation are arrivals of an open loop now. */
  readonly isArrival: (operation: Operation) => boolean;
  readonly time: TimeAccount;
  readonly partNames: PartNames;
  /** Of statements that name one table only, that table; none when left out. */
  readonly onlyTables?: ReadonlyMap<string, string>;
  /** Monotonic milliseconds, of the clock that times the connections' calls. */
  readonly nowMs: () => number;
}

/** What one transaction carries over its attempts. */
interface Progress {
  attempt: number;
  inDoubt: boolean;
  readonly times: PartTimes;
}

export class Transactor {
  /** By client: each runs one transaction at a time. */
  private readonly stopwatches: PartTimes[] = [];

  constructor(private readonly options: TransactorOptions) {}

  /** Resolves when the transaction ended one way or another; rejects only when the trial cannot go on. */
  async run<T>(plan: TransactionPlan<T>): Promise<TransactionEnd<T>> {
    const startMs = this.options.nowMs();
    this.options.time.bookWork(plan.client, startMs);
    const times = (this.stopwatches[plan.client] ??= new PartTimes(this.options.partNames, plan.client));
    times.start(startMs);
    const progress: Progress = { attempt: 1, inDoubt: false, times };
    for (;;) {
      try {
        const result = await this.attempt(plan, progress);
        return this.finish(plan, result, startMs, progress);
      } catch (error) {
        const failure = this.judge(plan, error, progress);
        const isOver = failure.kind === "final" || (failure.kind === "in-doubt" && plan.isOnce === true);
        const backoffMs = isOver
          ? undefined
          : this.options.retry.backoffMs(progress.attempt, startMs, this.options.nowMs());
        if (backoffMs === undefined) return this.giveUp(plan, error, failure, startMs, progress);
        await this.backOff(plan, backoffMs, this.causeOf(error, failure), startMs, progress);
        progress.attempt++;
      }
    }
  }

  private async attempt<T>(plan: TransactionPlan<T>, progress: Progress): Promise<T> {
    const { source, recorder, nowMs } = this.options;
    const { times } = progress;
    const askedMs = nowMs();
    let lease: Lease;
    try {
      const acquired = source.acquire(plan.client);
      lease = acquired instanceof Promise ? await acquired : acquired;
    } finally {
      times.book(POOL_WAIT, askedMs, nowMs());
    }
    let isSuspect = true;
    let isAcknowledged = false;
    lease.connection.observe(times);
    const { warnedCommits = 0 } = lease.connection;
    try {
      const settled = progress.inDoubt && plan.settle ? await plan.settle(lease.connection) : undefined;
      const result = settled ?? (await plan.body(lease.connection, times));
      isSuspect = false;
      isAcknowledged = true;
      if ((lease.connection.warnedCommits ?? 0) > warnedCommits)
        recorder.count(plan.operation, "warnedCommits", nowMs());
      return result;
    } catch (error) {
      isSuspect = !["retry", "final"].includes(classifyFailure(error).kind);
      throw error;
    } finally {
      lease.connection.observe(undefined);
      const endedMs = nowMs();
      const released = lease.release(isSuspect);
      if (released) {
        await released;
        // Of what was acknowledged, closing is no part: it ended with its answer.
        if (!isAcknowledged) times.book(RELEASE, endedMs, nowMs());
      }
    }
  }

  /** The failure's kind, once what earlier attempts left behind is taken into account. Rethrows what is fatal. */
  private judge<T>(plan: TransactionPlan<T>, error: unknown, progress: Progress): Failure {
    const failure = classifyFailure(error);
    if (failure.kind === "in-doubt") {
      progress.inDoubt = true;
      this.options.recorder.count(plan.operation, "unansweredCommits", this.options.nowMs());
      plan.unanswered?.(error instanceof InDoubtError ? (error.result as T | undefined) : undefined);
    }
    if (failure.kind !== "fatal") return failure;
    // The first commit was still under way when we looked: now its rows are there, so the next attempt settles it.
    if (progress.inDoubt && failure.sqlstate === "23505") return { ...failure, kind: "retry" };
    if (error instanceof TrialError) throw error;
    const place = error instanceof StatementError && error.place !== undefined ? `${error.place}: ` : "";
    throw new TrialError(
      `${place}${messageOf(error)} (SQLSTATE ${failure.sqlstate})`,
      remedyOf(error) ?? "The error is not retryable: the trial was stopped.",
      { cause: error },
    );
  }

  private finish<T>(
    plan: TransactionPlan<T>,
    result: T,
    startMs: number,
    progress: Progress,
  ): TransactionEnd<T> {
    const { source, recorder, slowTransactionMs, eventLog, time } = this.options;
    const { times } = progress;
    // The commit is acknowledged when its answer arrives, not when this thread has read it.
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
    // Without a schedule the intended start is the actual one, and the response time the service time.
    const intendedMs = scheduledMs ?? startMs;
    const responseMs = finishedMs - intendedMs;
    times.finish(finishedMs, startMs - intendedMs);
    recorder.transaction(plan.operation, {
      finishedMs,
      events,
      serviceMs,
      responseMs,
      poolWaitMs: times.msOf(POOL_WAIT),
      parts: times,
      endpoint,
      intendedMs: scheduledMs,
    });
    if (serviceMs > slowTransactionMs) {
      const facts = this.facts(plan, startMs, finishedMs, progress);
      eventLog.slow(facts, { events, responseMs, parts: times.named() });
    }
    return { kind: "committed", result, finishedMs, endpoint };
  }

  private giveUp<T>(
    plan: TransactionPlan<T>,
    error: unknown,
    failure: Failure,
    startMs: number,
    progress: Progress,
  ): TransactionEnd<T> {
    const finishedMs = this.options.nowMs();
    const serviceMs = finishedMs - startMs;
    const { sqlstate } = failure;
    const endpoint = this.options.source.endpointOf(plan.client);
    const sample = { finishedMs, serviceMs, sqlstate, endpoint, intendedMs: this.scheduledMs(plan) };
    this.options.time.book(plan.client, "service", startMs, finishedMs);
    this.options.recorder.failure(plan.operation, sample);
    this.options.eventLog.failure(
      this.facts(plan, startMs, finishedMs, progress),
      this.causeOf(error, failure),
    );
    return { kind: "failed", inDoubt: progress.inDoubt, finishedMs, endpoint };
  }

  private async backOff(
    plan: TransactionPlan<unknown>,
    backoffMs: number,
    cause: FailureFacts,
    startMs: number,
    progress: Progress,
  ): Promise<void> {
    const { source, recorder, eventLog, sleeper, nowMs } = this.options;
    const idleFromMs = nowMs();
    recorder.retry(plan.operation, cause.sqlstate, idleFromMs, source.endpointOf(plan.client));
    eventLog.retry(this.facts(plan, startMs, idleFromMs, progress), cause, backoffMs);
    await sleeper.sleep(backoffMs);
    progress.times.book(BACKOFF, idleFromMs, nowMs());
  }

  private causeOf(error: unknown, { sqlstate }: Failure): FailureFacts {
    const { onlyTables = new Map<string, string>() } = this.options;
    return { sqlstate, reason: messageOf(error), ...placeOf(error, onlyTables) };
  }

  /** The intended start of what a schedule asked for; undefined for the rest. */
  private scheduledMs({ operation, intendedMs }: TransactionPlan<unknown>): number | undefined {
    return this.options.isArrival(operation) ? intendedMs : undefined;
  }

  private facts(
    plan: TransactionPlan<unknown>,
    startMs: number,
    nowMs: number,
    progress: Progress,
  ): TransactionFacts {
    return {
      operation: plan.operation,
      client: plan.client,
      attempt: progress.attempt,
      serviceMs: nowMs - startMs,
      poolWaitMs: progress.times.msOf(POOL_WAIT),
      second: this.options.recorder.secondAt(nowMs),
    };
  }
}
