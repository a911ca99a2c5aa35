// Measures whether an event costs the same at any size of a run: over the life of one long trial (compared with a new trial
// at its end), with 1 and with 6 treatments, and from an empty queue to a large backlog. The figures are CPU of client and
// server per published event, memory of train-sim and bytes of the result directory, each compared with the smallest case.
// The bench exits with 1 if a curve is not flat within its bound. On a busy machine the CPU of an event varies by more than
// that: read the load average that it prints.
//
//   node bench/scale.mjs [--minutes 30] [--trialSeconds 60] [--preload 1000000] [--rounds 3] [--short] [--json]
//                        [--life] [--treatments] [--backlog]: only those curves
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median } from "#program/analysis/statistics/quantiles.js";
import { readOptions } from "./options.mjs";

/** Largest growth of an event's cost, or of memory, over the first point of a curve, as a share of that point. */
const GROWTH_MAX = 0.1;
/** Seconds of warm-up. In the first 15 s of load V8 has not yet collected what the preparations left in memory. */
const WARM_UP_SECONDS = 20;
const SLICES = 6;
const THIRD = SLICES / 3;
const FIRST_SECONDS = 60;
const LOOK_MS = 1000;
const MB = 1e6;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const sum = (values) => values.reduce((total, value) => total + value, 0);

function residentMb(pid) {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(status) ?? [];
  return kb === undefined ? undefined : (Number(kb) * 1024) / MB;
}

/**
 * Runs the scenario. Resolves to its trials, with the sizes of their files and their seconds, and to train-sim's memory
 * over time.
 */
async function run(settings, warmUp = warmUpSeconds) {
  const out = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  const set = Object.entries({ ...settings, "trial.warmUp": `${warmUp}s` }).flatMap(([path, value]) => [
    "--set",
    `${path}=${value}`,
  ]);
  const args = [here("../dist/cli/main.js"), "run", here("scale.yaml"), "--quiet", "--out", out, ...set];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const memory = [];
  const look = setInterval(() => {
    const mb = residentMb(child.pid);
    if (mb !== undefined) memory.push({ atMs: Date.now(), mb });
  }, LOOK_MS);
  const status = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(look);
  if (status !== 0) throw new Error(`train-sim ended with ${status}: ${stderr}`);
  const directory = join(out, readdirSync(out)[0]);
  const trials = readdirSync(join(directory, "trials")).map((name) =>
    readTrial(join(directory, "trials", name), memory),
  );
  rmSync(out, { recursive: true, force: true });
  return trials;
}

/** Rows of a trial, one for each second of the window: events added, CPU of client and server, memory. */
function readTrial(directory, memory) {
  const trial = JSON.parse(readFileSync(join(directory, "trial.json"), "utf8"));
  if (trial.integrity.verdict !== "ok") throw new Error(`${directory}: integrity ${trial.integrity.verdict}`);
  const startMs = Date.parse(trial.startedAt);
  const seconds = Array.from({ length: Math.floor(trial.windowSeconds) }, () => ({
    events: 0,
    clientMs: 0,
    serverMs: 0,
    /** @type {number[]} */
    mb: [],
  }));
  const lines = (file) => readFileSync(join(directory, file), "utf8").trim().split("\n").slice(1);
  for (const line of lines("timeseries.csv")) {
    const [second, operation, , events] = line.split(",");
    if (operation === "add" && seconds[second]) seconds[second].events += Number(events);
  }
  const key = { "host.clientCpuMs": "clientMs", "host.serverCpuMs": "serverMs" };
  for (const line of lines("evidence.csv")) {
    const [second, metric, value] = line.split(",");
    if (metric in key && seconds[second]) seconds[second][key[metric]] += Number(value);
  }
  for (const { atMs, mb } of memory) seconds[Math.floor((atMs - startMs) / 1000)]?.mb.push(mb);
  const sizes = readdirSync(directory).map((name) => ({ name, size: statSync(join(directory, name)).size }));
  const bytes = (isLedger) =>
    sum(sizes.filter(({ name }) => name.startsWith("ledger-") === isLedger).map(({ size }) => size));
  const batches = trial.operations.add.transactions;
  return { startMs, seconds, batches, files: { ledger: bytes(true), others: bytes(false) } };
}

/** A point of a curve: cost of an event in the given seconds, and memory in them. */
function point(name, seconds) {
  const events = sum(seconds.map((each) => each.events));
  const perEvent = (which) => (sum(seconds.map((each) => each[which])) * 1000) / events;
  const mb = median(seconds.flatMap((each) => each.mb));
  return {
    name,
    events,
    clientUsPerEvent: perEvent("clientMs"),
    serverUsPerEvent: perEvent("serverMs"),
    memoryMb: mb,
  };
}

function slices(seconds, count) {
  const length = Math.floor(seconds.length / count);
  return Array.from({ length: count }, (_, number) => seconds.slice(number * length, (number + 1) * length));
}

/**
 * Compares the last minute of a long trial with the first minute of a new one. Each has a server, and both run at once:
 * within half an hour the processor's speed changes more than the expected effect. The warm-up takes a minute because
 * autovacuum, once per minute, has nothing to do on a new table the first time.
 */
async function life(minutes) {
  const lifeSeconds = Math.round(minutes * 60);
  const firstSeconds = Math.min(FIRST_SECONDS, Math.floor(lifeSeconds / SLICES));
  const of = async (seconds) => {
    const [trial] = await run({ "trial.duration": `${seconds}s` }, lifeWarmUpSeconds);
    return trial;
  };
  const young = sleep((lifeSeconds - firstSeconds) * 1000).then(() => of(firstSeconds));
  const [old, other] = await Promise.all([of(lifeSeconds), young]);
  const from = Math.min(Math.round((other.startMs - old.startMs) / 1000), lifeSeconds - firstSeconds);
  const firstWindow = old.seconds.slice(from, from + firstSeconds);
  const first = point(`a new one's first ${firstSeconds} s`, other.seconds);
  const own = slices(old.seconds.slice(0, from), SLICES).map((seconds, number) =>
    point(`until ${Math.round(((number + 1) * from) / SLICES)} s`, seconds),
  );
  const last = point("beside the new one", firstWindow);
  const files = {
    bytesPerSecondWithoutLedgers: old.files.others / old.seconds.length,
    ledgerBytesPerBatch: old.files.ledger / old.batches,
  };
  return {
    ...{ curve: "life of a trial", points: [first, ...own, last], files },
    costs: { from: [first], to: [last] },
    // The reference is the memory of the second third: in the first one heaps grow to the size at which V8 begins to
    // collect.
    memory: { from: own.slice(THIRD, 2 * THIRD), to: [...own.slice(2 * THIRD), last] },
  };
}

/** Median of each measure over rounds. */
function middle(rounds) {
  const of = (measure) => median(rounds.map((each) => each[measure]));
  const [{ name, kilobytes }] = rounds;
  const [clientUsPerEvent, serverUsPerEvent] = [of("clientUsPerEvent"), of("serverUsPerEvent")];
  return {
    ...{ name, events: of("events"), clientUsPerEvent, serverUsPerEvent, memoryMb: of("memoryMb") },
    ...{ ...(kilobytes && { kilobytes }), rounds },
  };
}

/**
 * Measures all cases in each round, in turn, since a server's cost of the same run changes by a tenth from run to run. A
 * case resolves to one or more points. The ends of a curve are its first point and its last third.
 */
async function inTurns(curve, rounds, cases) {
  const measured = cases.map(() => /** @type {ReturnType<typeof point>[][]} */ ([]));
  for (let round = 0; round < rounds; round++)
    for (const [index, measure] of cases.entries()) measured[index].push(await measure());
  const points = measured.flatMap((of) => of[0].map((_, number) => middle(of.map((each) => each[number]))));
  const ends = { from: points.slice(0, 1), to: points.slice(-Math.max(1, Math.floor(points.length / 3))) };
  return { curve, points, costs: ends, memory: ends };
}

/** Curve over the number of treatments. They differ in a setting that has no effect on a run without slow transactions. */
function treatments(seconds, rounds) {
  const of = async (count) => {
    const levels = Array.from({ length: count }, (_, number) => `${10 + number}s`);
    const factor = { "factors.log.slowTransaction": `[${levels}]` };
    const trials = await run({ "trial.duration": `${seconds}s`, ...(count > 1 && factor) });
    return trials.map((trial, number) => ({
      ...point(`${count} treatments, trial ${number + 1}`, trial.seconds),
      kilobytes: Math.round(trial.files.others / 1000),
    }));
  };
  return inTurns("treatments", rounds, [() => of(1), () => of(6)]);
}

/**
 * Curve over the length of the backlog. It has no archivers: with a long queue no event would be archived within the
 * window, with a short one all would.
 */
function backlog(seconds, most, rounds) {
  const of = async (preload) => {
    const [trial] = await run({ "trial.duration": `${seconds}s`, "actors.archivers": false, preload });
    return [point(`${preload} preloaded`, trial.seconds)];
  };
  const lengths = [0, Math.round(most / 100), Math.round(most / 10), most];
  return inTurns(
    "backlog",
    rounds,
    lengths.map((preload) => () => of(preload)),
  );
}

/** Growth of each measure from one end of a curve to the other. */
function judge({ curve, costs, memory }) {
  const growthOf = (measure, { from, to }) => {
    const of = (points) => median(points.map((each) => each[measure]));
    return of(to) / of(from) - 1;
  };
  return ["clientUsPerEvent", "serverUsPerEvent", "memoryMb"].map((measure) => {
    const growth = growthOf(measure, measure === "memoryMb" ? memory : costs);
    return { curve, measure, growth, isFlat: growth <= GROWTH_MAX };
  });
}

/** @param {{ curve: string, points: any[], files?: Record<string, number> }} measured */
function print({ curve, points, files }) {
  console.log(`\n${curve}\n  ${"".padEnd(26)}    events  client us/event  server us/event  memory MB`);
  for (const { name, events, clientUsPerEvent, serverUsPerEvent, memoryMb, kilobytes } of points)
    console.log(
      `  ${name.padEnd(26)}${String(events).padStart(10)}${clientUsPerEvent.toFixed(1).padStart(17)}${serverUsPerEvent.toFixed(1).padStart(17)}${memoryMb.toFixed(0).padStart(11)}${kilobytes ? `  ${kilobytes} kB of files` : ""}`,
    );
  if (files)
    console.log(
      `  result directory: ${files.bytesPerSecondWithoutLedgers.toFixed(0)} bytes a second, and ${files.ledgerBytesPerBatch.toFixed(1)} bytes of ledger a batch`,
    );
}

const CURVES = ["life", "treatments", "backlog"];
const options = readOptions({ minutes: 30, trialSeconds: 60, preload: 1_000_000, rounds: 3 }, [
  "short",
  ...CURVES,
]);
const isWanted = (curve) => options[curve] || !CURVES.some((name) => options[name]);
const { minutes, trialSeconds, preload, rounds, warmUpSeconds, lifeWarmUpSeconds } = options.short
  ? { minutes: 0.5, trialSeconds: 4, preload: 20_000, rounds: 1, warmUpSeconds: 2, lifeWarmUpSeconds: 2 }
  : { ...options, warmUpSeconds: WARM_UP_SECONDS, lifeWarmUpSeconds: 60 };
const curves = [];
const measures = {
  life: () => life(minutes),
  treatments: () => treatments(trialSeconds, rounds),
  backlog: () => backlog(trialSeconds, preload, rounds),
};
for (const name of CURVES.filter(isWanted)) {
  const curve = await measures[name]();
  curves.push(curve);
  if (!options.json) print(curve);
}
const judged = curves.flatMap(judge);
if (options.json) console.log(JSON.stringify({ curves, judged, loadAverage1m: loadavg()[0] }, null, 2));
else {
  console.log("");
  for (const { curve, measure, growth, isFlat } of judged)
    console.log(
      `${isFlat ? "flat    " : "NOT FLAT"} ${curve}: ${measure} ${(growth * 100).toFixed(1)} % over the first point (bound ${GROWTH_MAX * 100} %)`,
    );
  console.log(`load average ${loadavg()[0].toFixed(1)}`);
}
if (judged.some(({ isFlat }) => !isFlat)) process.exitCode = 1;
