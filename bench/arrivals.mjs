// Measures whether one worker thread starts as many arrivals per second as its schedule asks for: 5 000 look-ups per second
// in empty tables, which cost little, from the built program against its embedded server. The schedule's own mean rate and
// dispersion (variance over mean of the counts per 10 ms) come from the program's pacing with the seed of the run; the
// achieved rate and the start delay come from the result. The bench exits with 1 if a mean rate is more than 1 % off (a
// Poisson schedule may also be off by its own 99 % band), or if the dispersion is outside its band. Run `npm run build`
// first.
//
//   node bench/arrivals.mjs [--rate 5000] [--seconds 20] [--clients 64] [--short] [--json]
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deriveSeed } from "#program/foundation/prng.js";
import { ArrivalSchedule } from "#program/load/arrivals.js";
import { RateCurve } from "#program/load/rate-curve.js";
import { readOptions } from "./options.mjs";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const BOUND = 0.01;
const SEED = 42;
const BIN_MS = 10;
/** Standard deviations on each side of the mean within which 99 % of a normal distribution lie. */
const Z = 2.576;

function run(distribution, { rate, seconds, clients }) {
  const directory = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const load = { executor: "constant-arrival-rate", rate, maxClients: clients, distribution };
  const scenario = {
    ...{ name: "arrivals", seed: SEED, payload: "text", statementShape: "single-statement" },
    ...{ trials: 1, evidence: { every: "off" }, diagnosis: { ceiling: false } },
    actors: { producers: false, consumers: false, archivers: false, readers: { workers: 1, load } },
    trial: { warmUp: "3s", duration: `${seconds}s`, drain: false },
  };
  try {
    const file = join(directory, "scenario.yaml");
    writeFileSync(file, JSON.stringify(scenario));
    const args = [MAIN, "run", file, "--out", join(directory, "out"), "--json", "--quiet"];
    const json = execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    return JSON.parse(json).treatments[0].trials[0];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Numbers of arrivals that the schedule has within the window, by bin. */
function scheduleArrivals(distribution, { rate, seconds, clients }, seed) {
  const share = { totalClients: clients, workers: 1, workerIndex: 0 };
  const groupSeed = deriveSeed(seed, "arrivals", "readers", "measure");
  const schedule = new ArrivalSchedule(new RateCurve(rate, []), distribution, share, groupSeed);
  const counts = new Array((seconds * 1000) / BIN_MS).fill(0);
  while (schedule.peek().offsetMs < seconds * 1000) counts[Math.floor(schedule.take().offsetMs / BIN_MS)]++;
  const arrivals = counts.reduce((sum, count) => sum + count, 0);
  const mean = arrivals / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  // The dispersion of n Poisson counts is chi-squared over n - 1, which is close to normal for a large n.
  const band = Z * Math.sqrt(2 / (counts.length - 1));
  return { arrivals, dispersion: variance / mean, band };
}

function figures(distribution, options) {
  const trial = run(distribution, options);
  const { offered, dropped, unfinished, transactions, startDelayMs, responseTimeMs, failures } =
    trial.operations.read;
  const { arrivals, dispersion, band } = scheduleArrivals(distribution, options, trial.seed);
  const asked = options.rate * trial.windowSeconds;
  const slack = distribution === "poisson" ? Z * Math.sqrt(asked) : 0;
  const isOffered = Math.abs(offered - asked) <= asked * BOUND + slack;
  const isAchieved = Math.abs(transactions - offered) <= offered * BOUND;
  const isDispersed = distribution === "poisson" ? Math.abs(dispersion - 1) <= band : dispersion < 0.1;
  return {
    ...{ distribution, asked, scheduled: arrivals, offered, dropped, unfinished, transactions, failures },
    achievedPerSecond: transactions / trial.windowSeconds,
    ...{ dispersion, band, startDelayMs, responseTimeMs },
    eventLoopDelayP99Ms: trial.client.eventLoopDelayP99Ms,
    workerUtilization: trial.client.workerUtilization,
    isMet: offered === arrivals && isOffered && isAchieved && isDispersed,
  };
}

function print(row) {
  const { p50, p95, p99, max } = row.startDelayMs;
  const ms = (value) => value.toFixed(2);
  console.log(
    `${row.distribution}: ${row.asked} arrivals asked for, ${row.scheduled} scheduled, ${row.offered} offered`,
  );
  console.log(
    `  achieved ${row.achievedPerSecond.toFixed(1)}/s (${row.transactions} done, ${row.dropped} dropped, ${row.unfinished} under way at the end)`,
  );
  console.log(
    `  dispersion of the schedule ${row.dispersion.toFixed(3)}` +
      (row.distribution === "poisson"
        ? `, 99 % band 1 +- ${row.band.toFixed(3)}`
        : ", evenly spaced: below 0.1"),
  );
  console.log(
    `  start delay ms: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, max ${ms(max)}; worker busy ${(row.workerUtilization * 100).toFixed(0)} %, event loop p99 ${ms(row.eventLoopDelayP99Ms)} ms`,
  );
  console.log(
    `  ${row.isMet ? "met" : "MISSED"}: mean rate within ${BOUND * 100} %, every scheduled arrival offered`,
  );
}

const asked = readOptions({ rate: 5000, seconds: 20, clients: 64 }, ["short"]);
const options = { ...asked, seconds: asked.short ? 4 : asked.seconds };
const rows = ["uniform", "poisson"].map((distribution) => figures(distribution, options));
if (asked.json) console.log(JSON.stringify(rows, null, 2));
else rows.forEach(print);
if (rows.some(({ isMet }) => !isMet)) process.exitCode = 1;
