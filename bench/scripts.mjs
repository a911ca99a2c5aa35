// Compares user SQL under train-sim with the real pgbench on one embedded server: A rate and B client CPU of the bank of
// `scenarios/bank.sql` (and pgbench's TPC-B), C service times, D the keys that are drawn, E the calls of each statement, F
// the rate and CPU of bare sockets in Node, G what pipelines give, H payments in the server's log, I reads of documents
// and sysbench's. Rounds are interleaved; a figure is a median with the least and the most of a round. The bench exits with
// 1 if a bound is missed. Run `npm run build` first: it measures the built program. A to C and F to I need an otherwise
// idle machine, and up to 4 minutes each.
//
// The option --apart gives the server the first processor and everything else the others, like two machines (Linux, taskset).
//
//   node bench/scripts.mjs [--rounds 3] [--seconds 5] [--warmUp 3] [--only A,B,C,D,E,F,G,H,I] [--apart]
import { cpus, loadavg } from "node:os";
import { keepApart } from "./apart.mjs";
import { readOptions } from "./options.mjs";
import { openServer } from "./peers/server.mjs";
import { alignColumns } from "./peers/tables.mjs";
import * as calls from "./scripts/calls.mjs";
import * as cpu from "./scripts/cpu.mjs";
import * as draws from "./scripts/draws.mjs";
import * as floor from "./scripts/floor.mjs";
import * as latency from "./scripts/latency.mjs";
import * as pipeline from "./scripts/pipeline.mjs";
import * as rate from "./scripts/rate.mjs";
import * as serverLog from "./scripts/server-log.mjs";
import * as sysbench from "./scripts/sysbench.mjs";

const PARTS = {
  A: rate,
  B: cpu,
  C: latency,
  D: draws,
  E: calls,
  F: floor,
  G: pipeline,
  H: serverLog,
  I: sysbench,
};
/** Largest number of clients of both programs together. */
const CLIENTS_MOST = 40;

const options = readOptions({ rounds: 3, seconds: 5, warmUp: 3 }, ["apart"], { only: Object.keys(PARTS) });
console.log(
  `${options.rounds} rounds, windows of ${options.seconds} s after ${options.warmUp} s, ${cpus().length} processors${options.apart ? ", apart" : ""}, load ${loadavg()[0]?.toFixed(2)}`,
);
const server = await openServer(CLIENTS_MOST);
try {
  if (options.apart) keepApart(server.target.serverPid);
  for (const letter of options.only) {
    const { title, run } = PARTS[letter];
    const { rows, isMet } = await run(server, options);
    console.log(`\n${letter}. ${title}\n${alignColumns(rows)}`);
    if (!isMet) process.exitCode = 1;
  }
} finally {
  await server.close();
}
