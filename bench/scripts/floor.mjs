// Measures the least cost of a client in Node: one short prepared statement, over and over, by the program's own sockets,
// which send prepared bytes and look only for the end of an answer, compared with pgbench with the same statement. All
// further cost of a round trip of train-sim is the program's own work.
import { Client } from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { median } from "#program/analysis/statistics/quantiles.js";
import { PlainSocket } from "#program/database/postgres/wire/plain-socket.js";
import { startScript } from "../peers/pgbench.mjs";
import { inTurn, spread, untilEnded } from "./load.mjs";

const STATEMENT = "SELECT 1";
const SETTINGS = [1, 8];
const READY = "Z".charCodeAt(0);

export const title = "floor: statements/s and client CPU of bare sockets in Node beside pgbench";

/** Messages that execute a prepared statement without parameters: Bind, Execute and Sync of the unnamed portal. */
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

/**
 * Opens connections, prepares the statement on each, and returns their sockets. They read into one buffer, as train-sim's
 * own do.
 */
async function openSockets(server, clients) {
  return Promise.all(
    Array.from({ length: clients }, async () => {
      const stream = new PlainSocket();
      const client = new Client({ ...server.endpoint, stream: () => stream });
      // The bench destroys the socket at the end, which the client reports as an error.
      client.on("error", () => undefined);
      await client.connect();
      await client.query({ name: "floor", text: STATEMENT });
      return stream;
    }),
  );
}

/** Rate of bare sockets: statements per second over the window, and microseconds of processor time per statement. */
async function bareSockets(server, clients, { seconds, warmUp }) {
  const sockets = await openSockets(server, clients);
  const request = messages("floor");
  let count = 0;
  for (const stream of sockets) {
    // An answer ends with six bytes: Z, its length, and the transaction status.
    const reader = {
      goesOn: (arrived) => arrived[arrived.length - 6] !== READY,
      take(arrived) {
        count++;
        stream.readFirst(reader);
        stream.write(request);
        return arrived.length;
      },
    };
    stream.readFirst(reader);
    stream.write(request);
  }
  await sleep(warmUp * 1000);
  const [before, cpuBefore, beganMs] = [count, process.cpuUsage(), performance.now()];
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(cpuBefore);
  const made = count - before;
  const perSecond = (made * 1000) / (performance.now() - beganMs);
  for (const stream of sockets) stream.destroy();
  return { perSecond, clientUs: (user + system) / made };
}

/**
 * Rate of pgbench: statements per second, and microseconds of processor time per statement, read from one second after its
 * start to one second before its end.
 */
async function pgbench(server, clients, { seconds, round }) {
  const running = await startScript(server, {
    script: `${STATEMENT};`,
    clients,
    seconds: seconds + 2,
    seed: round + 1,
  });
  try {
    await sleep(1000);
    const before = await server.counters(running.pids);
    await sleep(seconds * 1000);
    const after = await server.counters(running.pids);
    const { stdout } = await untilEnded(running);
    const perSecond = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
    const cpu = (after.clientCpuSeconds - before.clientCpuSeconds) / ((after.atMs - before.atMs) / 1000);
    return { perSecond, clientUs: (cpu / perSecond) * 1e6 };
  } finally {
    await running.stop();
  }
}

const PROGRAMS = { sockets: bareSockets, pgbench };

export async function run(server, { rounds, seconds, warmUp }) {
  const rows = [["clients", "bare sockets", "pgbench", "ratio", "client CPU, us", "pgbench's"]];
  for (const clients of SETTINGS) {
    /** @type {Record<string, { perSecond: number, clientUs: number }[]>} */
    const seen = { sockets: [], pgbench: [] };
    for (let round = 0; round < rounds; round++)
      for (const program of inTurn(round, Object.keys(PROGRAMS)))
        seen[program].push(await PROGRAMS[program](server, clients, { seconds, warmUp, round }));
    const ratios = seen["sockets"].map((each, round) => each.perSecond / seen["pgbench"][round].perSecond);
    const of = (program, figure, digits) =>
      spread(
        seen[program].map((each) => each[figure]),
        digits,
      );
    rows.push([
      ...[String(clients), of("sockets", "perSecond", 0), of("pgbench", "perSecond", 0), spread(ratios, 3)],
      ...[of("sockets", "clientUs", 1), of("pgbench", "clientUs", 1)],
    ]);
    console.error(`${clients} clients: ${median(ratios).toFixed(3)}`);
  }
  return { rows, isMet: true };
}
