// Compares intervals for the ratio of a duet, in which two treatments are measured at the same time on twin servers and
// sides swap from pair to pair. The simulation has noise of the machine that both sides share and that lasts from second to
// second, a constant difference between the sides, an effect of each trial, and noise of each second. No treatment differs,
// so every interval that leaves out 0 is a false claim. The bench exits with 1 if the interval by sides makes more than 5 %
// and chance allow. Run `npm run build` first.
//
//   node bench/duet-intervals.mjs [--experiments 4000] [--seconds 30] [--json]
import { mean, quantile } from "#program/analysis/statistics/quantiles.js";
import { studentQuantile } from "#program/analysis/statistics/statistics.js";
import { deriveSeed, Prng } from "#program/foundation/prng.js";
import { readOptions } from "./options.mjs";

const LEVEL = 0.95;
const RESAMPLES = 200;
const RUN_SECONDS = 5;
/** Only every tenth experiment computes bootstraps, which take most of the time. */
const BOOTSTRAP_EVERY = 10;
/**
 * Noise by case, as standard deviations of logarithms: the machine's (with `lasting` correlation), a trial's, a second's,
 * and between the sides of a pair.
 */
const CASES = {
  "quiet machine": { machine: 0.02, lasting: 0.9, trial: 0.005, second: 0.02, side: 0.01 },
  "shared machine": { machine: 0.15, lasting: 0.95, trial: 0.005, second: 0.02, side: 0.01 },
  "unlike trials": { machine: 0.15, lasting: 0.95, trial: 0.03, second: 0.02, side: 0.01 },
  "unlike sides": { machine: 0.05, lasting: 0.9, trial: 0.005, second: 0.02, side: 0.1 },
};

const gaussian = (prng) => Math.sqrt(-2 * Math.log(1 - prng.float())) * Math.cos(2 * Math.PI * prng.float());
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);
const squaresOf = (values) => sumOf(values.map((value) => (value - mean(values)) ** 2));

/** Noise of the machine in each second. It is correlated in time, and its standard deviation is the same at every second. */
function machineNoise(seconds, { machine, lasting }, prng) {
  let now = gaussian(prng);
  return Array.from({ length: seconds }, () => {
    now = lasting * now + Math.sqrt(1 - lasting ** 2) * gaussian(prng);
    return machine * now;
  });
}

/**
 * Simulates an experiment: for duets the log ratios of each pair's seconds, for interleaved trials one log ratio for each
 * block.
 */
function simulate(blocks, seconds, noise, prng) {
  const first = prng.float() < 0.5 ? 1 : -1;
  const machine = machineNoise(blocks * seconds * 2, noise, prng);
  const pairs = [];
  const inTurn = [];
  for (let block = 0; block < blocks; block++) {
    const side = block % 2 === 0 ? first : -first;
    const trials = noise.trial * Math.SQRT2 * gaussian(prng);
    const own = Array.from({ length: seconds }, () => trials + noise.second * Math.SQRT2 * gaussian(prng));
    pairs.push({ side, seconds: own.map((ratio) => ratio + side * noise.side) });
    const from = block * seconds * 2;
    const [a, b] = [0, seconds].map((later) => mean(machine.slice(from + later, from + later + seconds)));
    inTurn.push(mean(own) + side * (a - b));
  }
  return { pairs, inTurn };
}

function student(centre, error, degrees) {
  const half = studentQuantile(1 - LEVEL, degrees) * error;
  return [centre - half, centre + half];
}

function ofBlocks(values) {
  const { length } = values;
  return student(mean(values), Math.sqrt(squaresOf(values) / (length - 1) / length), length - 1);
}

/**
 * Mean and spread of pairs by the side of the treatments, and the mean of both sides' means, in which a difference of the
 * sides cancels out.
 */
function bySides(pairs) {
  const sides = [1, -1].map((side) =>
    pairs.filter((pair) => pair.side === side).map((pair) => mean(pair.seconds)),
  );
  const degrees = pairs.length - 2;
  const variance = sumOf(sides.map(squaresOf)) / degrees;
  const error = Math.sqrt((variance * sumOf(sides.map(({ length }) => 1 / length))) / 4);
  return student(mean(sides.map((values) => mean(values))), error, degrees);
}

const drawSample = (values, prng) => values.map(() => values[prng.intBetween(0, values.length - 1)]);

/** Mean of a sample of seconds. It is drawn in runs of successive seconds, so that noise that lasts stays together. */
function drawnMean(seconds, prng) {
  const runs = Array.from({ length: Math.ceil(seconds.length / RUN_SECONDS) }, () => {
    const from = prng.intBetween(0, seconds.length - RUN_SECONDS);
    return mean(seconds.slice(from, from + RUN_SECONDS));
  });
  return mean(runs);
}

/** Bootstrap of the mean: seconds are drawn within pairs and, with `between`, the pairs of each side are drawn first. */
function bootstrap(pairs, between, prng) {
  const sides = [1, -1].map((side) => pairs.filter((pair) => pair.side === side));
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(
      sides.map((side) =>
        mean((between ? drawSample(side, prng) : side).map((pair) => drawnMean(pair.seconds, prng))),
      ),
    ),
  );
  return [quantile(means, (1 - LEVEL) / 2), quantile(means, (1 + LEVEL) / 2)];
}

const { experiments, seconds, json } = readOptions({ experiments: 4000, seconds: 30 });
const rows = [];
for (const [name, noise] of Object.entries(CASES)) {
  for (const blocks of [4, 5, 6, 10]) {
    const found = {};
    for (let experiment = 0; experiment < experiments; experiment++) {
      const prng = new Prng(deriveSeed(1, "duet", name, blocks, experiment));
      const { pairs, inTurn } = simulate(blocks, seconds, noise, prng);
      const intervals = {
        "in turn": ofBlocks(inTurn),
        pairs: ofBlocks(pairs.map((pair) => mean(pair.seconds))),
        "by sides": bySides(pairs),
        ...(experiment % BOOTSTRAP_EVERY === 0 && {
          seconds: bootstrap(pairs, false, prng),
          "both drawn": bootstrap(pairs, true, prng),
        }),
      };
      for (const [method, [low, high]] of Object.entries(intervals)) {
        const seen = (found[method] ??= { experiments: 0, false: 0, width: 0 });
        if (low > 0 || high < 0) seen.false++;
        seen.experiments++;
        seen.width += high - low;
      }
    }
    for (const [method, seen] of Object.entries(found))
      rows.push({
        case: name,
        blocks,
        method,
        falseShare: seen.false / seen.experiments,
        width: seen.width / seen.experiments,
      });
  }
}
if (json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else
  for (const { case: name, blocks, method, falseShare, width } of rows)
    console.log(
      `${name.padEnd(15)} ${String(blocks).padStart(2)} blocks  ${method.padEnd(10)} ` +
        `${(100 * falseShare).toFixed(1).padStart(5)} % false  width ${(100 * width).toFixed(2).padStart(6)} %`,
    );
const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / experiments);
process.exitCode = rows.some((row) => row.method === "by sides" && row.falseShare > most) ? 1 : 0;
