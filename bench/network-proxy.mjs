// Measures the cost of the proxy of network faults while no fault is active: round trips of a few hundred bytes to an echo
// on loopback, directly and through the proxy, in turns, by one connection and by 32 at once. The bench uses the built
// program's own proxy in its own thread; the difference of the medians is the time that a client's round trip gains. Usage:
// npm run build && node bench/network-proxy.mjs [--rounds 2000]
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { Worker, isMainThread, parentPort } from "node:worker_threads";
import { parseArgs } from "node:util";
import { median } from "#program/analysis/statistics/quantiles.js";

if (isMainThread) await measure();
else {
  // The echo server runs in a separate thread, since a real server runs in a separate process.
  const server = createServer((socket) =>
    socket
      .setNoDelay(true)
      .on("error", () => undefined)
      .pipe(socket),
  );
  server.listen(0, "127.0.0.1", () => {
    const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
    parentPort?.postMessage(port);
  });
}

async function measure() {
  const { openNetwork } = await import("#program/faults/means/network.js");
  const { values } = parseArgs({ options: { rounds: { type: "string", default: "2000" } } });
  const rounds = Number(values.rounds);
  const echo = new Worker(new URL(import.meta.url));
  const [port] = await once(echo, "message");
  const direct = { host: "127.0.0.1", port };
  const network = await openNetwork([{ ...direct, scheme: "postgresql", database: "x", user: "x" }], 1);
  const [proxied] = network.endpoints;
  for (const connections of [1, 32]) {
    /** @type {{ direct: number[], proxied: number[] }} */
    const medians = { direct: [], proxied: [] };
    for (let turn = 0; turn < 5; turn++) {
      medians.direct.push(await medianUs(direct, connections, rounds));
      medians.proxied.push(await medianUs(proxied, connections, rounds));
    }
    const [without, through] = [median(medians.direct), median(medians.proxied)];
    console.log(
      `${connections} connection(s): round trip ${without.toFixed(0)} us directly, ${through.toFixed(0)} us through the proxy: ` +
        `+${(through - without).toFixed(0)} us`,
    );
  }
  await network.close();
  await echo.terminate();
}

/** Median round trip in microseconds. */
async function medianUs({ host, port }, connections, rounds) {
  const times = await Promise.all(
    Array.from({ length: connections }, () => pings({ host, port }, Math.ceil(rounds / connections))),
  );
  return median(times.flat());
}

async function pings(address, rounds) {
  const socket = connect(address).setNoDelay(true);
  await once(socket, "connect");
  const message = Buffer.alloc(300, "x");
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const start = process.hrtime.bigint();
    socket.write(message);
    for (let got = 0; got < message.length;) got += (await once(socket, "data"))[0].length;
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  socket.destroy();
  return times;
}
