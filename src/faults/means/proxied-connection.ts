// One client's connection through the proxy. It can lose a COMMIT in both ways in which a network can: the request or its answer.
// It opens its server side only when the link lets bytes pass.
import { Socket, type NetConnectOpts } from "node:net";
import type { Clock } from "../../foundation/clock.js";
import type { Link } from "./condition.js";
import { Pipe, resetSocket } from "./pipe.js";

/** Matches the query COMMIT of MySQL's protocol, with and without the count of its attributes. */
const MYSQL_COMMIT_MESSAGE = /(?:\x07\0\0\0\x03|\x09\0\0\0\x03\0\x01)COMMIT$/i;
/** Matches the simple query COMMIT or END of PostgreSQL's protocol at the end of the bytes that a client sent before it waits for the answer. */
const COMMIT_MESSAGE = /Q\0\0\0([^])((?:COMMIT|END)\b[^\0]*)\0$/i;
/** Number of bytes, at the end of what a client sent, in which a COMMIT is looked for. */
const COMMIT_SEARCH_BYTES = 60;

function endsWithCommit(bytes: Buffer): boolean {
  const end = bytes.toString("latin1", Math.max(0, bytes.length - COMMIT_SEARCH_BYTES));
  if (MYSQL_COMMIT_MESSAGE.test(end)) return true;
  const [, length, text = ""] = COMMIT_MESSAGE.exec(end) ?? [];
  return length?.charCodeAt(0) === text.length + 5;
}

/** Fate of a COMMIT: it passes; the connection breaks before the server gets it; or before the client gets the answer. */
export type CommitFate = "passes" | "lost" | "answer-lost";

export interface ProxiedConnectionOptions {
  readonly client: Socket;
  readonly upstream: NetConnectOpts;
  readonly clock: Clock;
  /** The links of both directions at this moment. */
  readonly links: () => { readonly up: Link; readonly down: Link };
  readonly fateOfCommit: () => CommitFate;
}

export class ProxiedConnection {
  /** Resolves when both sockets of the connection are closed. */
  readonly closed: Promise<void>;
  private readonly client: Socket;
  private readonly server = new Socket({ allowHalfOpen: true });
  private readonly pipes: readonly Pipe[];
  private isOpened = false;
  /** True if the server's next answer is to a COMMIT and must not reach the client. */
  private isAnswerLost = false;

  constructor(private readonly options: ProxiedConnectionOptions) {
    const { client, clock, links } = options;
    this.client = client;
    const { server } = this;
    for (const socket of [client, server]) socket.setNoDelay(true);
    this.closed = Promise.all([awaitClose(client), awaitClose(server)]).then(() => undefined);
    this.pipes = [
      new Pipe({
        source: client,
        sink: server,
        clock,
        link: () => links().up,
        admits: (bytes) => this.admitsRequest(bytes),
      }),
      new Pipe({
        source: server,
        sink: client,
        clock,
        link: () => links().down,
        admits: () => this.admitsAnswer(),
      }),
    ];
    this.openWhenPossible();
  }

  handleLinkChange(): void {
    this.openWhenPossible();
    for (const pipe of this.pipes) pipe.handleLinkChange();
  }

  /** Breaks the connection on both sides at once. */
  reset(): void {
    resetSocket(this.client);
    resetSocket(this.server);
  }

  private openWhenPossible(): void {
    if (this.isOpened || this.server.destroyed || !this.options.links().up.isOpen) return;
    this.isOpened = true;
    this.server.connect(this.options.upstream);
  }

  private admitsRequest(bytes: Buffer): boolean {
    if (!endsWithCommit(bytes)) return true;
    const fate = this.options.fateOfCommit();
    if (fate === "lost") this.reset();
    this.isAnswerLost = fate === "answer-lost";
    return fate !== "lost";
  }

  private admitsAnswer(): boolean {
    if (!this.isAnswerLost) return true;
    this.reset();
    return false;
  }
}

function awaitClose(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}
