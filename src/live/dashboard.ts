// `--dashboard`: the live page on loopback, and its state as Server-Sent Events: `whole` when it connects, `update` once a second, `end`
// when the run has ended.
import { readFile } from "node:fs/promises";
import { livePage } from "./page/live-page.js";
import type { LiveEnd } from "./page/live-data.js";
import { EventStream } from "./event-stream.js";
import type { LiveState } from "./live-state.js";
import { serveLoopback, type Route } from "./loopback-server.js";

/** That of k6's dashboard. */
export const DASHBOARD_PORT = 5665;
const UPDATE_MS = 1_000;

/** Nothing but what this server itself serves, and no markup that brings a script along. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // The chart library writes attributes into what it draws.
  "style-src-attr 'unsafe-inline'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface LiveServer {
  readonly url: string;
  /** `end` says how the run ended, to those who still look. */
  close(end: LiveEnd): Promise<void>;
}

/** Where the build puts what runs in the browser. */
const ASSETS = new URL("../report/html/", import.meta.url);

function asset(file: URL, contentType: string): Route {
  return async (response) => {
    const content = await readFile(file);
    response.writeHead(200, { "Content-Type": `${contentType}; charset=utf-8` });
    response.end(content);
  };
}

/** Throws a UsageError where the port cannot be had. */
export async function startDashboard(port: number, state: LiveState, assets = ASSETS): Promise<LiveServer> {
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
    ["/live.js", asset(new URL("live.js", assets), "text/javascript")],
    ["/live.css", asset(new URL("live.css", assets), "text/css")],
    ["/events", (response) => events.add(response, "whole", state.whole())],
  ]);
  const server = await serveLoopback(port, "--dashboard", routes);
  const timer = setInterval(() => events.send("update", state.takeUpdate()), UPDATE_MS).unref();
  return {
    url: server.url,
    close: async (end) => {
      clearInterval(timer);
      events.send("update", state.takeUpdate());
      await events.end("end", end);
      await server.close();
    },
  };
}
