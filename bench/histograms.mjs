// Checks that another implementation of HdrHistogram reads from a result's histogram files the values that train-sim
// states: PyPI's hdrhistogram, in a separate virtual environment below .cache. A short run of the built program writes real
// files; then every percentile of its result.json must equal Python's from the merged lines, for every operation and
// measure. Without Python or the package, the bench prints NOT RUN with the reason and exits with 1, since it showed
// nothing.
//
//   node bench/histograms.mjs [--seconds 5] [--json]
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const MAIN = here("../dist/cli/main.js");
const VENV = here("../.cache/bench/python");
const PACKAGE = "hdrhistogram==0.10.8";
const PERCENTILES = { p50: 50, p90: 90, p95: 95, p99: 99, p999: 99.9, max: 100 };

/**
 * Python code that prints, by tag, the count and the percentiles of all its lines merged. The package rounds a percentile's
 * rank to the nearest, but HdrHistogram itself and train-sim take the next whole rank, so the code asks for that rank.
 */
const READER = `
import json, math, sys
from hdrh.histogram import HdrHistogram
sums = {}
for line in open(sys.argv[1]):
    if not line.startswith("Tag="):
        continue
    tag, _, _, _, encoded = line.strip().split(",")
    one = HdrHistogram.decode(encoded)
    tag = tag[len("Tag="):]
    if tag not in sums:
        sums[tag] = HdrHistogram(1, one.highest_trackable_value, 3)
    sums[tag].add(one)
def found(h):
    n = h.get_total_count()
    rank = lambda p: math.ceil(p * n / 100)
    us = {name: h.get_value_at_percentile(100 * rank(p) / n) for name, p in json.loads(sys.argv[2]).items()}
    return {"count": n, "us": us}
json.dump({tag: found(h) for tag, h in sums.items()}, sys.stdout)
`;

function python() {
  const program = join(VENV, "bin", "python");
  /** @type {import("node:child_process").ExecFileSyncOptionsWithStringEncoding} */
  const quiet = { encoding: "utf8", stdio: "pipe" };
  if (!existsSync(program)) execFileSync("python3", ["-m", "venv", VENV], quiet);
  execFileSync(program, ["-m", "pip", "install", "--quiet", PACKAGE], quiet);
  return program;
}

/** Fields in an operation's result, by the measure in a histogram's tag. */
const FIELDS = {
  response: "responseTimeMs",
  service: "serviceTimeMs",
  poolwait: "poolWaitMs",
  startdelay: "startDelayMs",
};

/** Rows with the values that train-sim states and the values that the other reader found, one for each tag. */
function compare(operations, read) {
  return Object.entries(operations).flatMap(([operation, result]) =>
    Object.entries(FIELDS).flatMap(([measure, field]) => {
      const stated = result[field];
      if (!stated) return [];
      const tag = `${operation}.${measure}`;
      const found = read[tag];
      if (!found) return [{ tag, samples: result.transactions, differences: ["not found"] }];
      const differences = Object.keys(PERCENTILES)
        .filter((name) => Math.abs(found.us[name] / 1000 - stated[name]) > 1e-9)
        .map((name) => `${name}: ${stated[name]} ms here, ${found.us[name] / 1000} ms there`);
      if (found.count !== result.transactions) differences.push(`${found.count} samples there`);
      return [{ tag, samples: result.transactions, p99Ms: stated.p99, differences }];
    }),
  );
}

function measure(program, seconds) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const scenario = {
    ...{ name: "histograms", seed: 42, payload: "text", trials: 1, diagnosis: { ceiling: false } },
    actors: {
      producers: { load: { executor: "constant-arrival-rate", rate: 100, maxClients: 8 } },
      consumers: { load: { clients: 4 } },
      archivers: { load: { clients: 2 } },
    },
    trial: { warmUp: "1s", duration: `${seconds}s`, drain: false },
  };
  try {
    const file = join(directory, "scenario.yaml");
    writeFileSync(file, JSON.stringify(scenario));
    const out = join(directory, "out");
    execFileSync(process.execPath, [MAIN, "run", file, "--out", out, "--quiet"], { stdio: "pipe" });
    const result = join(out, readdirSync(out)[0]);
    const [trial] = readdirSync(join(result, "trials"));
    const log = join(result, "trials", trial, "histograms.hlog");
    const args = ["-c", READER, log, JSON.stringify(PERCENTILES)];
    const read = JSON.parse(execFileSync(program, args, { encoding: "utf8" }));
    const { treatments } = JSON.parse(readFileSync(join(result, "result.json"), "utf8"));
    return compare(treatments[0].trials[0].operations, read);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const options = readOptions({ seconds: 5 });
let program;
try {
  program = python();
} catch (error) {
  console.error(`NOT RUN: no Python with ${PACKAGE}: ${String(error.stderr || error.message).trim()}`);
  process.exit(1);
}
const rows = measure(program, options.seconds);
if (options.json) console.log(JSON.stringify(rows, null, 2));
else
  for (const { tag, samples, differences } of rows)
    console.log(
      `${tag.padEnd(20)} ${String(samples).padStart(7)} samples  ${differences.join("; ") || "all percentiles equal"}`,
    );
if (rows.length === 0 || rows.some(({ differences }) => differences.length > 0)) process.exitCode = 1;
