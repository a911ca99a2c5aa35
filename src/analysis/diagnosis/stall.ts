// Whether an operation stood still for whole seconds of the window, which no percentile of what ended shows: in a closed
// loop the clients that wait offer nothing meanwhile. It is a warning, for what was measured is true; beyond its bound the
// rate describes neither the time before nor the stall.
import { above, ms, percent, warningAbove, type Check } from "./check.js";
import { slowestMs } from "./outlasted.js";

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
