// Bounds that a busy machine and a shared server keep, so that timings of a test's run are valid and judged.

const BOUNDS = {
  ...{ maxOtherCpuRatio: 1, maxStealRatio: 1, maxOtherIoRatio: 1, maxForeignSessions: 1000 },
  ...{ maxForeignTransactionRatio: 1, maxEventLoopDelay: "60s", maxWorkerUtilization: 1, maxStalledRatio: 1 },
  maxClockStep: "60s",
};

/** Lines of `diagnosis` for a scenario, with bounds that a busy machine does not exceed. */
export const UNDISTURBED_KEYS = Object.entries(BOUNDS)
  .map(([name, bound]) => `${name}: ${bound}`)
  .join(", ");

/** The same bounds as values of `--set`. */
export const UNDISTURBED = Object.entries(BOUNDS).map(([name, bound]) => `diagnosis.${name}=${bound}`);
