// Whether a worker thread was busy all the time: then the generator is what was measured, not the database.
// It looks at each thread, because one saturated thread hides among idle ones in the CPU time of the process.
import { above, generatorRemedy, percent, type Check } from "./check.js";

export const workerUtilization: Check = ({ trial, bounds }) =>
  above(
    trial.client?.workerUtilization,
    bounds.maxWorkerUtilization,
    (seen) =>
      `a worker thread was busy for ${percent(seen, bounds.maxWorkerUtilization)} of the window (bound ` +
      `${percent(bounds.maxWorkerUtilization)}); ${generatorRemedy(trial)}`,
  );
