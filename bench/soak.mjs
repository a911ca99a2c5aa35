// The soak: random faults x targets x payloads x pools x locking x isolation x shapes, case after case through the built
// program on separate servers, each audited. It ends after the given minutes, with a table, a JSON file and exit code 1 if
// any case broke a law; the command that repeats such a case is printed, and its results are kept.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { monotonicMs } from "#program/foundation/clock.js";
import { freshSeed } from "#program/foundation/prng.js";
import { FAULT_KINDS } from "#program/faults/registry.js";
import { pgbouncerKind } from "#program/pools/pgbouncer/pgbouncer.js";
import { drawCase } from "./soak-cases.mjs";
import { caseLine, sumLines, sumOf, violationsOf } from "./soak-report.mjs";

const USAGE = `npm run soak -- [--minutes 30] [--seed N] [--cases N] [--case N] [--kinds a,b] [--standbys N] [--out FILE]
  --cases   stop after so many cases   --case      run only that case
  --kinds   faults to draw from        --standbys  of each case's server; drawn when left out
  --out     where the JSON goes`;
const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
/** Milliseconds after which a case counts as hanging. A case normally takes about 25 s. */
const CASE_MS_MAX = 300_000;
/** Number of failed cases that ends a soak, since more would show nothing new. */
const FAILED_MAX = 10;

function fail(words) {
  console.error(`${words}\n${USAGE}`);
  process.exit(104);
}

function wholeNumber(text, option) {
  const value = Number(text);
  return /^\d+$/.test(text) && Number.isSafeInteger(value) ? value : fail(`--${option} takes a whole number`);
}

function optionsOf() {
  const names = ["minutes", "seed", "cases", "case", "kinds", "standbys", "out"];
  /** @type {Record<string, string | undefined>} */
  let values = {};
  try {
    ({ values } = parseArgs({
      options: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    }));
  } catch (error) {
    fail(error.message);
  }
  const number = (name, otherwise) =>
    values[name] === undefined ? otherwise : wholeNumber(values[name], name);
  const only = number("case", undefined);
  const kinds = values.kinds?.split(",") ?? FAULT_KINDS;
  const unknown = kinds.find((kind) => !FAULT_KINDS.some((known) => known === kind));
  if (unknown) fail(`no fault ${unknown}; there are ${FAULT_KINDS.join(", ")}`);
  return {
    ...{ minutes: number("minutes", 30), seed: number("seed", freshSeed()), kinds, out: values.out },
    standbys: number("standbys", undefined),
    ...{ first: only ?? 1, last: only ?? number("cases", Number.POSITIVE_INFINITY) },
  };
}

/** Finds the poolers and faults that work on this machine, from which cases are drawn. Prints the others. */
async function meansOf(kinds) {
  const isRoot = process.platform === "linux" && process.getuid?.() === 0;
  const pooler = await pgbouncerKind.find().catch((error) => error);
  if (pooler instanceof Error) console.log(`without PgBouncer: ${pooler.message}`);
  else console.log(`PgBouncer ${pooler.version}`);
  if (!isRoot && kinds.includes("disk-full"))
    console.log("without disk-full: only root can mount a small disk");
  return {
    hasPooler: !(pooler instanceof Error),
    kinds: kinds.filter((kind) => isRoot || kind !== "disk-full"),
  };
}

let stopped = false;

function runTrainSim(scenario, directory) {
  const file = join(directory, "scenario.yaml");
  writeFileSync(file, `${JSON.stringify(scenario, null, 2)}\n`);
  const args = [MAIN, "run", file, "--quiet", "--out", join(directory, "results")];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: CASE_MS_MAX,
      killSignal: "SIGKILL",
    });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", reject).on("close", (exitCode, signal) => resolve({ exitCode, signal, stderr }));
  });
}

function resultIn(directory) {
  try {
    const results = join(directory, "results");
    return JSON.parse(readFileSync(join(results, readdirSync(results)[0], "result.json"), "utf8"));
  } catch {
    return undefined;
  }
}

async function runCase(number, { seed, scratch, means, repeat }) {
  const scenario = drawCase(seed, number, means);
  const directory = join(scratch, String(number));
  mkdirSync(directory);
  const { exitCode, signal, stderr } = await runTrainSim(scenario, directory);
  if (stopped) return undefined;
  const result = resultIn(directory);
  const violations = violationsOf({ exitCode, signal, result, scenario });
  const trial = result?.treatments[0]?.trials[0];
  const outcome = { number, scenario, exitCode, signal, violations, ...(trial && { trial }) };
  console.log(caseLine(outcome));
  if (violations.length === 0) rmSync(directory, { recursive: true });
  else
    console.log(
      `${stderr.replace(/^/gm, "   | ").trimEnd()}\n   repeat: ${repeat(number)}\n   kept:   ${directory}`,
    );
  return outcome;
}

async function main() {
  const { minutes, seed, kinds, standbys, first, last, out } = optionsOf();
  console.log(
    `soak: seed ${seed}, ${minutes} minutes, ${cpus().length} processors, Node ${process.versions.node}`,
  );
  const means = { ...(await meansOf(kinds)), standbys };
  const only = [
    ...(kinds === FAULT_KINDS ? [] : [` --kinds ${kinds.join(",")}`]),
    ...(standbys === undefined ? [] : [` --standbys ${standbys}`]),
  ].join("");
  const repeat = (number) => `npm run soak -- --seed ${seed} --case ${number}${only}`;
  const scratch = mkdtempSync(join(tmpdir(), "train-sim-soak-"));
  // The terminal sends its signals to train-sim, too, which then cleans up by itself.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => (stopped = true));
  const startMs = monotonicMs();
  const cases = [];
  for (let number = first; number <= last && !stopped; number++) {
    if (monotonicMs() - startMs > minutes * 60_000) break;
    const outcome = await runCase(number, { seed, scratch, means, repeat });
    if (outcome) cases.push(outcome);
    if (cases.filter(({ violations }) => violations.length > 0).length >= FAILED_MAX) break;
  }
  const sum = { seed, seconds: Math.round((monotonicMs() - startMs) / 1000), ...sumOf(cases) };
  const file = out ?? join(scratch, "soak.json");
  writeFileSync(file, `${JSON.stringify({ ...sum, trials: cases }, null, 2)}\n`);
  console.log(["", ...sumLines(sum), `JSON: ${file}`].join("\n"));
  if (out && sum.failed === 0) rmSync(scratch, { recursive: true });
  if (sum.failed > 0 || sum.cases === 0) process.exitCode = 1;
}

await main();
