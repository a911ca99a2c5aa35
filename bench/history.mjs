// How often a history of runs shows a change that is not there, and how soon it shows one that is: the program's own search
// in simulated runs. A run has 12 metrics (3 treatments of which 4 metrics each move together); `scatter` is the standard
// deviation between runs. Exits with 1 where false changes miss their 5 % by more than chance. Run `npm run build` first.
//
//   node bench/history.mjs [--experiments 200] [--json]
import { Prng } from "#program/foundation/prng.js";
import { changePoints } from "#program/analysis/history/change-points.js";
import { readOptions } from "./options.mjs";
import { normal } from "./noises.mjs";

const { experiments, json } = readOptions({ experiments: 200 });
const [TREATMENTS, METRICS] = [3, 4];

/**
 * @param {Prng} prng
 * @param {{ runs: number, kept?: number, wild?: number, changed?: number, size?: number }} history
 */
function simulated(prng, { runs, kept = 0, wild = 0, changed = 0, size = 0 }) {
  const fresh = Math.sqrt(1 - kept * kept);
  return Array.from({ length: TREATMENTS }, (_, treatment) => {
    const own = Array.from({ length: METRICS }, () => /** @type {number[]} */ ([]));
    let shared = normal(prng);
    for (let run = 0; run < runs; run++) {
      shared = kept * shared + fresh * normal(prng);
      const outlier = prng.float() < wild ? 8 * prng.float() : 0;
      const shift = treatment === 0 && run >= runs - changed ? size : 0;
      for (const values of own) values.push(shift + outlier + 0.8 * shared + 0.6 * normal(prng));
    }
    return own;
  }).flat();
}

/** @type {(label: string, history: Parameters<typeof simulated>[1]) => { label: string, shown: number, atItsRun: number }} */
function row(label, history) {
  const { runs, changed = 0 } = history;
  let [shown, atItsRun] = [0, 0];
  for (let i = 0; i < experiments; i++) {
    const prng = new Prng(1000 + i);
    const found = changePoints(simulated(prng, history), prng);
    if (found.length > 0) shown++;
    if (found.some(({ at }) => Math.abs(at - (runs - changed)) <= 1)) atItsRun++;
  }
  return { label, shown: shown / experiments, atItsRun: atItsRun / experiments };
}

const nothing = [10, 20, 40].flatMap((runs) => [
  row(`${runs} runs, no change`, { runs }),
  row(`${runs} runs, no change, 5 % wild`, { runs, wild: 0.05 }),
]);
const alike = row("20 runs, no change, neighbours correlated 0.3", { runs: 20, kept: 0.3 });
const changes = [2, 3, 5, 10].flatMap((changed) =>
  [2, 3, 5].map((size) =>
    row(`20 runs, the newest ${changed} shifted by ${size} x scatter`, { runs: 20, changed, size }),
  ),
);
const bound = 0.05 + 2.6 * Math.sqrt((0.05 * 0.95) / experiments);
const isMissed = nothing.some(({ shown }) => shown > bound);
if (json) console.log(JSON.stringify({ experiments, nothing, alike, changes, isMissed }, null, 2));
else
  for (const { label, shown, atItsRun } of [...nothing, alike, ...changes])
    console.log(
      `${label.padEnd(52)} ${(shown * 100).toFixed(1).padStart(5)} % show a change, ${(atItsRun * 100).toFixed(1).padStart(5)} % at its run or next to it`,
    );
process.exitCode = isMissed ? 1 : 0;
