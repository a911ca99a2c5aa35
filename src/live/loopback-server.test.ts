// Over real sockets on loopback, each server on a port that the system picks.
import { connect } from "node:net";
import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { UsageError } from "../foundation/errors.js";
import { EventStream } from "./dashboard.js";
import { isLoopbackHost, serveLoopback, type LoopbackServer, type Route } from "./loopback-server.js";

const open: LoopbackServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function serve(routes: Record<string, Route>, port = 0): Promise<LoopbackServer> {
  const server = await serveLoopback(port, "--dashboard", new Map(Object.entries(routes)));
  open.push(server);
  return server;
}

const hello: Route = (response) => {
  response.end("hello");
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** Sends `path` unchanged, which `fetch` would not do. */
function ask(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Answer> {
  const { port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers, method, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asked.on("error", reject).end();
  });
}

describe("the server on loopback", () => {
  it("serves its paths to loopback names, with headers that isolate its pages", async () => {
    const { url } = await serve({ "/": hello });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    for (const host of ["127.0.0.1:1", "localhost", "LOCALHOST:80", "[::1]:5665"]) {
      const answer = await ask(url, "/?x=1", { host });
      expect([answer.status, answer.body]).toEqual([200, "hello"]);
      expect(answer.headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
    }
  });

  it("refuses any other host name, also if it resolves to loopback", async () => {
    const { url } = await serve({ "/": hello });
    for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:5665", "0.0.0.0"]) {
      const answer = await ask(url, "/", { host });
      expect([answer.status, answer.body]).toEqual([403, "not a loopback host\n"]);
    }
    expect(isLoopbackHost(undefined)).toBe(false);
    expect(isLoopbackHost("")).toBe(false);
  });

  it("refuses methods other than GET and unknown paths", async () => {
    const { url } = await serve({ "/": hello });
    expect((await ask(url, "/", {}, "POST")).status).toBe(405);
    for (const path of ["/../package.json", "//etc/passwd", "/%2e%2e/x", "/live.js/", "*"])
      expect((await ask(url, path)).status).toBe(404);
  });

  it("answers an exception of a route with status 500 and goes on", async () => {
    const failing: Route = () => {
      throw new Error("no such asset");
    };
    const { url } = await serve({ "/": hello, "/x": failing });
    expect(await ask(url, "/x")).toMatchObject({ status: 500, body: "no such asset\n" });
    expect((await ask(url, "/")).status).toBe(200);
  });

  it("names the port that is in use and the option to choose another one", async () => {
    const port = Number(new URL((await serve({ "/": hello })).url).port);
    const error: unknown = await serve({ "/": hello }, port).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({
      exitCode: 104,
      message: `--dashboard ${port}: port ${port} of 127.0.0.1 is in use`,
      hint: "Name another port, or 0 for any free one: --dashboard 0.",
    });
  });

  it("closes while busy and idle connections are open", async () => {
    const events = new EventStream();
    const server = await serve({ "/events": (response) => events.add(response, "whole", {}) });
    const listener = ask(server.url, "/events").catch((error: unknown) => String(error));
    const idle = connect(Number(new URL(server.url).port), "127.0.0.1");
    idle.resume();
    const closed = new Promise((resolve) => idle.on("close", resolve));
    await new Promise((resolve) => idle.on("connect", resolve));
    await expect.poll(() => events.size).toBe(1);
    open.splice(0);
    await server.close();
    await closed;
    expect(await listener).toMatch(/aborted|ECONNRESET/);
  });
});

describe("an event stream", () => {
  it("begins with the whole state, continues with updates and ends with a last event", async () => {
    const events = new EventStream();
    const server = await serve({ "/": (response) => events.add(response, "whole", { a: 1 }) });
    const listener = ask(server.url, "/");
    await expect.poll(() => events.size).toBe(1);
    events.send("update", { text: "two\nlines" });
    await events.end("end", {});
    const { headers, body } = await listener;
    expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(body).toBe(
      'retry: 1000\n\nevent: whole\ndata: {"a":1}\n\n' +
        'event: update\ndata: {"text":"two\\nlines"}\n\nevent: end\ndata: {}\n\n',
    );
    expect(events.size).toBe(0);
  });

  it("drops a listener that does not read, and ends without waiting for that listener", async () => {
    const events = new EventStream();
    const server = await serve({ "/": (response) => events.add(response, "whole", {}) });
    const { port } = new URL(server.url);
    const stuck = connect(Number(port), "127.0.0.1", () => {
      stuck.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    });
    stuck.pause();
    await expect.poll(() => events.size).toBe(1);
    const piece = "x".repeat(1024 * 1024);
    for (let i = 0; i < 100 && events.size > 0; i++) {
      events.send("update", piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(events.size).toBe(0);
    await events.end("end", {});
    stuck.destroy();
  });

  it("refuses a listener beyond the 32 that it can serve", async () => {
    const events = new EventStream();
    const server = await serve({ "/": (response) => events.add(response, "whole", {}) });
    const listeners = Array.from({ length: 32 }, () => ask(server.url, "/"));
    await expect.poll(() => events.size).toBe(32);
    expect(await ask(server.url, "/")).toMatchObject({ status: 503 });
    await events.end("end", {});
    expect((await Promise.all(listeners)).every(({ status }) => status === 200)).toBe(true);
  });
});
