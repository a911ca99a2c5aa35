import { createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ServerWatch } from "./server-watch.js";

const TIMES = { everyMs: 5, answerMs: 20, patienceMs: 60 };

describe("the watch of a server that accepts connections and answers none", () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  let watch: ServerWatch;

  beforeEach(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const endpoint = { scheme: "postgresql", host: "127.0.0.1", port, user: "app", database: "app" };
    watch = new ServerWatch(endpoint, undefined, TIMES);
  });

  afterEach(async () => {
    await watch.stop();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it("gives it up once it has been away for too long", async () => {
    expect(await watch.lost).toMatch(/has not answered for \d+ s: cannot connect/);
  });

  it("does not, while it serves clients", async () => {
    let words: string | undefined;
    void watch.lost.then((each) => (words = each));
    const attempts = sockets.length;
    while (sockets.length < attempts + 10) {
      watch.served();
      await sleep(1);
    }
    expect(words).toBeUndefined();
    expect(await watch.lost).toMatch(/has not answered/);
  });
});
