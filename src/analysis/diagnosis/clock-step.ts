// Whether the wall clock was set during the window. Durations come from the monotonic clock and stand; but what the
// database dates itself (updated_at, the order of the queue) does not.
// A clock that is slewed at the usual 500 ppm stays below the default bound for 200 s; NTP rarely slews that much.
import { above, ms, type Check } from "./check.js";

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
