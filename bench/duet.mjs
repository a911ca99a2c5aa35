// Measures the time that duet trials save on this machine: the same two treatments run as a duet and in interleaved blocks,
// for about the same time. First both treatments are the very same (A/A), then one does more work in each transaction. The
// bench prints the ratio, the spread of the ratio over blocks, and the time that finding a difference of 3 % in 4 of 5
// experiments would take with that spread. With --disturb a neighbour that comes and goes at random takes up to half of the
// machine. Run `npm run build` first.
//
//   node bench/duet.mjs [--blocks 20] [--seconds 3] [--rows 2100] [--disturb] [--json]
//
// The option --blocks counts blocks of the duet; interleaved blocks take twice as long, so they are half as many. The option
// --rows plants the difference: the second treatment works on that number of rows, the first on 2000.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deviationOf, effectFound } from "#program/analysis/statistics/trials-to-decide.js";
import { logarithmSeries, ratioSeries } from "#program/analysis/steady-state/series.js";
import { readOptions } from "./options.mjs";

const { blocks, seconds, rows, disturb, json } = readOptions({ blocks: 20, seconds: 3, rows: 2100 }, [
  "disturb",
]);
const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const SOUGHT = Math.log(1.03);
const BLOCKS_MOST = 10_000;
const directory = mkdtempSync(join(tmpdir(), "train-sim-duet-"));
cpSync(fileURLToPath(new URL("duet.sql", import.meta.url)), join(directory, "duet.sql"));

/** Code of a process that disturbs the machine: it is busy and idle in turn, for random times, and ends with its parent. */
const NEIGHBOUR = `
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const parent = process.ppid;
while (process.ppid === parent) {
  const end = Date.now() + 4000 * Math.random();
  while (Date.now() < end);
  pause(4000 * Math.random());
}`;

/** @param {"duet" | "interleaved"} order @param {number} trials @param {number} planted rows of the second treatment */
function run(order, trials, planted) {
  const scenario = join(directory, "duet.yaml");
  const out = join(directory, `${order}-${planted}`);
  writeFileSync(
    scenario,
    `
name: duet
seed: 1
workload: ./duet.sql
factors: { rows: [2000, ${planted}] }
actors: { clients: { load: { clients: 2 } } }
trial: { warmUp: 1s, duration: ${seconds}s, drain: false }
order: ${order}
trials: ${trials}
diagnosis: { ceiling: false }
`,
  );
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "run", scenario, "--quiet", "--out", out], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`train-sim ended with ${status}: ${stderr}`);
  const took = (performance.now() - began) / 1000;
  const [name = ""] = readdirSync(out);
  const { treatments, comparisons } = JSON.parse(readFileSync(join(out, name, "result.json"), "utf8"));
  const [a, b] = treatments;
  const series = [b, a].map((each) => logarithmSeries(each, "pay", "eventsPerSecond", treatments));
  const spread = deviationOf([[...ratioSeries(series[0], series[1]).values()]]) ?? 0;
  const claim = comparisons.find((each) => each.operation === "pay" && each.metric === "eventsPerSecond");
  let needed = 5;
  while (needed < BLOCKS_MOST && effectFound(needed, 1) * spread > SOUGHT) needed++;
  return {
    ...{ order, planted: planted - 2000, blocks: trials, seconds: Math.round(took) },
    ratio: Number(claim.ratio.toFixed(3)),
    interval: `${claim.ciLow?.toFixed(3)} .. ${claim.ciHigh?.toFixed(3)}`,
    verdict: claim.verdict,
    spreadPercent: Number((100 * spread).toFixed(1)),
    minutesFor3Percent: Number(((needed * took) / trials / 60).toFixed(1)),
  };
}

const neighbour = disturb ? spawn(process.execPath, ["-e", NEIGHBOUR], { stdio: "ignore" }) : undefined;
try {
  const found = [];
  for (const planted of [2000, rows])
    for (const order of /** @type {const} */ (["duet", "interleaved"])) {
      found.push(run(order, order === "duet" ? blocks : Math.ceil(blocks / 2), planted));
      if (!json) console.log(Object.values(found.at(-1) ?? {}).join("\t"));
    }
  if (json) console.log(JSON.stringify(found, null, 2));
} finally {
  neighbour?.kill("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
}
