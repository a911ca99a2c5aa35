// The least that a client in Node costs: one short prepared statement, over and over, by sockets that send bytes made before and
// look only for the end of an answer, beside pgbench with the same statement. What train-sim could save by another driver,
// or by less work of its own, is what it costs beyond that.
import { Client } from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "#program/analysis/statistics/quantiles.js";
import { startScript } from "../peers/pgbench.mjs";
import { inTurn, spread, untilEnded } from "./load.mjs";

const STATEMENT = "SELECT 1";
const SETTINGS = [1, 8];
const READY = "Z".charCodeAt(0);

export const title = "floor: statements/s of bare sockets in Node beside pgbench";

/** Bind, Execute and Sync of the unnamed portal of a prepared statement without parameters. */
function messages(name) {
  const message = (type, body) => {
    const head = Buffer.alloc(5);
    head.write(type, 0);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const bind = message("B", Buffer.concat([Buffer.from(`\0${name}\0`), Buffer.alloc(6)]));
  return Buffer.concat([bind, message("E", Buffer.from([0, 0, 0, 0, 0])), message("S", Buffer.alloc(0))]);
}

/** Connections that have prepared the statement, as bare sockets. */
async function openSockets(server, clients) {
  return Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new Client({ ...server.endpoint });
      // Its socket is cut at the end, behind its back.
      client.on("error", () => undefined);
      await client.connect();
      await client.query({ name: "floor", text: STATEMENT });
      const { stream } = /** @type {any} */ (client).connection;
      stream.removeAllListeners("data");
      return stream;
    }),
  );
}

/** Statements a second over these seconds. */
async function bareSockets(server, clients, { seconds, warmUp }) {
  const sockets = await openSockets(server, clients);
  const request = messages("floor");
  let count = 0;
  for (const stream of sockets) {
    // The end of an answer is six bytes: Z, its length, and the state.
    stream.on("data", (data) => {
      if (data[data.length - 6] !== READY) return;
      count++;
      stream.write(request);
    });
    stream.write(request);
  }
  await sleep(warmUp * 1000);
  const [before, beganMs] = [count, performance.now()];
  await sleep(seconds * 1000);
  const perSecond = ((count - before) * 1000) / (performance.now() - beganMs);
  for (const stream of sockets) stream.destroy();
  return perSecond;
}

async function pgbench(server, clients, { seconds, round }) {
  const running = await startScript(server, { script: `${STATEMENT};`, clients, seconds, seed: round + 1 });
  try {
    const { stdout } = await untilEnded(running);
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  } finally {
    await running.stop();
  }
}

const PROGRAMS = { sockets: bareSockets, pgbench };

export async function run(server, { rounds, seconds, warmUp }) {
  const rows = [["clients", "bare sockets", "pgbench", "ratio"]];
  for (const clients of SETTINGS) {
    /** @type {Record<string, number[]>} */
    const seen = { sockets: [], pgbench: [] };
    for (let round = 0; round < rounds; round++)
      for (const program of inTurn(round, Object.keys(PROGRAMS)))
        seen[program].push(await PROGRAMS[program](server, clients, { seconds, warmUp, round }));
    const ratios = seen["sockets"].map((each, round) => each / seen["pgbench"][round]);
    rows.push([String(clients), spread(seen["sockets"], 0), spread(seen["pgbench"], 0), spread(ratios, 3)]);
    console.error(`${clients} clients: ${median(ratios).toFixed(3)}`);
  }
  return { rows, isMet: true };
}
