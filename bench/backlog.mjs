// Measures whose price a long queue is, train-sim's or the server's: the load of `scale.yaml` without archivers runs on an
// empty queue and behind a backlog, by train-sim and by pgbench with the same SQL at the same rates, in turns on one
// embedded server. The figures are server CPU and WAL per change; a change is an event that was added or that a pass moved
// on. Arrivals of pgbench are a Poisson process, so its rounds differ in both. Queries that train-sim sends besides the
// load, such as the length of the queue, are part of its figures. The bench exits with 1 if a change behind the backlog
// costs the server over a tenth more for train-sim than for pgbench.
//
//   node bench/backlog.mjs [--rounds 3] [--seconds 20] [--warmUp 20] [--preload 1000000] [--short] [--json]
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { UNCLAIMED_NAMESPACE } from "#program/database/contract.js";
import { analyzeNamespace, prepareNamespace } from "#program/engine/trial/prepare-namespace.js";
import { parseScenario } from "#program/scenario/loader.js";
import { readOptions } from "./options.mjs";
import { startScript } from "./peers/pgbench.mjs";
import { NAMESPACE, openServer } from "./peers/server.mjs";
import { LAST_FIRST_DOCUMENT, sameStatements } from "./peers/statements.mjs";
import { spreadOf } from "./peers/tables.mjs";
import { startScenario } from "./peers/train-sim.mjs";

/** Largest excess of the server's cost of a change for train-sim over its cost for pgbench, as a share of the latter. */
const EXCESS_MAX = 0.1;
/** Share of the warm-up after which statistics are gathered, the same as train-sim's. */
const ANALYZE_AFTER = 0.6;
/** Seconds of load after the window: they keep either program from ending inside it. */
const SLACK_SECONDS = 8;
/** Milliseconds to wait after the window until the transactions that were in flight at its end can be counted. */
const SETTLING_MS = 1_000;
const SCALE = parse(readFileSync(new URL("scale.yaml", import.meta.url), "utf8"));

function scenarioOf(server, { preload, seed, seconds, warmUpSeconds }) {
  const trial = { ...SCALE.trial, warmUp: `${warmUpSeconds}s`, duration: `${seconds + SLACK_SECONDS}s` };
  return JSON.stringify({
    ...{ ...SCALE, seed, preload, trial, statementShape: "single-statement" },
    ...{ target: { kind: "url", urls: [server.url] }, actors: { ...SCALE.actors, archivers: false } },
  });
}

async function trainSim(server, setting) {
  const running = startScenario(server, scenarioOf(server, setting));
  try {
    await running.warm();
  } catch (error) {
    await running.stop();
    throw error;
  }
  return running;
}

/** Makes tables by train-sim's own code, then starts pgbench with train-sim's transactions at train-sim's rates. */
async function pgbench(server, setting) {
  const [treatment] = parseScenario(scenarioOf(server, setting), "backlog").treatments;
  const ledger = mkdtempSync(join(tmpdir(), "train-sim-bench-"));
  try {
    const host = { admin: server.admin, claim: UNCLAIMED_NAMESPACE };
    const trial = { trial: { seed: setting.seed }, treatment, directory: ledger };
    await prepareNamespace(host, trial, [server.endpoint]);
  } finally {
    rmSync(ledger, { recursive: true, force: true });
  }
  const { warmUpSeconds, seconds, seed } = setting;
  const statements = sameStatements(
    SCALE.payload,
    { size: String(SCALE.batch.max), first: ":first::integer" },
    SCALE.advance,
  );
  const scripts = [
    {
      ...SCALE.actors.producers.load,
      script: `\\set first random(0, ${LAST_FIRST_DOCUMENT})\n${statements.add};\n`,
    },
    { ...SCALE.actors.consumers.load, script: `${statements.process};\n` },
  ];
  const loadSeconds = warmUpSeconds + seconds + SLACK_SECONDS;
  const programs = await Promise.all(
    scripts.map(({ script, rate, maxClients }) =>
      startScript(server, { script, rate, clients: maxClients, seconds: loadSeconds, seed }),
    ),
  );
  await sleep(warmUpSeconds * 1000 * ANALYZE_AFTER);
  await analyzeNamespace(server.admin, treatment.settings);
  await sleep(warmUpSeconds * 1000 * (1 - ANALYZE_AFTER));
  return {
    pids: programs.flatMap(({ pids }) => pids),
    ended: Promise.all(programs.map(({ ended }) => ended)).then((complaints) => complaints.find(Boolean)),
    hasEnded: () => programs.some(({ hasEnded }) => hasEnded()),
    stop: () => Promise.all(programs.map((program) => program.stop())),
  };
}

const GENERATORS = { "train-sim": trainSim, pgbench };

/** Reads the server's counters. Passes are updates of a status; sessions report them to the server once a second. */
async function countsOf(server, pids) {
  const [{ updates }] = await server.admin.query(
    "SELECT n_tup_upd AS updates FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'event_status'",
    [NAMESPACE],
  );
  return { ...(await server.counters(pids)), updates };
}

/** Runs one generator; returns the server's cost of a change in one window. */
async function measure(server, generator, setting) {
  const running = await GENERATORS[generator](server, setting);
  try {
    const before = await countsOf(server, running.pids);
    await sleep(setting.seconds * 1000);
    const after = await countsOf(server, running.pids);
    if (running.hasEnded()) throw new Error(`it ended before its window did: ${await running.ended}`);
    await sleep(SETTLING_MS);
    const { added } = await server.eventsBetween(before.at, after.at);
    const complaint = await running.ended;
    if (complaint) throw new Error(complaint);
    const of = (counter) => after[counter] - before[counter];
    const changes = added + of("updates");
    return {
      added,
      serverUsPerChange: (of("serverCpuSeconds") * 1e6) / changes,
      clientUsPerChange: (of("clientCpuSeconds") * 1e6) / changes,
      walBytesPerChange: of("walBytes") / changes,
      passesPerEvent: of("updates") / added,
    };
  } catch (error) {
    throw new Error(`${generator}, ${setting.preload} preloaded: ${error.message}`, { cause: error });
  } finally {
    await running.stop();
  }
}

const FIGURES = ["serverUsPerChange", "clientUsPerChange", "walBytesPerChange", "passesPerEvent", "added"];

function summarise(runs, generator, preload) {
  const own = runs.filter((run) => run.generator === generator && run.preload === preload);
  const figures = FIGURES.map((name) => [name, spreadOf(own.map((run) => run[name]))]);
  return { generator, preload, ...Object.fromEntries(figures) };
}

function line({ generator, preload, ...figures }) {
  const cell = ({ median, least, most }, digits) =>
    `${median.toFixed(digits)} (${least.toFixed(digits)} .. ${most.toFixed(digits)})`.padEnd(26);
  const cells = FIGURES.map((name) => cell(figures[name], name === "passesPerEvent" ? 2 : 0));
  return `${generator.padEnd(10)} ${String(preload).padStart(9)}  ${cells.join(" ")}`.trimEnd();
}

async function main() {
  const options = readOptions({ rounds: 3, seconds: 20, warmUp: 20, preload: 1_000_000 }, ["short"]);
  const { rounds, seconds, warmUp, preload } = options.short
    ? { rounds: 1, seconds: 5, warmUp: 5, preload: 20_000 }
    : options;
  const cases = Object.keys(GENERATORS).flatMap((generator) =>
    [0, preload].map((length) => ({ generator, preload: length })),
  );
  const runs = [];
  const clients = SCALE.actors.producers.load.maxClients + SCALE.actors.consumers.load.maxClients;
  const server = await openServer(clients);
  try {
    for (let round = 0; round < rounds; round++)
      for (const { generator, preload: length } of cases) {
        const setting = { preload: length, seed: 100 + round, seconds, warmUpSeconds: warmUp };
        runs.push({ generator, preload: length, round, ...(await measure(server, generator, setting)) });
        if (!options.json) console.error(line(summarise(runs.slice(-1), generator, length)));
      }
  } finally {
    await server.close();
  }
  const rows = cases.map(({ generator, preload: length }) => summarise(runs, generator, length));
  const costOf = (generator) =>
    rows.find((row) => row.generator === generator && row.preload === preload)?.serverUsPerChange.median ??
    NaN;
  const excess = costOf("train-sim") / costOf("pgbench") - 1;
  if (options.json) console.log(JSON.stringify({ options, runs, rows, excess }, null, 2));
  else {
    console.log(`\n${"".padEnd(20)}  ${FIGURES.map((name) => name.padEnd(26)).join(" ")}`.trimEnd());
    rows.forEach((row) => console.log(line(row)));
    const percent = (share) => `${(share * 100).toFixed(1)} %`;
    console.log(
      `${excess <= EXCESS_MAX ? "met   " : "MISSED"} behind ${preload} events a change costs the server ${percent(excess)} more for ` +
        `train-sim than for pgbench (bound ${percent(EXCESS_MAX)})`,
    );
  }
  if (!(excess <= EXCESS_MAX)) process.exitCode = 1;
}

await main();
