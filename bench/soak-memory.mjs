// Measures whether memory stays flat: one long window, then many short trials of one treatment, then as many treatments of
// one trial. The built program runs with a module in each of its threads that collects garbage every few seconds and
// records the live bytes. The bench prints growth under load per hour of a window, per trial and per treatment. It exits
// with 1 if a thread would grow by more than its bound. Run `npm run build` first.
//
//   node bench/soak-memory.mjs [--seconds 100] [--trials 20] [--think-ms 10] [--json]
//
// The option --think-ms is the pause of each of four producers between batches of 10 to 50 events: a long window may need a
// longer pause.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readOptions } from "./options.mjs";

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const MB_PER_HOUR_MAX = 64;
const MB_PER_TRIAL_MAX = 1;
const MB = 1e6;

/** Module that runs in each thread and samples its memory: the heap, and memory outside the heap such as buffers. */
const PROBE = `
import v8 from "node:v8";
import vm from "node:vm";
import { isMainThread, workerData } from "node:worker_threads";
v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");
const thread = isMainThread ? "coordinator" : workerData?.role ?? "other";
// Only train-sim itself: the reaper of its servers is a Node process, too.
if (!isMainThread || process.argv[1]?.endsWith("main.js"))
  setInterval(() => {
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    const line = { thread, seconds: performance.timeOrigin / 1000 + performance.now() / 1000, live: heapUsed + external, rss };
    appendFileSync(process.env.SOAK_SAMPLES, JSON.stringify(line) + "\\n");
  }, Number(process.env.SOAK_EVERY_MS)).unref();
`;

const SCENARIO = (trial, trials, thinkMs, rest = "") => `
name: soak-memory
seed: 7
payload: text
batch: { min: 10, max: 50 }
appDelay: 0
actors:
  producers: { load: { clients: 4, thinkTime: ${thinkMs}ms } }
  consumers: { load: { clients: 4 } }
  archivers: { load: { clients: 2 } }
trial: ${trial}
trials: ${trials}
diagnosis: { ceiling: false }
${rest}
`;

const options = readOptions({ seconds: 100, trials: 20, "think-ms": 10 });
const scratch = mkdtempSync(join(os.tmpdir(), "train-sim-soak-"));
const probe = join(scratch, "probe.mjs");
writeFileSync(probe, PROBE);

/** Runs a scenario; returns the samples by thread. */
function run(name, scenario, everyMs) {
  const file = join(scratch, `${name}.yaml`);
  const samples = join(scratch, `${name}.ndjson`);
  const out = join(scratch, name);
  writeFileSync(file, scenario);
  const env = {
    ...process.env,
    ...{
      NODE_OPTIONS: `--import=${pathToFileURL(probe).href}`,
      SOAK_SAMPLES: samples,
      SOAK_EVERY_MS: String(everyMs),
    },
  };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, "run", file, "--out", out, "--quiet"], {
    env,
  });
  if (status !== 0) throw new Error(`train-sim ended with ${status}: ${stderr}`);
  const [directory] = readdirSync(out);
  const result = JSON.parse(readFileSync(join(out, directory, "result.json"), "utf8"));
  const byThread = new Map();
  for (const line of readFileSync(samples, "utf8").trim().split("\n")) {
    const sample = JSON.parse(line);
    byThread.set(sample.thread, [...(byThread.get(sample.thread) ?? []), sample]);
  }
  const trials = result.treatments.flatMap((treatment) => treatment.trials);
  const events = trials.reduce((sum, { integrity }) => sum + integrity.published, 0);
  return { byThread, events, trials };
}

/**
 * Samples from while the load ran. Statistics and the report need memory afterwards, but only once and however long the
 * load was.
 */
function underLoad(byThread) {
  const workers = [...byThread]
    .filter(([thread]) => thread !== "coordinator")
    .flatMap(([, samples]) => samples);
  const [from, to] = [Math.min, Math.max].map((most) => most(...workers.map(({ seconds }) => seconds)));
  const isInside = ({ seconds }) => seconds >= from && seconds <= to;
  return new Map([...byThread].map(([thread, samples]) => [thread, samples.filter(isInside)]));
}

/**
 * Growth in bytes per second: the median slope between any two samples of the later two thirds (Theil and Sen). Buffers
 * that fill only once are full by then, and a single sample during a batch does not decide.
 */
function growthOf(samples) {
  const later = samples.slice(Math.floor(samples.length / 3));
  const slopes = later.flatMap((one, index) =>
    later.slice(index + 1).map((other) => (other.live - one.live) / (other.seconds - one.seconds)),
  );
  return slopes.sort((x, y) => x - y)[Math.floor(slopes.length / 2)];
}

function mostRssMb(byThread) {
  return Math.max(...[...byThread.values()].flat().map(({ rss }) => rss)) / MB;
}

/** Growth of the coordinator's live memory per trial. */
function manyTrials(name, scenario) {
  const { byThread } = run(name, scenario, 500);
  const coordinator = underLoad(byThread).get("coordinator");
  const [first, last] = [coordinator[0].seconds, coordinator.at(-1).seconds];
  const trialsPerSecond = options.trials / (last - first);
  return { perTrialMb: growthOf(coordinator) / MB / trialsPerSecond, rssMb: mostRssMb(byThread) };
}

try {
  const drainless = `{ warmUp: 2s, duration: ${options.seconds}s, drain: false }`;
  const long = run("window", SCENARIO(drainless, 1, options["think-ms"]), 2000);
  const threads = [...underLoad(long.byThread)].map(([thread, samples]) => ({
    thread,
    samples: samples.length,
    liveMb: samples.at(-1).live / MB,
    mbPerHour: (growthOf(samples) / MB) * 3600,
  }));
  const short = "{ warmUp: 0, duration: 500ms, drain: false }";
  const many = manyTrials("trials", SCENARIO(short, options.trials, 10));
  // The levels differ in a setting that has no effect on a run without slow transactions.
  const levels = Array.from({ length: options.trials }, (_, number) => `${10 + number}s`);
  const factor = `factors: { log.slowTransaction: [${levels.join(", ")}] }`;
  const treatments = manyTrials("treatments", SCENARIO(short, 1, 10, factor));
  const report = {
    seconds: options.seconds,
    events: long.events,
    threads,
    rssMb: mostRssMb(long.byThread),
    trials: options.trials,
    coordinatorMbPerTrial: many.perTrialMb,
    rssMbOfTrials: many.rssMb,
    coordinatorMbPerTreatment: treatments.perTrialMb,
    rssMbOfTreatments: treatments.rssMb,
  };
  if (options.json) console.log(JSON.stringify(report, null, 2));
  else {
    console.log(
      `one window of ${report.seconds} s, ${report.events} events published; RSS at most ${report.rssMb.toFixed(0)} MB`,
    );
    for (const { thread, samples, liveMb, mbPerHour } of threads)
      console.log(
        `  ${thread.padEnd(12)} ${liveMb.toFixed(1)} MB alive at the end, ${mbPerHour.toFixed(1)} MB an hour (${samples} samples)`,
      );
    for (const { what, each, perTrialMb, rssMb } of [
      { what: "trials of one treatment", each: "trial", ...many },
      { what: "treatments of one trial", each: "treatment", ...treatments },
    ]) {
      console.log(`${report.trials} ${what}; RSS at most ${rssMb.toFixed(0)} MB`);
      console.log(`  coordinator  ${perTrialMb.toFixed(3)} MB a ${each}`);
    }
    console.log(
      `bounds: ${MB_PER_HOUR_MAX} MB an hour for each thread, ${MB_PER_TRIAL_MAX} MB a trial or treatment`,
    );
  }
  const isFlat =
    threads.every(({ mbPerHour }) => mbPerHour <= MB_PER_HOUR_MAX) &&
    [many, treatments].every(({ perTrialMb }) => perTrialMb <= MB_PER_TRIAL_MAX);
  process.exitCode = isFlat ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
