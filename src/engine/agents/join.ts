import { hostname } from "node:os";
import { WebSocket } from "ws";
import { monotonicMs } from "../../foundation/clock.js";
import { messageOf, TargetError, UsageError } from "../../foundation/errors.js";
import { isLoopback } from "../../foundation/loopback.js";
import { pidNamespaceId } from "../../foundation/process/orphans.js";
import { INTRODUCTION_HEADER, MESSAGE_MAX_BYTES, type Introduction } from "./agent-protocol.js";
import { bearerAuthorization } from "./token.js";

const RETRY_INTERVAL_MS = 500;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** Maximum number of characters of a refusal that are read. */
const REFUSAL_CHARACTERS_MAX = 1_000;

export interface JoinOptions {
  readonly url: string;
  readonly token: string;
  readonly introduction: Introduction;
  /** PEM certificates, one of which must have signed the coordinator's certificate; default: the system's certificates. */
  readonly ca?: string;
  readonly waitMs: number;
}

/** Identifies this machine or container, so that the coordinator knows which agents' processes it can see. */
export function machineId(): string {
  return pidNamespaceId() ?? hostname();
}

/** Throws a UsageError if the URL would send the token over a network unencrypted. */
function requireSafeUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "ws:" && url?.protocol !== "wss:")
    throw new UsageError(`--join ${text} is no address of a coordinator`, "Write it as wss://host:5670.");
  if (url.protocol === "ws:" && !isLoopback(url.hostname))
    throw new UsageError(
      `--join ${text} would send the token over a network in the open`,
      "Use wss:// (the coordinator needs --cert and --key), or ws:// to loopback, for example through ssh -L or -R.",
    );
}

/**
 * Joins the coordinator; resolves to the open connection. Rejects if the coordinator refuses, or cannot be reached in time.
 */
export async function join(options: JoinOptions): Promise<WebSocket> {
  requireSafeUrl(options.url);
  const untilMs = monotonicMs() + options.waitMs;
  for (;;) {
    const outcome = await dial(options);
    if (outcome instanceof WebSocket) return outcome;
    if ("refusal" in outcome)
      throw new UsageError(`the coordinator at ${options.url} refuses this agent: ${outcome.refusal}`);
    if (monotonicMs() >= untilMs)
      throw new TargetError(
        `no coordinator at ${options.url} within ${options.waitMs / 1000} s: ${messageOf(outcome.error)}`,
        "Start it with: train-sim run <scenario> --agents <number> --token-file <file>",
      );
    await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
  }
}

type DialOutcome = WebSocket | { readonly refusal: string } | { readonly error: Error };

function dial({ url, token, introduction, ca }: JoinOptions): Promise<DialOutcome> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      headers: {
        authorization: bearerAuthorization(token),
        [INTRODUCTION_HEADER]: JSON.stringify(introduction),
      },
      maxPayload: MESSAGE_MAX_BYTES,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      perMessageDeflate: false,
      ...(ca !== undefined && { ca }),
    });
    socket.once("open", () => {
      socket.pause(); // the caller's listeners come first
      resolve(socket);
    });
    socket.once("error", (error) => resolve({ error }));
    socket.once("unexpected-response", (_, response) => {
      let words = "";
      response.setEncoding("utf8");
      response.on("data", (text: string) => (words = (words + text).slice(0, REFUSAL_CHARACTERS_MAX)));
      const end = (): void => resolve({ refusal: words || `HTTP status ${response.statusCode}` });
      response.on("end", end);
      response.on("error", end);
    });
  });
}
