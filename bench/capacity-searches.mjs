// Searches for capacity on simulated servers whose capacity is known, with the program's own search: how often one ends
// below half the truth or above it by 10 %, how often its interval holds the truth, and how many probes it takes, with
// a share of spoilt probes and a noisy knee. Exits with 1 when more than 1 % end below half the truth.
//
//   node bench/capacity-searches.mjs [--searches 2000] [--confirmations 3] [--seed 1] [--json]
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readOptions } from "./options.mjs";

const BELOW_HALF_MOST = 0.01;
/** Of all probes, and those of them that hold by luck: the others stall. */
const SPOILT = [
  [0, 0],
  [0.05, 0.5],
  [0.1, 0.5],
  [0.1, 0],
];
const NOISES = [0, 0.03, 0.1];

/** Bundled here: what is for tests is not part of the build. */
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

const { json, seed, ...options } = readOptions({ searches: 2000, confirmations: 3, seed: 1 });
const { simulateSearches } = await simulator();
const cases = NOISES.flatMap((noise) =>
  SPOILT.map(([spoiltShare, luckShare]) => ({ noise, spoiltShare, luckShare })),
);
const rows = [];
for (const each of cases) rows.push({ ...each, ...(await simulateSearches(seed, { ...options, ...each })) });
if (json) console.log(JSON.stringify(rows));
else
  for (const row of rows)
    console.log(
      `knee ${percent(row.noise)}, spoilt ${percent(row.spoiltShare)} (${percent(row.luckShare)} of them by luck): below half ${percent(row.belowHalf)}, ` +
        `10 % below ${percent(row.below)}, 10 % above ${percent(row.above)}, in the interval ${percent(row.covered)}, ` +
        `resolution ${percent(row.resolution)}, ` +
        `probes ${row.probes} (most ${row.probesMost})`,
    );
if (rows.some(({ belowHalf }) => belowHalf > BELOW_HALF_MOST)) process.exitCode = 1;
