// Checks of the load: its clients, their clocks, and what each operation did. The worst operation speaks for the trial.
import { counted } from "../../foundation/units.js";
import { isRound } from "../../metrics/operations.js";
import type { OperationResult } from "../../results/result-schema.js";
import { above, generatorRemedy, ms, percent, warningAbove, type Check } from "./check.js";

/** If timers of a worker thread fire late, think times are longer than asked, and answers wait before they are timed. */
export const eventLoopDelay: Check = ({ trial, bounds }) =>
  above(
    trial.client?.eventLoopDelayP99Ms,
    bounds.maxEventLoopDelayMs,
    (seen) =>
      `the event loop of a worker was ${ms(seen, bounds.maxEventLoopDelayMs)} late (p99; bound ${ms(bounds.maxEventLoopDelayMs)}): latencies ` +
      `include the generator's own; ${generatorRemedy(trial)}`,
  );

/** Looks at each thread: one that is busy all the time hides among idle ones in the CPU time of the process. */
export const workerUtilization: Check = ({ trial, bounds }) =>
  above(
    trial.client?.workerUtilization,
    bounds.maxWorkerUtilization,
    (seen) =>
      `a worker thread was busy for ${percent(seen, bounds.maxWorkerUtilization)} of the window (bound ` +
      `${percent(bounds.maxWorkerUtilization)}); ${generatorRemedy(trial)}`,
  );

/**
 * Durations come from the monotonic clock and stand; what the database dates itself does not. The default bound
 * is above a slew of 500 ppm for 200 s, which NTP rarely needs.
 */
export const clockStep: Check = ({ trial, bounds: { maxClockStepMs: bound } }) => {
  const { client, serverClockStepMs = 0 } = trial;
  const [whose, stepMs] =
    serverClockStepMs > bound
      ? ["the server's clock", serverClockStepMs]
      : ["the wall clock", client?.clockStepMs];
  return above(
    stepMs,
    bound,
    (seen) =>
      `${whose} moved ${ms(seen, bound)} against the monotonic one (bound ${ms(bound)}): it was set ` +
      "during the trial, which changes the queue's order by time",
  );
};

/** Beyond the bound, the second in which something ended is not sure, nor how long an event took between two agents. */
export const agentClock: Check = ({ trial, bounds }) => {
  const worst = [...(trial.agents ?? [])].sort((a, b) => b.clock.errorMs - a.clock.errorMs)[0];
  return above(
    worst?.clock.errorMs,
    bounds.maxAgentClockErrorMs,
    (seen) =>
      `the clock of agent ${worst?.name ?? ""} was known within ${ms(seen, bounds.maxAgentClockErrorMs)} only (bound ` +
      `${ms(bounds.maxAgentClockErrorMs)}): its network is slow, or its machine busy`,
  );
};

/** Arrivals that found no free client in time were not offered: a latency measured without them is that of a lighter load. */
export const dropped: Check = ({ trial, bounds }) => {
  const scheduled = Object.entries(trial.operations).flatMap(
    ([operation, { offered = 0, dropped: lost = 0 }]) =>
      offered > 0 ? [{ operation, ratio: lost / offered, lost, offered }] : [],
  );
  const [worst] = scheduled.sort((a, b) => b.ratio - a.ratio);
  return above(
    worst?.ratio,
    bounds.maxDroppedRatio,
    (seen) =>
      `${worst?.lost ?? 0} of ${counted(worst?.offered ?? 0, "arrival")} of ${worst?.operation ?? ""} ${worst?.lost === 1 ? "was" : "were"} dropped ` +
      `(${percent(seen, bounds.maxDroppedRatio)}, bound ${percent(bounds.maxDroppedRatio)}): the rate was not reached; allow more clients or lower the rate`,
  );
};

const LEAST_MS = 1_000;
/** Long ones are more likely to be under way at any moment than short ones: a little longer than any is chance. */
const TIMES_THE_SLOWEST = 2;

/** The slowest transaction that ended in the window, failed ones included. */
export function slowestMs({ responseTimeMs, failedTimeMs }: OperationResult): number {
  return Math.max(responseTimeMs?.max ?? 0, failedTimeMs?.max ?? 0);
}

/**
 * A transaction in flight at the end of the window is in no histogram, so one that stood still makes the tail look
 * shorter. It invalidates nothing: each measured time is true.
 */
export const outlasted: Check = ({ trial }) => {
  const all = Object.entries(trial.operations).flatMap(([operation, result]) => {
    const slowest = slowestMs(result);
    const bound = Math.max(LEAST_MS, TIMES_THE_SLOWEST * slowest);
    return isRound(operation) ? [] : [{ operation, slowest, bound, longest: result.outlastedMs ?? 0 }];
  });
  const [worst] = all.sort((a, b) => b.longest - b.bound - (a.longest - a.bound));
  if (!worst) return undefined;
  return above(
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
 * No percentile of ended operations shows that an operation stood still: in a closed loop, waiting clients offer nothing.
 * Beyond its bound the rate describes neither the time before nor the stall.
 */
export const stall: Check = ({ trial, bounds }) => {
  const seconds = Math.floor(trial.windowSeconds + 0.001);
  const found = trial.stall;
  if (!found || seconds === 0) return undefined;
  const { operation, longestSeconds, fromSecond, usualPerSecond } = found;
  const ratio = found.seconds / seconds;
  const isBeyond = ratio > bounds.maxStalledRatio;
  const result = trial.operations[operation];
  const longestMs = result ? Math.max(slowestMs(result), result.outlastedMs ?? 0) : 0;
  return (isBeyond ? above : warningAbove)(
    ratio,
    isBeyond ? bounds.maxStalledRatio : 0,
    () =>
      `${operation} stood still for ${found.seconds} of ${seconds} s (${percent(ratio)}, bound ${percent(bounds.maxStalledRatio)}): ` +
      `for ${longestSeconds} s from second ${fromSecond} on no transaction ended, where usually ${Math.round(usualPerSecond)} a second do. ` +
      `The longest took ${ms(longestMs)}. Percentiles hide this: look at the server's log, locks and disk at that time`,
  );
};

/** Share of an operation's transactions. */
const IDLE_SHARE_MAX = 0.1;

/** Warns of a rate made of transactions that returned and changed no row, such as claims on an empty queue. */
export const withoutRows: Check = ({ trial }) => {
  const ratios = Object.entries(trial.operations).flatMap(
    ([operation, { transactions, withoutRows: idle = 0 }]) =>
      transactions === 0 ? [] : [{ operation, idle, transactions, ratio: idle / transactions }],
  );
  const [worst] = ratios.sort((a, b) => b.ratio - a.ratio);
  return above(worst?.ratio, IDLE_SHARE_MAX, (seen) => {
    const { operation = "", idle = 0, transactions = 0 } = worst ?? {};
    return (
      `${idle} of ${counted(transactions, "transaction")} of ${operation} returned and changed no row ` +
      `(${percent(seen, IDLE_SHARE_MAX)}): its rate is not a rate of work. ` +
      "If they are empty polls, write -- returning: or end above the claim"
    );
  });
};
