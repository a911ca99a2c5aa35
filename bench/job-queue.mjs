// Compares jobs per second of the design `lease` under train-sim with the same SQL in pgbench: 8 workers claim and complete
// jobs of a backlog, whose handlers take no time; all are enqueued before. train-sim works through its processes and
// their protocol; pgbench discards its answers. Rounds are interleaved on one embedded server; a ratio is a median with the
// least and the most of a round. The bench exits with 1 if the ratio is below its bound. Run `npm run build` first, on an otherwise idle machine.
//
// The option --apart gives the server the first processor and everything else the others (Linux, taskset).
//
//   node bench/job-queue.mjs [--rounds 5] [--seconds 5] [--apart]
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "#program/analysis/statistics/quantiles.js";
import { readSqlOfDesign } from "#program/workloads/jobs/sql-sections.js";
import { keepApart } from "./apart.mjs";
import { readOptions } from "./options.mjs";
import { startPgbench } from "./peers/pgbench.mjs";
import { openServer } from "./peers/server.mjs";
import { alignColumns } from "./peers/tables.mjs";
import { startScenario } from "./peers/train-sim.mjs";
import { inTurn, spread, untilEnded } from "./scripts/load.mjs";

const RATIO_LEAST = 0.9;
const WORKERS = 8;
const LEASE_MS = 30_000;
/** Jobs of the backlog: more than either completes. */
const JOBS = 50_000;
/** Jobs of one call: under train-sim each client enqueues once, before the window. */
const BATCH = 10_000;
/** Seconds in which train-sim enqueues the backlog. */
const FILL_SECONDS = 5;
const SCHEMA = "pgbench_peer";
const PAYLOAD_BYTES = 200;

const LEVELS = {
  retire: "delete",
  layout: "status-index",
  ids: "bigint",
  foreignKey: "false",
  wakeup: "poll",
};
const FILE = new URL("../schema/jobs/lease.sql", import.meta.url);
const sql = readSqlOfDesign(readFileSync(FILE, "utf8"), LEVELS, {
  ...{ schema: SCHEMA, fillfactor: "100", batch: "1" },
});

/** The claim and the completion in pgbench's form: an array is built from the claimed id. */
function script() {
  const inPgbench = (name, values) => {
    const statement = sql.statements.get(name);
    if (!statement) throw new Error(`the design has no statement ${name}`);
    const { text, parameters } = statement;
    return parameters.reduce((all, each, i) => all.replaceAll(`$${i + 1}`, values[each]), text);
  };
  const claim = inPgbench("claim", { lease_ms: String(LEASE_MS) });
  const complete = inPgbench("complete", { ids: "ARRAY[:id]::bigint[]", lease: ":lease" });
  return `${claim} \\gset\n${complete};\n`;
}

async function pgbench(server, { seconds }) {
  await server.admin.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE; CREATE SCHEMA ${SCHEMA}; ${sql.schema}`);
  const filler = "x".repeat(PAYLOAD_BYTES - 76);
  await server.admin.query(`INSERT INTO ${SCHEMA}.jobs (priority, run_at, payload)
    SELECT 0, now(), jsonb_build_object('id', gen_random_uuid(), 'ms', 0, 'fails', 0, 'text', '${filler}')
    FROM generate_series(1, ${JOBS}); ANALYZE ${SCHEMA}.jobs`);
  const scripts = [{ name: "work", weight: 1, text: script() }];
  const running = await startPgbench(server, scripts, [
    "-c",
    String(WORKERS),
    "-T",
    String(seconds + 2),
    "-P",
    "1",
  ]);
  try {
    const { stderr } = await untilEnded(running);
    const rates = [...stderr.matchAll(/^progress: ([\d.]+) s, ([\d.]+) tps/gm)].map(([, , rate]) =>
      Number(rate),
    );
    return median(rates.slice(1, seconds + 1));
  } finally {
    await running.stop();
  }
}

async function trainSim(server, { seconds, round }) {
  const scenario = JSON.stringify({
    ...{ name: "job-queue", seed: round + 1, workload: "jobs", queue: "lease", trials: 1 },
    target: { kind: "url", urls: [server.url] },
    ...{
      enqueue: { batch: BATCH },
      payloadSize: `${PAYLOAD_BYTES}B`,
      pool: { strategy: "own", size: 2 * WORKERS + 4 },
    },
    actors: {
      enqueuers: { load: { clients: JOBS / BATCH, thinkTime: "1h" } },
      workers: { load: { clients: WORKERS } },
    },
    trial: { warmUp: `${FILL_SECONDS}s`, duration: `${seconds}s`, drain: false },
    diagnosis: { ceiling: false },
  });
  const running = startScenario(server, scenario);
  try {
    await untilEnded(running);
    return median(jobsBySecond(running.out).slice(-seconds));
  } finally {
    await running.stop();
  }
}

/** Completed jobs of each second of the only trial. */
function jobsBySecond(out) {
  const names = readdirSync(out, { encoding: "utf8", recursive: true });
  const file = names.find((name) => name.endsWith("timeseries.csv")) ?? "";
  const [header = "", ...lines] = readFileSync(join(out, file), "utf8").trim().split("\n");
  const columns = header.split(",");
  const at = (name) => columns.indexOf(name);
  return lines
    .map((line) => line.split(","))
    .filter((cells) => cells[at("operation")] === "work")
    .map((cells) => Number(cells[at("events")]));
}

const PROGRAMS = { "train-sim": trainSim, pgbench };
const options = readOptions({ rounds: 5, seconds: 5 }, ["apart"]);
const server = await openServer(3 * WORKERS);
try {
  if (options.apart) keepApart(server.target.serverPid);
  const rates = { "train-sim": [], pgbench: [] };
  for (let round = 0; round < options.rounds; round++)
    for (const program of inTurn(round, Object.keys(PROGRAMS))) {
      const rate = await PROGRAMS[program](server, { ...options, round });
      rates[program].push(rate);
      console.error(`round ${round + 1}/${options.rounds} ${program}: ${Math.round(rate)} jobs/s`);
      await sleep(500);
    }
  const ratios = rates["train-sim"].map((rate, round) => rate / rates.pgbench[round]);
  const isMet = median(ratios) >= RATIO_LEAST;
  const rows = [
    ["", "train-sim", "pgbench", "ratio", ""],
    [
      `lease, ${WORKERS} workers, jobs/s${options.apart ? ", apart" : ""}`,
      spread(rates["train-sim"], 0),
      spread(rates.pgbench, 0),
      spread(ratios, 2),
      isMet ? "met" : "MISSED",
    ],
  ];
  console.log(alignColumns(rows));
  if (!isMet) process.exitCode = 1;
} finally {
  await server.close();
}
