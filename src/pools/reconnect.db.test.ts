// A restart of the server as its clients see it, on a loopback server that counts connections: clients that lost their
// connections come back a few at a time, and a server that is away does not delay clients of another server.
import type { Connection } from "../database/sql.js";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, inject, it } from "vitest";
import type { Endpoint } from "../database/endpoint.js";
import { SIMULTANEOUS_CONNECTS_MAX } from "./bounded.js";
import { createConnectionSource } from "./registry.js";
import type { ConnectionSource } from "../database/session.js";

const CLIENTS = 100;
const endpoint = inject("adminEndpoint");
const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function sourceFor(endpoints: readonly Endpoint[], clients: number): ConnectionSource<Connection> {
  const source = createConnectionSource({
    pool: { strategy: "direct", reconnect: "never" },
    endpoints,
    clients,
    firstClient: 0,
    clientsOfTrial: clients,
    workers: 1,
    workerIndex: 0,
    prepared: true,
    applicationName: "train-sim/reconnect",
  }) as ConnectionSource<Connection>;
  closers.push(() => source.close());
  return source;
}

/** A server that accepts every connection and never sends its first message. */
async function muteServer(): Promise<{ endpoint: Endpoint; sockets: Set<Socket>; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    server.emit("guest");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { endpoint: { ...endpoint, port: (server.address() as AddressInfo).port }, sockets, server };
}

it("a limited number of connections opens at once when all clients lost theirs", async () => {
  const mute = await muteServer();
  let most = 0;
  mute.server.on("guest", () => (most = Math.max(most, mute.sockets.size)));
  const source = sourceFor([mute.endpoint], CLIENTS);
  let refused = 0;
  const everyone = Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      Promise.resolve(source.acquire(client)).then(
        () => expect.unreachable("a mute server lets nobody in"),
        () => refused++,
      ),
    ),
  );
  while (refused < CLIENTS) {
    const wave = Math.min(SIMULTANEOUS_CONNECTS_MAX, CLIENTS - refused);
    while (mute.sockets.size < wave) await once(mute.server, "guest");
    const gone = refused + wave;
    for (const socket of mute.sockets) socket.destroy();
    while (refused < gone) await new Promise(setImmediate);
  }
  await everyone;
  expect(most).toBe(SIMULTANEOUS_CONNECTS_MAX);
});

it("clients of an available server are served while clients of an unavailable one wait", async () => {
  const mute = await muteServer();
  // Clients are dealt to the endpoints in turn, so even clients go to the mute one.
  const source = sourceFor([mute.endpoint, endpoint], CLIENTS);
  const waiting = Array.from({ length: CLIENTS / 2 }, (_, index) =>
    Promise.resolve(source.acquire(index * 2)).then(
      () => expect.unreachable("a mute server lets nobody in"),
      () => undefined,
    ),
  );
  await once(mute.server, "guest");
  const lease = await source.acquire(1);
  expect(await lease.connection.execute({ name: "test.one", text: "SELECT 1 AS one" }, [])).toEqual([[1]]);
  await source.close();
  await Promise.all(waiting);
});
