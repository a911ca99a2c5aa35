// Bounds that a busy machine and a shared server keep, so that timings of a test's run are valid and judged.

const BOUNDS = {
  ...{ maxOtherCpuRatio: 1, maxStealRatio: 1, maxOtherIoRatio: 1, maxForeignSessions: 1000 },
  ...{ maxForeignTransactionRatio: 1, maxEventLoopDelay: "60s", maxWorkerUtilization: 1, maxStalledRatio: 1 },
  maxClockStep: "60s",
};

/** Keys of `diagnosis` in a scenario. */
export const UNDISTURBED_KEYS = Object.entries(BOUNDS)
  .map(([name, bound]) => `${name}: ${bound}`)
  .join(", ");

/** Values of `--set`. */
export const UNDISTURBED = Object.entries(BOUNDS).map(([name, bound]) => `diagnosis.${name}=${bound}`);
