// Compares reads of workload `documents`, mix C with uniform keys, with sysbench's: the same prepared statement on the same
// rows, closed loops in turn. A ratio is the geometric mean over rounds, with Student's 95 % interval.
import { fileURLToPath } from "node:url";
import { studentInterval } from "#program/analysis/statistics/statistics.js";
import { meanWithoutPlaces } from "#program/analysis/statistics/place-effect.js";
import { statementsOf } from "#program/workloads/documents/stores/postgres.js";
import { runChild } from "../peers/child.mjs";
import { inTurn, measurePeer, preparePeerTables, secondsOfLoad, spread, trainSim } from "./load.mjs";

/** @typedef {Parameters<typeof statementsOf>[0]} Settings */

const RATIO_LEAST = 0.85;
const CLIENTS = 8;
const DOCUMENTS = 10_000;
const COLUMNS = ["relational", "jsonb"];
const SCRIPT = fileURLToPath(new URL("sysbench.lua", import.meta.url));
const PROGRESS = /^\[ (\d+)s \] thds: \d+ tps: ([\d.]+)/gm;

export const title = `documents: reads/s and microseconds of CPU, at least ${RATIO_LEAST} of sysbench`;

async function sysbench(server, { scenario }, { clients, warmUp, seconds, round }) {
  const { settings, analyze } = await preparePeerTables(server, scenario, { clients, round });
  const { user, host, port, database } = server.endpoint;
  const options = {
    ...{ "db-driver": "pgsql", "pgsql-host": host, "pgsql-port": port },
    ...{ "pgsql-user": user, "pgsql-db": database },
    ...{ threads: clients, time: secondsOfLoad({ warmUp, seconds }), events: 0, "report-interval": 1 },
    ...{ "rand-seed": round + 1, documents: DOCUMENTS },
    statement: statementsOf(/** @type {Settings} */ (settings)).read.text.replace("$1", "?"),
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const running = runChild("sysbench", [...args, SCRIPT, "run"], { env: server.environment });
  return measurePeer(server, running, analyze, { warmUp, seconds }, PROGRESS);
}

const PROGRAMS = { "train-sim": trainSim, sysbench };

/** The ratio of the rates over all rounds, with its 95 % interval. */
function ratioOf(ours, theirs) {
  const estimate = meanWithoutPlaces(
    ours.map(({ perSecond }, round) => ({
      logarithm: Math.log(perSecond / theirs[round].perSecond),
      places: 0,
    })),
  );
  const { low, high } = studentInterval(estimate, 0.05);
  return [estimate.mean, low, high].map(Math.exp);
}

export async function run(server, { rounds, seconds, warmUp }) {
  /** @type {Record<string, Awaited<ReturnType<typeof trainSim>>[]>[]} */
  const measured = COLUMNS.map(() => ({ "train-sim": [], sysbench: [] }));
  for (let round = 0; round < rounds; round++)
    for (const [index, column] of COLUMNS.entries())
      for (const program of inTurn(round, Object.keys(PROGRAMS))) {
        const scenario = { workload: "documents", documents: DOCUMENTS, column, mix: "C", keys: "uniform" };
        const setting = { clients: CLIENTS, warmUp, seconds, round };
        const figures = await PROGRAMS[program](server, { scenario }, setting);
        measured[index][program].push(figures);
        console.error(
          `round ${round + 1}/${rounds} ${column}, ${program}: ${Math.round(figures.perSecond)}/s`,
        );
      }
  const results = COLUMNS.map((column, index) => {
    const { "train-sim": ours, sysbench: theirs } = measured[index];
    const [ratio, low, high] = ratioOf(ours, theirs);
    return { column, ours, theirs, ratio, low, high, isMet: ratio >= RATIO_LEAST };
  });
  const of = (runs, figure) =>
    spread(
      runs.map((each) => each[figure]),
      0,
    );
  const rows = results.map(({ column, ours, theirs, ratio, low, high, isMet }) => [
    ...[column, of(ours, "perSecond"), of(theirs, "perSecond")],
    `${ratio.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`,
    ...[of(ours, "clientUs"), of(theirs, "clientUs"), of(ours, "serverUs"), of(theirs, "serverUs")],
    isMet ? "met" : "MISSED",
  ]);
  const programs = ["client CPU", "sysbench's", "server CPU", "sysbench's"];
  const header = [`${CLIENTS} clients, column`, "train-sim", "sysbench", "ratio", ...programs, ""];
  return { rows: [header, ...rows], isMet: results.every(({ isMet }) => isMet) };
}
