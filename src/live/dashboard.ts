// `--dashboard`: the live page on loopback, and its state as Server-Sent Events: `whole` when it connects, `update` once a second, `end`
// when the run has ended.
import { readFile } from "node:fs/promises";
import { livePage } from "./page/live-page.js";
import type { LiveEnd } from "./page/live-data.js";
import type { LiveState } from "./live-state.js";
import { type Route, serveLoopback } from "./loopback-server.js";
import type { ServerResponse } from "node:http";
import { systemClock } from "../foundation/clock.js";

/** Unsent bytes at which a listener is dropped; a whole state is far smaller. */
const UNSENT_MAX_BYTES = 4 * 1024 * 1024;
const LISTENERS_MAX = 32;
/** Time in ms until a browser reconnects after the connection breaks. */
const RECONNECT_DELAY_MS = 1_000;
const LAST_EVENT_TIMEOUT_MS = 500;

/** Sends Server-Sent Events to its listeners. Drops a listener that does not read, so that no queue grows without bound. */
export class EventStream {
  private readonly listeners = new Set<ServerResponse>();

  get size(): number {
    return this.listeners.size;
  }

  /** Keeps the response open and sends it `first` at once; refuses more listeners than it can serve. */
  add(response: ServerResponse, event: string, first: unknown): void {
    if (this.listeners.size >= LISTENERS_MAX) {
      response.writeHead(503, { "Content-Type": "text/plain; charset=utf-8" });
      response.end(`${LISTENERS_MAX} listeners are served already\n`);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
    response.on("close", () => this.listeners.delete(response));
    this.listeners.add(response);
    response.write(`retry: ${RECONNECT_DELAY_MS}\n\n`);
    response.write(framedEvent(event, first));
  }

  send(event: string, value: unknown): void {
    if (this.listeners.size === 0) return;
    const frame = framedEvent(event, value);
    for (const listener of this.listeners) {
      listener.write(frame);
      if (listener.writableLength > UNSENT_MAX_BYTES) listener.destroy();
    }
  }

  /** Sends the last event; resolves when all listeners have it, or are too slow. */
  async end(event: string, value: unknown): Promise<void> {
    const frame = framedEvent(event, value);
    const deliveries = [...this.listeners].map(
      (listener) =>
        new Promise<void>((resolve) => {
          listener.once("close", () => resolve());
          listener.end(frame, () => resolve());
        }),
    );
    const done = new AbortController();
    await Promise.race([Promise.all(deliveries), systemClock.sleep(LAST_EVENT_TIMEOUT_MS, done.signal)]);
    done.abort();
  }
}

/** Frames a value as JSON, which has no line breaks, so that one `data:` line holds it. */
function framedEvent(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** Default port of the live page, the same as of k6's dashboard. */
export const DASHBOARD_PORT = 5665;
const UPDATE_INTERVAL_MS = 1_000;

/** The page loads only files that this server serves, and no markup can add a script. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Styles in attributes are allowed, because the chart library writes them into its drawings.
  "style-src-attr 'unsafe-inline'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface LiveServer {
  readonly url: string;
  /** Closes the page; `end` states to its readers how the run ended. */
  close(end: LiveEnd): Promise<void>;
}

/** Directory into which the build puts the files for the browser. */
const ASSETS_DIRECTORY = new URL("../report/html/", import.meta.url);

function assetRoute(file: URL, contentType: string): Route {
  return async (response) => {
    const content = await readFile(file);
    response.writeHead(200, { "Content-Type": `${contentType}; charset=utf-8` });
    response.end(content);
  };
}

/** Serves the live page on loopback. Throws a UsageError if the port is not available. */
export async function startDashboard(
  port: number,
  state: LiveState,
  assets = ASSETS_DIRECTORY,
): Promise<LiveServer> {
  const events = new EventStream();
  const routes = new Map<string, Route>([
    [
      "/",
      (response) => {
        response.writeHead(200, {
          "Content-Type": "text/html; charset=utf-8",
          "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        });
        response.end(livePage());
      },
    ],
    ["/live.js", assetRoute(new URL("live.js", assets), "text/javascript")],
    ["/live.css", assetRoute(new URL("live.css", assets), "text/css")],
    ["/events", (response) => events.add(response, "whole", state.fullUpdate())],
  ]);
  const server = await serveLoopback(port, "--dashboard", routes);
  const timer = setInterval(() => events.send("update", state.nextUpdate()), UPDATE_INTERVAL_MS).unref();
  return {
    url: server.url,
    close: async (end) => {
      clearInterval(timer);
      events.send("update", state.nextUpdate());
      await events.end("end", end);
      await server.close();
    },
  };
}
