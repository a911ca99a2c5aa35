// The proxy between real sockets: bytes arrive unaltered, complete and in order under each network condition.
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock, type Clock } from "../../foundation/clock.js";
import { Prng } from "../../foundation/prng.js";
import { CLEAR_LINK, linkUnder, type Link, type NetworkCondition } from "./condition.js";
import { Pipe, resetSocket, HELD_BYTES_MAX } from "./pipe.js";
import { TcpProxy } from "./tcp-proxy.js";

const closers: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Upstream {
  readonly server: Server;
  readonly port: number;
  /** Connections so far, in order. */
  readonly sockets: Socket[];
}

async function upstreamOf(onSocket: (socket: Socket) => void): Promise<Upstream> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    sockets.push(socket);
    onSocket(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port, sockets };
}

const echo = (): Promise<Upstream> => upstreamOf((socket) => socket.pipe(socket));

async function proxyTo(port: number, clock: Clock = systemClock): Promise<TcpProxy> {
  const proxy = await TcpProxy.open({ host: "127.0.0.1", port }, clock, new Prng(7));
  closers.push(() => proxy.close());
  return proxy;
}

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  closers.push(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** All bytes until the other side ends; this side stays open. */
function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    socket.once("end", () => resolve(Buffer.concat(chunks))).once("error", reject);
  });
}

/** A pipe between two connections, and the number of bytes that it has taken. */
async function pipeUnder(link: () => Link, clock: Clock) {
  const ends = async (): Promise<[Socket, Socket]> => {
    const { port, sockets } = await upstreamOf(() => undefined);
    const near = await dial(port);
    await until(() => sockets.length === 1);
    return [near, sockets[0] as Socket];
  };
  const [sender, source] = await ends();
  const [sink, receiver] = await ends();
  let takenBytes = 0;
  const admits = (bytes: Buffer): boolean => (takenBytes += bytes.length) > 0;
  const pipe = new Pipe({ source, sink, clock, link, admits });
  return { sender, source, receiver, pipe, takenBytes: () => takenBytes };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/** A clock that moves only when `advance` is called. */
class HandClock implements Clock {
  private readonly sleeping = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  private timeMs = 1_000;

  nowMs(): number {
    return this.timeMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { atMs: this.timeMs + ms, wake: resolve };
      this.sleeping.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.sleeping.delete(sleeper);
        resolve();
      });
    });
  }

  /** Time at which the next sleeper wakes; undefined if none sleeps. */
  get nextMs(): number | undefined {
    return this.sleeping.size === 0 ? undefined : Math.min(...[...this.sleeping].map(({ atMs }) => atMs));
  }

  advanceTo(atMs: number): void {
    this.timeMs = atMs;
    for (const sleeper of [...this.sleeping])
      if (sleeper.atMs <= atMs && this.sleeping.delete(sleeper)) sleeper.wake();
  }
}

const anyCondition: fc.Arbitrary<NetworkCondition> = fc.oneof(
  fc.record({
    kind: fc.constant("latency" as const),
    latencyMs: fc.integer({ min: 2, max: 5 }),
    jitterMs: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({
    kind: fc.constant("bandwidth" as const),
    bytesPerSecond: fc.integer({ min: 5_000_000, max: 50_000_000 }),
  }),
  fc.constant({ kind: "blackhole" as const }),
  fc.constant({ kind: "refuse" as const, drop: false }),
);

describe("bytes through the proxy", () => {
  it("arrive unaltered, complete and in order while conditions of the network change", async () => {
    const { port } = await echo();
    const proxy = await proxyTo(port);
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 40_000 });
    const step = fc.oneof(
      { weight: 4, arbitrary: chunk },
      { weight: 1, arbitrary: anyCondition },
      { weight: 1, arbitrary: fc.constant("mend" as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const socket = await dial(proxy.port);
        const answer = readAll(socket);
        const sent: Buffer[] = [];
        for (const each of steps) {
          if (each === "mend") await proxy.clear();
          else if (each instanceof Uint8Array) {
            sent.push(Buffer.from(each));
            socket.write(each);
            await turn();
          } else await proxy.apply(each);
        }
        socket.end();
        await proxy.clear();
        expect((await answer).equals(Buffer.concat(sent))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("still flow in one direction after the other direction has ended", async () => {
    const { port } = await upstreamOf((socket) => {
      void readAll(socket).then((all) => socket.end(`got ${all.length}`));
    });
    const proxy = await proxyTo(port);
    const socket = await dial(proxy.port);
    const answer = readAll(socket);
    socket.write(Buffer.alloc(300_000));
    socket.end("!");
    expect((await answer).toString()).toBe("got 300001");
  });

  it("wait at the sender while the link is closed, and arrive once it opens", async () => {
    let link: Link = { ...CLEAR_LINK, isOpen: false };
    const { sender, source, receiver, pipe, takenBytes } = await pipeUnder(() => link, systemClock);
    sender.end(Buffer.alloc(8 << 20, "x"));
    await until(() => source.isPaused());
    expect(takenBytes()).toBeGreaterThanOrEqual(HELD_BYTES_MAX);
    expect(takenBytes()).toBeLessThanOrEqual(HELD_BYTES_MAX + 65_536);
    link = CLEAR_LINK;
    pipe.handleLinkChange();
    expect((await readAll(receiver)).length).toBe(8 << 20);
  });
});

describe("a proxied network", () => {
  it("delays bytes by the latency and keeps their order despite jitter", async () => {
    const clock = new HandClock();
    const link = linkUnder({ kind: "latency", latencyMs: 100, jitterMs: 30 }, new Prng(3));
    const { sender, receiver, takenBytes } = await pipeUnder(() => link, clock);
    const startMs = clock.nowMs();
    const text = Array.from({ length: 20 }, (_, i) => `${i},`);
    for (const each of text) {
      sender.write(each);
      await turn();
    }
    await until(() => takenBytes() === text.join("").length);
    const answer = readAll(receiver);
    sender.end();
    const firsts: number[] = [];
    receiver.on("data", () => firsts.push(clock.nowMs() - startMs));
    let isOver = false;
    void answer.then(() => (isOver = true));
    while (!isOver) {
      const { nextMs } = clock;
      if (nextMs === undefined) await turn();
      else clock.advanceTo(nextMs);
    }
    expect((await answer).toString()).toBe(text.join(""));
    expect(firsts[0]).toBeGreaterThanOrEqual(70);
    // The end may arrive after the clock has moved on by the delay of the first pieces, and is then delayed itself.
    expect(clock.nowMs() - startMs).toBeLessThanOrEqual(2 * 130);
  });

  it("limits the bandwidth of all its connections together", async () => {
    const clock = new HandClock();
    let received = 0;
    const { port } = await upstreamOf((socket) => socket.on("data", (bytes) => (received += bytes.length)));
    const proxy = await proxyTo(port, clock);
    await proxy.apply({ kind: "bandwidth", bytesPerSecond: 100_000 });
    const sockets = [await dial(proxy.port), await dial(proxy.port)];
    const startMs = clock.nowMs();
    for (const socket of sockets) socket.write(Buffer.alloc(50_000));
    while (received < 100_000) {
      const { nextMs } = clock;
      if (nextMs !== undefined) clock.advanceTo(nextMs);
      await turn();
      // The first 50 ms of an idle link are free.
      const mostBytes = 100 * (clock.nowMs() - startMs + 50) + 1;
      expect(received).toBeLessThanOrEqual(mostBytes);
    }
    expect(clock.nowMs() - startMs).toBeCloseTo(950, 0);
  });

  it("holds connections and bytes during a blackhole, and delivers them afterwards", async () => {
    const { port, sockets } = await echo();
    const proxy = await proxyTo(port);
    const before = await dial(proxy.port);
    await until(() => sockets.length === 1);
    await proxy.apply({ kind: "blackhole" });
    expect(proxy.effect).toMatchObject({ connections: 1, resets: 0 });
    const during = await dial(proxy.port);
    let heard = 0;
    for (const socket of [before, during]) {
      socket.on("data", (bytes) => (heard += bytes.length));
      socket.write("hello");
    }
    await until(() => proxy.size === 2);
    for (let i = 0; i < 50; i++) await turn();
    expect([heard, sockets.length]).toEqual([0, 1]);
    await proxy.clear();
    await until(() => heard === 10);
    expect(sockets).toHaveLength(2);
  });

  it.each([false, true])("refuses new connections; drop of open connections: %s", async (drop) => {
    const { port } = await echo();
    const proxy = await proxyTo(port);
    const old = await dial(proxy.port);
    await until(() => proxy.size === 1);
    const ended = once(old, "error");
    await proxy.apply({ kind: "refuse", drop });
    for (let i = 0; i < 3; i++) await expect(dial(proxy.port)).rejects.toThrow(/ECONNREFUSED/);
    if (drop) expect(await ended).toMatchObject([{ code: "ECONNRESET" }]);
    else {
      ended.catch(() => undefined);
      old.write("still here");
      expect(String((await once(old, "data"))[0])).toBe("still here");
    }
    const { port: sameAsBefore } = proxy;
    await proxy.clear();
    expect(proxy.port).toBe(sameAsBefore);
    const fresh = await dial(proxy.port);
    fresh.write("again");
    expect(String((await once(fresh, "data"))[0])).toBe("again");
  });

  it("resets both sides of every open connection once", async () => {
    const { port, sockets } = await echo();
    const proxy = await proxyTo(port);
    const clients = [await dial(proxy.port), await dial(proxy.port)];
    await until(() => sockets.length === 2);
    const errors = [...clients, ...sockets].map((socket) => once(socket, "error"));
    await proxy.apply({ kind: "reset" });
    for (const [error] of await Promise.all(errors)) expect(error).toMatchObject({ code: "ECONNRESET" });
    expect(proxy.effect).toMatchObject({ connections: 2, resets: 2 });
    const fresh = await dial(proxy.port);
    fresh.write("on");
    expect(String((await once(fresh, "data"))[0])).toBe("on");
  });

  it("leads new connections to another server and resets the open ones, also during a blackhole", async () => {
    const [old, next] = [await echo(), await echo()];
    const proxy = await proxyTo(old.port);
    const first = await dial(proxy.port);
    await until(() => old.sockets.length === 1);
    await proxy.apply({ kind: "blackhole" });
    const held = await dial(proxy.port);
    await until(() => proxy.size === 2);
    const errors = [first, held].map((socket) => once(socket, "error"));
    proxy.redirect({ host: "127.0.0.1", port: next.port });
    for (const [error] of await Promise.all(errors)) expect(error).toMatchObject({ code: "ECONNRESET" });
    const fresh = await dial(proxy.port);
    await proxy.clear();
    fresh.write("on");
    expect(String((await once(fresh, "data"))[0])).toBe("on");
    expect([old.sockets.length, next.sockets.length]).toEqual([1, 1]);
    expect(proxy.effect).toMatchObject({ connections: 1, resets: 0 });
  });
});

describe("a share of commits lost by the proxy", () => {
  it.each([
    ["COMMIT", "Q\0\0\0\x0bCOMMIT\0"],
    ["END", "Q\0\0\0\x08END\0"],
    ["commit work behind a ROLLBACK", "Q\0\0\0\x0dROLLBACK\0Q\0\0\0\x10commit work\0"],
  ])(
    "breaks the connection before the server receives %s or before the client receives the answer",
    async (_, text) => {
      const COMMIT = Buffer.from(text, "latin1");
      let commits = 0;
      const { port } = await upstreamOf((socket) => {
        socket.on("data", (bytes) => {
          if (bytes.equals(COMMIT)) commits++;
          socket.write("answer");
        });
      });
      const proxy = await proxyTo(port);
      await proxy.apply({ kind: "reset-commits", share: 0.8 });
      let acknowledged = 0;
      for (let i = 0; i < 60; i++) {
        const socket = await dial(proxy.port);
        socket.write("Q\0\0\0\x0dROLLBACK\0");
        expect(String((await once(socket, "data"))[0])).toBe("answer");
        socket.write(COMMIT);
        const how = await Promise.race([
          once(socket, "data").then(() => "answered"),
          once(socket, "error").then(([error]) => (error as NodeJS.ErrnoException).code),
        ]).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
        if (how === "answered") acknowledged++;
        else expect(how).toBe("ECONNRESET");
      }
      const { resets, commitsLost, answersLost } = proxy.effect;
      expect(commitsLost).toBeGreaterThan(10);
      expect(answersLost).toBeGreaterThan(10);
      expect(resets).toBe(commitsLost + answersLost);
      expect(acknowledged).toBe(60 - resets);
      expect(commits).toBe(60 - commitsLost);
    },
  );
});

describe("the end of a connection", () => {
  it("is a reset if the upstream does not listen", async () => {
    const { port, server } = await echo();
    server.close();
    const proxy = await proxyTo(port);
    const socket = await dial(proxy.port);
    expect(await once(socket, "error")).toMatchObject([{ code: "ECONNRESET" }]);
    await until(() => proxy.size === 0);
  });

  it("is passed on as a reset to the other side", async () => {
    const { port, sockets } = await echo();
    const proxy = await proxyTo(port);
    const socket = await dial(proxy.port);
    await until(() => sockets.length === 1);
    const error = once(socket, "error");
    sockets[0]?.resetAndDestroy();
    expect(await error).toMatchObject([{ code: "ECONNRESET" }]);
    await until(() => proxy.size === 0);
  });

  it("comes with the proxy's end, also during a blackhole", async () => {
    const { port, sockets } = await echo();
    const proxy = await proxyTo(port);
    const clients = [await dial(proxy.port), await dial(proxy.port)];
    await until(() => sockets.length === 2);
    await proxy.apply({ kind: "blackhole" });
    clients.push(await dial(proxy.port));
    await until(() => proxy.size === 3);
    const errors = clients.map((client) => once(client, "error"));
    await proxy.close();
    expect(await Promise.all(errors)).toHaveLength(3);
    await until(() => proxy.size === 0 && sockets.every((socket) => socket.destroyed));
    await expect(dial(proxy.port)).rejects.toThrow(/ECONNREFUSED/);
  });

  it("comes for a socket that is reset while it shuts down", async () => {
    const { port } = await upstreamOf(() => undefined);
    const socket = await dial(port);
    const closed = once(socket, "close");
    socket.end("the last word");
    resetSocket(socket);
    await closed;
  });

  it.each([0, 1, 2, 3, 5, 8])(
    "comes with the proxy's end, while connections send, end or break, after %d turns",
    async (turns) => {
      // The upstream is paused and reads nothing, so these bytes stay held back.
      const { port } = await upstreamOf((socket) => socket.pause());
      const proxy = await proxyTo(port);
      const clients = await Promise.all(Array.from({ length: 12 }, () => dial(proxy.port)));
      await until(() => proxy.size === 12);
      clients.forEach((client, index) => {
        client.on("error", () => undefined);
        if (index % 2 === 0) client.write(Buffer.alloc(index * 1_000_000 + 1));
        if (index % 3 === 0) client.end();
        if (index % 4 === 0) client.destroy();
      });
      for (let i = 0; i < turns; i++) await turn();
      await proxy.close();
      await until(() => proxy.size === 0);
    },
  );
});
