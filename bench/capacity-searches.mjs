// Runs the program's own search for capacity on simulated servers of known capacity, and counts the searches that find no
// rate, the intervals of the others that hold the truth, and the probes per search. Servers are noisy, disturb probes,
// carry noise over, suffer from an overload afterwards, or drift. The bench exits with 1 if more than 1 % of the searches
// with independent noise end below half the truth, or if intervals miss it in more searches than WRONG_MOST allows.
//
//   node bench/capacity-searches.mjs [--searches 500] [--confirmations 3] [--seed 1] [--only 1,2,...] [--json]
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readOptions } from "./options.mjs";

/** Largest share of all searches that may give a wrong interval, by kind of noise. */
const WRONG_MOST = { independent: 0.05, dependent: 0.1, slow: 1 };
/** @type {[name: string, kind: keyof typeof WRONG_MOST, cell: object][]} */
const CELLS = [
  ["no noise", "independent", { noise: 0 }],
  ["no noise, 5 % disturbed", "independent", { noise: 0, disturbedShare: 0.05 }],
  ["noise 3 %", "independent", { noise: 0.03 }],
  ["noise 3 %, 5 % disturbed", "independent", { noise: 0.03, disturbedShare: 0.05 }],
  ["noise 3 %, 10 % disturbed", "independent", { noise: 0.03, disturbedShare: 0.1 }],
  ["noise 3 %, 10 % stall", "independent", { noise: 0.03, disturbedShare: 0.1, luckShare: 0 }],
  ["noise 10 %", "independent", { noise: 0.1 }],
  ["noise 10 %, 10 % disturbed", "independent", { noise: 0.1, disturbedShare: 0.1 }],
  ["carried over 0.6, 5 %", "dependent", { noise: 0.05, kept: 0.6 }],
  ["carried over 0.6, 10 %", "dependent", { noise: 0.1, kept: 0.6 }],
  ["carried over 0.9, 5 %", "slow", { noise: 0.05, kept: 0.9 }],
  ["overload takes 10 %, 1 probe", "dependent", { noise: 0.03, afterEffect: { share: 0.1, left: 0 } }],
  ["overload takes 30 %, 1 probe", "dependent", { noise: 0.03, afterEffect: { share: 0.3, left: 0 } }],
  ["overload takes 30 %, half left", "dependent", { noise: 0.03, afterEffect: { share: 0.3, left: 0.5 } }],
  ["overload takes 50 %, half left", "dependent", { noise: 0.03, afterEffect: { share: 0.5, left: 0.5 } }],
  ["overload takes 10 %, 80 % left", "slow", { noise: 0.03, afterEffect: { share: 0.1, left: 0.8 } }],
  ["drift -1 %, no noise", "dependent", { noise: 0, drift: -0.01 }],
  ["drift -1 %, noise 3 %", "dependent", { noise: 0.03, drift: -0.01 }],
  ["drift -1 %, noise 10 %", "dependent", { noise: 0.1, drift: -0.01 }],
  ["drift +1 %, noise 3 %", "dependent", { noise: 0.03, drift: 0.01 }],
  ["drift -0.5 %, noise 3 %", "dependent", { noise: 0.03, drift: -0.005 }],
];

/** The simulator, bundled here because the build leaves test support out. */
async function simulator() {
  const entry = fileURLToPath(new URL("../test/support/simulated-searches.ts", import.meta.url));
  const bundled = await build({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const code = Buffer.from(bundled.outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;

const { json, seed, only, ...options } = readOptions({ searches: 500, confirmations: 3, seed: 1 }, [], {
  only: CELLS.map((_, i) => String(i + 1)),
});
const { simulateSearches } = await simulator();
const rows = [];
for (const [name, kind, cell] of CELLS.filter((_, i) => only.includes(String(i + 1)))) {
  const row = { name, kind, ...simulateSearches(seed, { ...options, ...cell }) };
  rows.push(row);
  if (!json)
    console.log(
      `${name}: no rate ${percent(row.refused)}, in the interval ${percent(row.covered)}, wrong ${percent(row.wrong)}, ` +
        `below half ${percent(row.belowHalf)}, ratio ${row.ratio.toFixed(2)}, resolution ${percent(row.resolution)}, ` +
        `probes ${row.probes} (most ${row.probesMost})`,
    );
}
if (json) console.log(JSON.stringify(rows));
const isMissed = ({ kind, wrong, belowHalf }) =>
  wrong > WRONG_MOST[kind] || (kind === "independent" && belowHalf > 0.01);
if (rows.some(isMissed)) process.exitCode = 1;
