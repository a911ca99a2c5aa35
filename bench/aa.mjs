// Measures the false alarms of the program on this machine: each experiment runs the very same treatment twice (A/A), one
// trial after the other on separate servers, and the bench counts the comparisons that claim a difference all the same. It
// exits with 1 if more do than 5 % and chance allow. Run `npm run build` first: the bench runs the built program.
//
//   node bench/aa.mjs [--experiments 20] [--trials 5] [--window 500ms] [--main dist/cli/main.js] [--json]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isDifference } from "#program/analysis/comparison/verdicts.js";
import { isHeadline } from "#program/metrics/metric-lists.js";

const LEVEL = 0.05;

function readOptions() {
  const { values } = parseArgs({
    options: {
      experiments: { type: "string", default: "20" },
      trials: { type: "string", default: "5" },
      window: { type: "string", default: "500ms" },
      main: { type: "string", default: fileURLToPath(new URL("../dist/cli/main.js", import.meta.url)) },
      json: { type: "boolean", default: false },
    },
  });
  const experiments = Number(values.experiments);
  if (!Number.isSafeInteger(experiments) || experiments < 1) {
    console.error(`--experiments takes a whole number above 0, not ${JSON.stringify(values.experiments)}`);
    process.exit(104);
  }
  return { ...values, experiments };
}

function scenarioText({ trials, window }) {
  return `
name: aa
factors: { payload: [text, text] }
batch: { min: 5, max: 20 }
appDelay: 0ms
actors:
  producers: { workers: 1, load: { executor: constant-clients, clients: 2, thinkTime: 5ms } }
  consumers: { workers: 1, load: { executor: constant-clients, clients: 2 } }
  archivers: { workers: 1, load: { executor: constant-clients, clients: 1 } }
trial: { warmUp: 200ms, duration: ${window}, drain: 0s }
diagnosis: { ceiling: false }
trials: ${trials}
`;
}

/** Runs one A/A experiment and returns its headline comparisons. */
function runExperiment(seed, scenario, directory, options) {
  const args = [
    options.main,
    "run",
    scenario,
    "--seed",
    String(seed),
    "--out",
    directory,
    "--json",
    "--quiet",
  ];
  const ended = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (ended.status !== 0) throw new Error(`experiment ${seed} ended with ${ended.status}: ${ended.stderr}`);
  const result = JSON.parse(ended.stdout);
  return result.comparisons.filter(({ metric, factor }) => factor === "none" && isHeadline(metric));
}

/**
 * Largest number of claims among n that chance explains: it makes no more in 99 of 100 benches, if each claim is false with
 * probability 5 %.
 */
function claimsMax(n) {
  let [term, sum, k] = [(1 - LEVEL) ** n, (1 - LEVEL) ** n, 0];
  while (sum < 0.99) {
    k++;
    term *= ((n - k + 1) / k) * (LEVEL / (1 - LEVEL));
    sum += term;
  }
  return k;
}

function report(all, options) {
  const names = [...new Set(all.map(({ operation, metric }) => `${operation} ${metric}`))];
  const rows = names.map((name) => {
    const own = all.filter(({ operation, metric }) => `${operation} ${metric}` === name);
    const factors = own.map(({ ratio }) => Math.max(ratio, 1 / ratio)).sort((a, b) => a - b);
    const claimed = own.filter(isDifference).length;
    return {
      name,
      comparisons: own.length,
      claimed,
      medianFactor: factors[factors.length >> 1],
      mostFactor: factors.at(-1),
    };
  });
  const claimed = all.filter(isDifference).length;
  const share = claimed / all.length;
  // Comparisons of one experiment are correlated, so the bound is checked for each metric separately and for the share
  // over all metrics.
  const allowed = claimsMax(options.experiments);
  const ok = rows.every((row) => row.claimed <= allowed) && share <= allowed / options.experiments;
  if (options.json)
    console.log(JSON.stringify({ rows, claimed, comparisons: all.length, share, allowed, ok }));
  else {
    for (const { name, comparisons, claimed: count, medianFactor, mostFactor } of rows)
      console.log(
        `${name.padEnd(36)} ${String(count).padStart(2)} of ${comparisons} claimed; differed by ` +
          `${medianFactor.toFixed(3)}x in the middle, ${mostFactor.toFixed(3)}x at most`,
      );
    console.log(`in all ${claimed} of ${all.length} claimed a difference: ${(share * 100).toFixed(1)} %`);
    console.log(`of ${options.experiments}, chance at 5 % makes up to ${allowed}: ${ok ? "kept" : "BROKEN"}`);
  }
  return ok;
}

const options = readOptions();
const directory = mkdtempSync(join(os.tmpdir(), "train-sim-aa-"));
try {
  const scenario = join(directory, "aa.yaml");
  writeFileSync(scenario, scenarioText(options));
  const all = [];
  for (let i = 1; i <= options.experiments; i++) {
    all.push(...runExperiment(i, scenario, join(directory, "results"), options));
    if (!options.json) console.error(`experiment ${i} of ${options.experiments}`);
  }
  if (!report(all, options)) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
