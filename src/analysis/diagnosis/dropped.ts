// Whether an open loop offered the rate it was asked for: arrivals that found no free client in time were not offered,
// and a latency measured without them is that of a lighter load.
// The worst operation speaks for the trial.
import { counted } from "../../foundation/units.js";
import { above, percent, type Check } from "./check.js";

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
