// Little's law as book-keeping: clients x window must be the time that clients spent in service, waiting, idle and
// preparing. Where it is not, transactions were lost from the books or clients stood still, and every rate is wrong.
// Both directions count: time that was booked twice is as wrong as time that was not booked.
import { above, percent, type Check } from "./check.js";

export const closure: Check = ({ trial, bounds }) => {
  const ratio = trial.client?.accountedRatio;
  return above(
    "closure",
    "taint",
    ratio === undefined ? undefined : Math.abs(1 - ratio),
    bounds.maxUnaccountedRatio,
    (seen) =>
      `the time accounted for is ${percent(ratio ?? 0)} of clients x window (off by ${percent(seen, bounds.maxUnaccountedRatio)}, bound ` +
      `${percent(bounds.maxUnaccountedRatio)}): transactions or waits are unaccounted for`,
  );
};
