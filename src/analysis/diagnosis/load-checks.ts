// Checks of the load: its clients, their clocks, and what each operation did. The worst operation speaks for the trial.
import { isConflict } from "../../database/registry.js";
import { counted } from "../../foundation/units.js";
import { failuresOf, retriesPerTransaction } from "../../metrics/figures.js";
import { isCycleOperation } from "../../metrics/operations.js";
import type { GeneratorCeiling, OperationResult, TrialResult } from "../../results/result-schema.js";
import { observeAbove, generatorRemedy, ms, percent, warningAbove, type Check } from "./check.js";
import { otherCpu, checkSteal } from "./server-checks.js";

/**
 * Checks the delay of worker threads' timers: if they fire late, think times are longer than asked, and answers wait before
 * they are timed.
 */
export const eventLoopDelay: Check = ({ trial, bounds }) =>
  observeAbove(
    trial.client?.eventLoopDelayP99Ms,
    bounds.maxEventLoopDelayMs,
    (seen) =>
      `the event loop of a worker was ${ms(seen, bounds.maxEventLoopDelayMs)} late (p99; bound ${ms(bounds.maxEventLoopDelayMs)}): latencies include the generator's delay; ${generatorRemedy(trial)}`,
  );

/**
 * Checks how busy each worker thread is: the CPU time of the process hides a thread that is busy all the time among idle
 * threads.
 */
export const workerUtilization: Check = ({ trial, bounds }) =>
  observeAbove(
    trial.client?.workerUtilization,
    bounds.maxWorkerUtilization,
    (seen) =>
      `a worker thread was busy for ${percent(seen, bounds.maxWorkerUtilization)} of the window (bound ` +
      `${percent(bounds.maxWorkerUtilization)}); ${generatorRemedy(trial)}`,
  );

/**
 * Checks for steps of the clock. Durations stand, since they come from the monotonic clock; times that the database writes
 * do not. The default bound is above a slew of 500 ppm for 200 s, which NTP rarely needs.
 */
export const clockStep: Check = ({ trial, bounds: { maxClockStepMs: bound } }) => {
  const { client, serverClockStepMs = 0 } = trial;
  const [whose, stepMs] =
    serverClockStepMs > bound
      ? ["the server's clock", serverClockStepMs]
      : ["the wall clock", client?.clockStepMs];
  return observeAbove(
    stepMs,
    bound,
    (seen) =>
      `${whose} moved ${ms(seen, bound)} against the monotonic one (bound ${ms(bound)}): it was set ` +
      "during the trial, which changes the queue's order by time",
  );
};

/**
 * Checks the clocks of agents: beyond the bound, neither the second in which something ended nor the duration of an event
 * between two agents is sure.
 */
export const agentClock: Check = ({ trial, bounds }) => {
  const worstAgent = [...(trial.agents ?? [])].sort((a, b) => b.clock.errorMs - a.clock.errorMs)[0];
  return observeAbove(
    worstAgent?.clock.errorMs,
    bounds.maxAgentClockErrorMs,
    (seen) =>
      `the clock of agent ${worstAgent?.name ?? ""} was known within ${ms(seen, bounds.maxAgentClockErrorMs)} only (bound ` +
      `${ms(bounds.maxAgentClockErrorMs)}): its network is slow, or its machine busy`,
  );
};

/**
 * Checks for dropped arrivals, which found no free client in time: a latency measured without them describes a lighter
 * load.
 */
export const checkDropped: Check = ({ trial, bounds }) => {
  const scheduledOperations = Object.entries(trial.operations).flatMap(
    ([operation, { offered = 0, dropped: lost = 0 }]) =>
      offered > 0 ? [{ operation, ratio: lost / offered, lost, offered }] : [],
  );
  const [worst] = scheduledOperations.sort((a, b) => b.ratio - a.ratio);
  return observeAbove(
    worst?.ratio,
    bounds.maxDroppedRatio,
    (seen) =>
      `${worst?.lost ?? 0} of ${counted(worst?.offered ?? 0, "arrival")} of ${worst?.operation ?? ""} ${worst?.lost === 1 ? "was" : "were"} dropped ` +
      `(${percent(seen, bounds.maxDroppedRatio)}, bound ${percent(bounds.maxDroppedRatio)}): the rate was not reached; allow more clients or lower the rate`,
  );
};

const IN_FLIGHT_MIN_MS = 1_000;
/**
 * Factor by which a transaction in flight must exceed the slowest ended one: long transactions are likelier to be under
 * way, so a slightly longer one is chance.
 */
const IN_FLIGHT_FACTOR_MIN = 2;

/** Milliseconds of the slowest transaction that ended in the window, failed ones included. */
export function slowestMs({ responseTimeMs, failedTimeMs }: OperationResult): number {
  return Math.max(responseTimeMs?.max ?? 0, failedTimeMs?.max ?? 0);
}

/**
 * Checks for transactions in flight at the end of the window: they are in no histogram, so one that stood still makes the
 * tail look shorter.
 */
export const inFlightAtEnd: Check = ({ trial }) => {
  const all = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const slowest = slowestMs(result);
    const bound = Math.max(IN_FLIGHT_MIN_MS, IN_FLIGHT_FACTOR_MIN * slowest);
    return isCycleOperation(operation)
      ? []
      : [{ operation, slowest, bound, longest: result.outlastedMs ?? 0 }];
  });
  const [worst] = all.sort((a, b) => b.longest - b.bound - (a.longest - a.bound));
  if (!worst) return undefined;
  return observeAbove(
    worst.longest,
    worst.bound,
    (seen) =>
      `a transaction of ${worst.operation} in flight at the end of the window took ${ms(seen)}; ` +
      (worst.slowest > 0
        ? `the slowest measured took ${ms(worst.slowest)}: the tail is longer than measured; lengthen the window`
        : "none had ended in the window: look at the server's log, locks and disk at that time"),
  );
};

/**
 * Checks for an operation that stood still, which no percentile of ended operations shows: in a closed loop, waiting
 * clients offer nothing. Beyond its bound, the rate describes neither the time before the stall nor the stall.
 */
export const checkStall: Check = ({ trial, bounds }) => {
  const seconds = Math.floor(trial.windowSeconds + 0.001);
  const stall = trial.stall;
  if (!stall || seconds === 0) return undefined;
  const { operation, longestSeconds, fromSecond, usualPerSecond } = stall;
  const ratio = stall.seconds / seconds;
  const isStalledBeyondBound = ratio > bounds.maxStalledRatio;
  const result = trial.operations[operation];
  const longestMs = result ? Math.max(slowestMs(result), result.outlastedMs ?? 0) : 0;
  return (isStalledBeyondBound ? observeAbove : warningAbove)(
    ratio,
    isStalledBeyondBound ? bounds.maxStalledRatio : 0,
    () =>
      `${operation} stood still for ${stall.seconds} of ${seconds} s (${percent(ratio)}, bound ${percent(bounds.maxStalledRatio)}): ` +
      `for ${longestSeconds} s from second ${fromSecond} on no transaction ended; usually ${Math.round(usualPerSecond)} end each second. ` +
      `The longest took ${ms(longestMs)}. Percentiles hide this: look at the server's log, locks and disk at that time`,
  );
};

/** Largest share of an operation's transactions that may change no row. */
const WITHOUT_ROWS_SHARE_MAX = 0.1;

export const withoutRows: Check = ({ trial }) => {
  const ratios = Object.entries(trial.operations).flatMap(
    ([operation, { transactions, withoutRows: idle = 0 }]) =>
      transactions === 0 ? [] : [{ operation, idle, transactions, ratio: idle / transactions }],
  );
  const [worst] = ratios.sort((a, b) => b.ratio - a.ratio);
  return observeAbove(worst?.ratio, WITHOUT_ROWS_SHARE_MAX, (seen) => {
    const { operation = "", idle = 0, transactions = 0 } = worst ?? {};
    return (
      `${idle} of ${counted(transactions, "transaction")} of ${operation} returned and changed no row ` +
      `(${percent(seen, WITHOUT_ROWS_SHARE_MAX)}): its rate does not measure work. ` +
      "Check that its parameters meet rows, or new keys if it inserts. A poll of a queue has -- returning: or end above its claim"
    );
  });
};

const deviationFromOne = (ratio: number): number => Math.abs(1 - ratio);

/** Checks whose findings say that threads of clients did not run when they should have. */
const STARVATION_CHECKS = [eventLoopDelay, workerUtilization, checkSteal, otherCpu];

/**
 * Checks the accounts of time by Little's law: clients x window must equal the time that clients spent in service, waiting,
 * idle and preparing, over all clients and on each agent. If not, transactions may be missing or counted twice; if clients
 * waited for a CPU, the counts stand.
 */
export const checkClosure: Check = (examined) => {
  const { trial, bounds } = examined;
  const accounts = [
    { of: "clients", ratio: trial.client?.accountedRatio },
    ...(trial.agents ?? []).map(({ name, accountedRatio }) => {
      return { of: `agent ${name}'s clients`, ratio: accountedRatio };
    }),
  ];
  const [worst] = accounts
    .flatMap(({ of, ratio }) => (ratio === undefined ? [] : [{ of, ratio }]))
    .sort((a, b) => deviationFromOne(b.ratio) - deviationFromOne(a.ratio));
  if (!worst) return undefined;
  const areClientsStarved =
    worst.ratio < 1 && STARVATION_CHECKS.some((check) => check(examined) !== undefined);
  const observation = observeAbove(
    deviationFromOne(worst.ratio),
    bounds.maxUnaccountedRatio,
    (seen) =>
      `the time accounted for is ${percent(worst.ratio)} of ${worst.of} x window (off by ` +
      `${percent(seen, bounds.maxUnaccountedRatio)}, bound ${percent(bounds.maxUnaccountedRatio)}): train-sim lost track of transactions or waits`,
  );
  return observation && { ...observation, ...(areClientsStarved && { invalidates: ["timings"] }) };
};

const DEFAULT_FAILURE_RATIO_MAX = 0.01;

/**
 * Checks the share of failures: above the budget, the latencies of the other transactions describe a lighter load.
 * Conflicts that outlast their retries are a result of isolation and locking, and faults were asked for: both only warn,
 * unless the scenario states a bound.
 */
export const checkFailures: Check = ({ trial, bounds: { maxFailureRatio } }) => {
  const bound = maxFailureRatio ?? DEFAULT_FAILURE_RATIO_MAX;
  const hasFaults = (trial.faults?.length ?? 0) > 0;
  const isExpectedFailure = (sqlstate: string): boolean =>
    hasFaults || (maxFailureRatio === undefined && isConflict(sqlstate));
  const ratios = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const failureCount = failuresOf(result);
    const completedTransactions = result.transactions + failureCount;
    if (isCycleOperation(operation) || completedTransactions === 0) return [];
    const expectedFailures = Object.entries(result.failures).filter(([sqlstate]) =>
      isExpectedFailure(sqlstate),
    );
    const unexpectedFailures = expectedFailures.reduce((left, [, count]) => left - count, failureCount);
    const codes = expectedFailures.map(([sqlstate]) => sqlstate).join(", ");
    return [
      {
        operation,
        failed: failureCount,
        ended: completedTransactions,
        codes,
        ratio: failureCount / completedTransactions,
        invalidRatio: unexpectedFailures / completedTransactions,
      },
    ];
  });
  const [worst] = ratios.sort((a, b) => b.invalidRatio - a.invalidRatio || b.ratio - a.ratio);
  if (!worst) return undefined;
  const { operation, failed: failureCount, ended: completedTransactions, codes, ratio, invalidRatio } = worst;
  const words =
    `${failureCount} of ${counted(completedTransactions, "transaction")} of ${operation} failed ` +
    `(${percent(ratio, bound)}, bound ${percent(bound)})`;
  if (invalidRatio > bound) return observeAbove(ratio, bound, () => words);
  return warningAbove(ratio, bound, () => `${words}, with ${codes}: latencies are those of the others`);
};

/**
 * Number of transactions without empty polls, which would hide a retry storm of a role that finds nothing for most of the
 * window.
 */
function completedTransactions(result: OperationResult): number {
  return result.transactions + failuresOf(result);
}

export function hasEnded(result: OperationResult): boolean {
  return completedTransactions(result) > 0;
}

/** Suffix such as `, mostly 55P03`. */
function mainSqlstateText({ retriesBySqlstate }: OperationResult): string {
  const [most] = Object.entries(retriesBySqlstate).sort(([, a], [, b]) => b - a);
  return most ? `, mostly ${most[0]}` : "";
}

/** Suffix such as `; backoff was 40 % of their response time`, if that was measured. */
function backoffText({ parts = [], responseTimeMs }: OperationResult): string {
  const backoff = parts.find(({ name }) => name === "backoff");
  if (!backoff || !responseTimeMs || responseTimeMs.mean === 0) return "";
  return `; backoff was ${percent(backoff.meanMs / responseTimeMs.mean)} of the response time`;
}

/**
 * Checks for a retry storm, which is another load than the scenario's. It invalidates nothing: retries are a cost of the
 * locking or of the fault.
 */
export const checkRetries: Check = ({ trial, bounds }) => {
  const all = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const ratio = retriesPerTransaction(result);
    return isCycleOperation(operation) ? [] : [{ operation, result, ratio }];
  });
  const [worst] = all.sort((a, b) => b.ratio - a.ratio);
  if (!worst) return undefined;
  const { operation, result, ratio } = worst;
  return observeAbove(
    ratio,
    bounds.maxRetriesPerTransaction,
    (seen) =>
      `retry storm: ${result.retries} attempts of ${operation} failed and were tried again, for ${completedTransactions(result)} transactions that ended ` +
      `(${Number(seen.toPrecision(3))} each, bound ${bounds.maxRetriesPerTransaction}${mainSqlstateText(result)})${backoffText(result)}`,
  );
};

const CEILING_SHARE_MAX = 0.5;

/** Transactions a second of the trial, failed ones and empty polls included, as a share of the ceiling's. */
export function shareOfCeiling(
  trial: Pick<TrialResult, "operations" | "windowSeconds">,
  ceiling: GeneratorCeiling,
): number {
  const count = Object.entries(trial.operations).reduce((sum, [operation, result]) => {
    if (isCycleOperation(operation)) return sum;
    const failed = Object.values(result.failures).reduce((total, one) => total + one, 0);
    return sum + result.transactions + failed + result.emptyPolls;
  }, 0);
  return count / trial.windowSeconds / ceiling.transactionsPerSecond;
}

/**
 * Checks whether the load generator is near its ceiling, where it hides a difference between treatments. It invalidates
 * nothing. Half of the ceiling counts as near, since a transaction is several statements and cannot reach it.
 */
export const checkNearCeiling: Check = ({ trial, ceiling }) => {
  const isCeilingKnown = ceiling && ceiling.transactionsPerSecond > 0 && trial.windowSeconds > 0;
  return observeAbove(
    isCeilingKnown ? shareOfCeiling(trial, ceiling) : undefined,
    CEILING_SHARE_MAX,
    (seen) =>
      `the trial made ${percent(seen, 1)} of the transactions/s that the same clients reach with \`select 1\`${ceilingShareText(seen)}`,
  );
};

/** Text about a share of the ceiling. A trial cannot exceed a ceiling: a share above 1 says that the probe was slowed. */
function ceilingShareText(share: number): string {
  return isCeilingMeasured(share)
    ? ": the generator is near its ceiling"
    : ` in a short probe: ${UNKNOWN_CEILING_TEXT}`;
}

/** Text about a probe that was slower than a trial. */
export const UNKNOWN_CEILING_TEXT = "something slowed the probe, so the generator's ceiling is not known";

/** False if the trial made more transactions a second than the probe, which then measured no ceiling. */
export function isCeilingMeasured(share: number): boolean {
  return share <= 1;
}
