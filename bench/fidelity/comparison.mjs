// Times of train-sim beside pgbench's: the ratio of all rounds' samples together, and of each round.
import { chance, estimate, pooled } from "./samples.mjs";

/** How far a ratio may be from 1. */
export const BOUNDS = { mean: 0.05, p50: 0.05, p95: 0.05, p99: 0.1 };

/** `ours` and `theirs` are a round's samples each. */
export function compareSamples(ours, theirs, metric) {
  const [trainSim, pgbench] = [ours, theirs].map((rounds) => estimate(pooled(rounds), metric));
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
