// The event loop of the slowest worker thread: where its timers fire late, think times are longer than asked and
// answers wait before they are timed.
// The bound is on the 99th percentile over the window.
import { above, generatorRemedy, ms, type Check } from "./check.js";

export const eventLoopDelay: Check = ({ trial, bounds }) =>
  above(
    trial.client?.eventLoopDelayP99Ms,
    bounds.maxEventLoopDelayMs,
    (seen) =>
      `the event loop of a worker was ${ms(seen, bounds.maxEventLoopDelayMs)} late (p99; bound ${ms(bounds.maxEventLoopDelayMs)}): latencies ` +
      `include the generator's own; ${generatorRemedy(trial)}`,
  );
