// Compares latencies that train-sim reports with pgbench's: the same SQL at the same rate with as many clients, one
// operation at a time, both at once on one embedded server. Service times (pgbench's latency without its schedule lag) have
// bounds on all rounds' samples together: mean, median and p95 within 5 %, p99 within 10 %. The bench also prints the least
// and the most of a round and the reach of chance alone. Response times have no bound, since they include each program's
// start delay; nor have the server's own times per transaction, which are not all of it. The bench exits with 1 if a bound
// is missed. Run `npm run build` first: it measures the built program.
//
//   node bench/fidelity.mjs [--rounds 5] [--seconds 40] [--warmUp 16] [--clients 8] [--short] [--json]
import { connectAdmin } from "#program/database/postgres/admin.js";
import { startEmbedded } from "#program/targets/embedded/embedded.js";
import { median } from "#program/analysis/statistics/quantiles.js";
import { BOUNDS, compareSamples } from "./fidelity/comparison.mjs";
import { measureBoth } from "./fidelity/generators.mjs";
import { fillKeys, OPERATIONS, PEER_ROLE } from "./fidelity/operations.mjs";
import { countStatements } from "./fidelity/server-times.mjs";
import { readOptions } from "./options.mjs";
import { findPgbench } from "./peers/find-pgbench.mjs";

/** Connections of the server besides the clients of both programs. */
const SPARE_CONNECTIONS = 8;
/** Maximum number of groups of clients of each program. */
const GROUPS = 2;

/** Compares the means that the server measured for both programs, one per round. */
function compareMeans(ours, theirs) {
  const ratios = ours.map((mean, round) => mean / theirs[round]);
  const values = { trainSimMs: median(ours), pgbenchMs: median(theirs), ratio: median(ratios) };
  return { ...values, ratios, chance: null };
}

function compare(name, time, rounds) {
  const metrics = time === "server" ? ["mean"] : Object.keys(BOUNDS);
  const [ours, theirs] = ["trainSim", "pgbench"].map((generator) =>
    rounds.map((round) => round[generator][time]),
  );
  return metrics.map((metric) => {
    const { ratios, ...compared } =
      time === "server" ? compareMeans(ours, theirs) : compareSamples(ours, theirs, metric);
    const bound = time === "service" ? BOUNDS[metric] : null;
    return {
      ...{ operation: name, time, metric, ...compared },
      ...{ least: Math.min(...ratios), most: Math.max(...ratios), bound },
      isMet: bound === null || Math.abs(compared.ratio - 1) <= bound,
    };
  });
}

function print({ operation, time, metric, trainSimMs, pgbenchMs, ratio, chance, least, most, bound, isMet }) {
  const cells = [operation.padEnd(8), time.padEnd(9), metric.padEnd(5)];
  const times = [trainSimMs, pgbenchMs].map((ms) => ms.toFixed(3).padStart(9));
  const reach =
    chance === null
      ? ""
      : `, by chance alone ${(ratio / chance).toFixed(2)} .. ${(ratio * chance).toFixed(2)}`;
  const range = `${ratio.toFixed(3)}  (rounds ${least.toFixed(3)} .. ${most.toFixed(3)}${reach})`;
  const verdict = bound === null ? "" : `  ${isMet ? "met" : "MISSED"}: within ${bound * 100} %`;
  console.log([...cells, ...times, range].join(" ") + verdict);
}

const options = readOptions({ rounds: 5, seconds: 40, warmUp: 16, clients: 8 }, ["short"]);
const rounds = options.short ? 3 : options.rounds;
const seconds = options.short ? 4 : options.seconds;
const warmUpSeconds = options.short ? 4 : options.warmUp;
const program = await findPgbench();
const server = await startEmbedded(
  { autovacuum: "off" },
  { maxConnectionsNeeded: 2 * GROUPS * options.clients + SPARE_CONNECTIONS },
);
const rows = [];
try {
  const admin = await connectAdmin(server.admin, { purpose: "fidelity" });
  await fillKeys(admin);
  await countStatements(admin, server.admin.password);
  const peerAdmin = await connectAdmin({ ...server.admin, user: PEER_ROLE }, { purpose: "fidelity" });
  if (!options.json)
    console.log(`operation time     metric  train-sim   pgbench ratio of ${rounds} rounds, milliseconds`);
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const shared = {
      ...{ operation, endpoint: server.admin, admin, peerAdmin, clients: options.clients, seconds },
      warmUpSeconds: "warmUpTimes" in operation ? operation.warmUpTimes * warmUpSeconds : warmUpSeconds,
    };
    const measured = [];
    for (let round = 0; round < rounds; round++) {
      measured.push(await measureBoth(program, { ...shared, seed: 100 + round }));
    }
    const compared = ["service", "response", "server"].flatMap((time) => compare(name, time, measured));
    rows.push(...compared);
    if (!options.json) compared.forEach(print);
  }
  await peerAdmin.close();
  await admin.close();
} finally {
  await server.stop();
}
if (options.json) console.log(JSON.stringify({ rounds, seconds, clients: options.clients, rows }, null, 2));
if (rows.some(({ isMet }) => !isMet)) process.exitCode = 1;
