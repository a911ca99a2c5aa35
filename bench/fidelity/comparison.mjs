// Compares times of train-sim with pgbench's: the ratio of all rounds' samples together, and the ratio of each round.
import { chance, estimate, poolSamples } from "./samples.mjs";

/** Largest difference from 1 that a ratio may have, as a share, by metric. */
export const BOUNDS = { mean: 0.05, p50: 0.05, p95: 0.05, p99: 0.1 };

/** Compares the samples of both programs. `ours` and `theirs` have one set of samples for each round. */
export function compareSamples(ours, theirs, metric) {
  const [trainSim, pgbench] = [ours, theirs].map((rounds) => estimate(poolSamples(rounds), metric));
  const ratios = ours.map(
    (samples, round) => estimate(samples, metric).value / estimate(theirs[round], metric).value,
  );
  return {
    ...{
      trainSimMs: trainSim.value,
      pgbenchMs: pgbench.value,
      ratio: trainSim.value / pgbench.value,
      ratios,
    },
    chance: chance(trainSim, pgbench),
  };
}
