// A server that answers only requests that name a loopback host, so that a web page cannot reach it by a name that resolves
// here. It never keeps the program running.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";

const LOOPBACK_HOST = "127.0.0.1";
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** Milliseconds after which slow senders of headers are cut off. */
const HEADERS_TIMEOUT_MS = 5_000;

/** Answers one path; if it throws, the answer is 500. */
export type Route = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

export interface LoopbackServer {
  /** URL with the port that was taken. */
  readonly url: string;
  close(): Promise<void>;
}

const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;

/**
 * Serves the routes on the loopback address; port 0 takes any free port. Throws a UsageError that names `option`, the flag
 * that asked for the port.
 */
export async function serveLoopback(
  port: number,
  option: string,
  routes: ReadonlyMap<string, Route>,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => void answer(routes, request, response));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.on("connection", (socket) => socket.unref());
  await listenOnLoopback(server, port, option);
  server.unref();
  const address = server.address();
  const boundPort = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${LOOPBACK_HOST}:${boundPort}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listenOnLoopback(server: Server, port: number, option: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, LOOPBACK_HOST, () => {
        server.off("error", reject);
        resolve();
      });
    });
  } catch (error) {
    const inUse = codeOf(error) === "EADDRINUSE";
    throw new UsageError(
      `${option} ${port}: ${inUse ? `port ${port} of ${LOOPBACK_HOST} is in use` : messageOf(error)}`,
      `Name another port, or 0 for any free one: ${option} 0.`,
      { cause: error },
    );
  }
}

/**
 * True if a `Host` header names a loopback host. Any port is accepted, because the port may be forwarded from another one.
 */
export function isLoopbackHost(header: string | undefined): boolean {
  const name = header?.replace(/:\d{1,5}$/, "").toLowerCase();
  return name !== undefined && LOOPBACK_HOSTS.has(name);
}

async function answer(
  routes: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  // A reader that disconnects during an answer is not an error of this server.
  response.on("error", () => undefined);
  if (!isLoopbackHost(request.headers.host)) {
    refuse(response, 403, "not a loopback host");
    return;
  }
  if (request.method !== "GET") {
    response.setHeader("Allow", "GET");
    refuse(response, 405, "only GET is answered");
    return;
  }
  const route = routes.get((request.url ?? "").split("?", 1)[0] ?? "");
  if (!route) {
    refuse(response, 404, `there is ${[...routes.keys()].join(", ")}`);
    return;
  }
  try {
    await route(response, request);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else refuse(response, 500, messageOf(error));
  }
}

function refuse(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
  response.end(`${words}\n`);
}
