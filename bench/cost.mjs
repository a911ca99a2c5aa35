// Compares the client CPU of today's program with an older commit's: both programs run at the same time on one server, each
// in a separate database, and their processor time per transaction is compared pair by pair. The bench exits with 1 if the
// 95 % interval of a ratio lies above 1.03; then, or with --parts, the cost of each part of both programs follows
// (`bench/parts.mjs`). Run `npm run build` first: today's program is the built one. It needs Linux, for /proc.
//
// The option --node runs today's program on a major version of Node, from npm; the older program runs on this Node.
// The option --program measures another built program instead of today's.
//
//   npm run bench:cost -- --base REV [--rounds 5] [--seconds 5] [--warmUp 5] [--only bank,calls] [--node 24]
//                         [--program dist/cli/main.js] [--parts] [--json]
import { cpus } from "node:os";
import { resolve } from "node:path";
import { studentInterval } from "#program/analysis/statistics/statistics.js";
import { meanWithoutPlaces } from "#program/analysis/statistics/place-effect.js";
import { buildRevision, commitOf, measuredParts, nodeOf, partsOf } from "./cost/revision.mjs";
import { CASES } from "./cost/cases.mjs";
import { readOptions } from "./options.mjs";
import { measureTrainSim, spread } from "./scripts/load.mjs";
import { openServer } from "./peers/server.mjs";
import { alignColumns } from "./peers/tables.mjs";
import { startScenario } from "./peers/train-sim.mjs";

const RATIO_MOST = 1.03;
/** Connections of the server: enough for both programs, their sampling and the bench itself. */
const CONNECTIONS = 40;
/** Seconds of load after the window, so that neither program ends inside it. */
const SLACK_SECONDS = 3;
const SEED = 100;
const FIGURES = /** @type {const} */ ({ clientUs: "transaction", eventUs: "event" });
const DATABASES = ["cost_base", "cost_now"];

const defaults = { rounds: 5, seconds: 5, warmUp: 5, node: parseInt(process.versions.node) };
const texts = { base: undefined, program: resolve(import.meta.dirname, "../dist/cli/main.js") };
const options = readOptions(defaults, ["parts"], { only: Object.keys(CASES) }, texts);
const base = commitOf(options.base);
const programs = [
  { main: buildRevision(base) },
  { main: resolve(options.program), node: nodeOf(options.node) },
];
const server = await openServer(CONNECTIONS);

/** Access to one database of the server, which is all that one program sees. @param {string} database */
const inDatabase = (database) => ({
  url: server.url.replace(/[^/]*$/, database),
  environment: { ...server.environment, PGDATABASE: database },
  counters: (pids) => server.counters(pids),
});

/**
 * Runs the base's and today's program over the same seconds; returns the figures of both. Which one starts first alternates
 * with the round.
 */
async function pair(name, round) {
  const trial = {
    warmUp: `${options.warmUp}s`,
    duration: `${options.seconds + SLACK_SECONDS}s`,
    drain: false,
  };
  const common = { name: "cost", seed: SEED + round, trials: 1, diagnosis: { ceiling: false } };
  const start = (which) => {
    const own = inDatabase(DATABASES[which]);
    const target = { kind: "url", urls: [own.url] };
    const text = JSON.stringify({ ...common, ...CASES[name], target, trial });
    return measureTrainSim(own, startScenario(own, text, programs[which]), options.seconds);
  };
  const measured = round % 2 === 0 ? [start(0), start(1)] : [start(1), start(0)].toReversed();
  const [was, is] = await Promise.all(measured);
  return { was, is };
}

/** The ratio of a figure over all pairs, with its 95 % interval. */
function comparePairs(pairs, figure) {
  const differences = pairs.map(({ was, is }) => ({
    logarithm: Math.log(is[figure] / was[figure]),
    places: 0,
  }));
  const estimate = meanWithoutPlaces(differences);
  const { low, high } = studentInterval(estimate, 0.05);
  return { ratio: Math.exp(estimate.mean), low: Math.exp(low), high: Math.exp(high) };
}

const rows = [["load", "client CPU of", `${base}, us`, "built, us", "ratio", "95 % CI", ""]];
const results = [];
try {
  for (const database of DATABASES) await server.admin.query(`CREATE DATABASE ${database}`);
  for (const name of options.only) {
    const pairs = [];
    for (let round = 0; round < options.rounds; round++) pairs.push(await pair(name, round));
    for (const [figure, what] of Object.entries(FIGURES)) {
      const { ratio, low, high } = comparePairs(pairs, figure);
      const isDearer = low > RATIO_MOST;
      const [was, is] = ["was", "is"].map((side) =>
        spread(
          pairs.map((each) => each[side][figure]),
          0,
        ),
      );
      rows.push([
        ...[name, what, was, is, ratio.toFixed(3), `[${low.toFixed(3)}, ${high.toFixed(3)}]`],
        isDearer ? "DEARER" : "",
      ]);
      results.push({
        name,
        what,
        base,
        ratio,
        low,
        high,
        isDearer,
        pairs: pairs.map(({ was, is }) => [was[figure], is[figure]]),
      });
      if (isDearer) process.exitCode = 1;
    }
    console.error(alignColumns(rows.slice(-2)));
  }
} finally {
  await server.close();
}

/** Rows of a table, one for each part: nanoseconds and heap bytes of one operation, in the base and today. */
function partRows() {
  const [was, is] = [partsOf(base), measuredParts()];
  if (!was || !is) return [[`parts: ${was ? "today's" : `those of ${base}`} could not be measured`]];
  const cells = ({ ns, bytes } = { ns: NaN, bytes: NaN }) => [ns.toFixed(0), bytes.toFixed(0)];
  const rows = Object.keys(is).map((name) => [name, ...cells(was[name]), ...cells(is[name])]);
  return [["part", `${base}, ns`, "bytes", "built, ns", "bytes"], ...rows];
}

const onOther = options.node === defaults.node ? "" : ` (built: Node ${options.node})`;
const parts = options.parts || results.some(({ isDearer }) => isDearer) ? partRows() : [];
const machine = `${cpus().length} processors, Node ${process.version}${onOther}, ${options.rounds} pairs of ${options.seconds} s after ${options.warmUp} s`;
if (options.json) console.log(JSON.stringify({ machine, results, parts }));
else
  console.log([machine, alignColumns(rows), ...(parts.length > 0 ? [alignColumns(parts)] : [])].join("\n"));
