// Whether the wall clock was set during the window. Durations come from the monotonic clock and stand; but what the
// database dates itself (updated_at, the order of the queue) does not.
// A clock that is slewed at the usual 500 ppm stays below the default bound for 200 s; NTP rarely slews that much.
import { above, ms, type Check } from "./check.js";

export const clockStep: Check = ({ trial, bounds }) =>
  above(
    trial.client?.clockStepMs,
    bounds.maxClockStepMs,
    (seen) =>
      `the wall clock moved ${ms(seen, bounds.maxClockStepMs)} against the monotonic one (bound ${ms(bounds.maxClockStepMs)}): it was set ` +
      "during the window, which changes the queue's order by time",
  );
