// Little's law as book-keeping: clients x window must be the time that clients spent in service, waiting, idle and
// preparing, of all clients and of each agent's. If it is not, every rate is wrong, and transactions may be missing from the
// books or be there twice. Time that is missing while clients waited for a CPU leaves the counts alone.
import { above, percent, type Check } from "./check.js";
import { eventLoopDelay, workerUtilization } from "./load-checks.js";
import { otherCpu, steal } from "./machine.js";

const offBy = (ratio: number): number => Math.abs(1 - ratio);

/** Checks that say that the threads of clients did not run when they should have. */
const STARVATION = [eventLoopDelay, workerUtilization, steal, otherCpu];

export const closure: Check = (examined) => {
  const { trial, bounds } = examined;
  const accounts = [
    { of: "clients", ratio: trial.client?.accountedRatio },
    ...(trial.agents ?? []).map(({ name, accountedRatio }) => {
      return { of: `agent ${name}'s clients`, ratio: accountedRatio };
    }),
  ];
  const [worst] = accounts
    .flatMap(({ of, ratio }) => (ratio === undefined ? [] : [{ of, ratio }]))
    .sort((a, b) => offBy(b.ratio) - offBy(a.ratio));
  if (!worst) return undefined;
  const isStarved = worst.ratio < 1 && STARVATION.some((check) => check(examined) !== undefined);
  const observation = above(
    offBy(worst.ratio),
    bounds.maxUnaccountedRatio,
    (seen) =>
      `the time accounted for is ${percent(worst.ratio)} of ${worst.of} x window (off by ` +
      `${percent(seen, bounds.maxUnaccountedRatio)}, bound ${percent(bounds.maxUnaccountedRatio)}): transactions or ` +
      "waits are unaccounted for",
  );
  return observation && { ...observation, ...(isStarved && { invalidates: ["timings"] }) };
};
