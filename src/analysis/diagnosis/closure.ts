// Little's law as book-keeping: clients x window must be the time that clients spent in service, waiting, idle and
// preparing, of all clients and of each agent's. Where it is not, transactions were lost from the books or clients stood
// still, and every rate is wrong. Both directions count: time that was booked twice is as wrong as time that was not booked.
import { above, percent, type Check } from "./check.js";

const offBy = (ratio: number): number => Math.abs(1 - ratio);

export const closure: Check = ({ trial, bounds }) => {
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
  return above(
    offBy(worst.ratio),
    bounds.maxUnaccountedRatio,
    (seen) =>
      `the time accounted for is ${percent(worst.ratio)} of ${worst.of} x window (off by ` +
      `${percent(seen, bounds.maxUnaccountedRatio)}, bound ${percent(bounds.maxUnaccountedRatio)}): transactions or ` +
      "waits are unaccounted for",
  );
};
