// A TCP proxy on loopback in front of one endpoint. While it refuses connections it keeps its port by a connection to itself;
// otherwise the system could give the port to another program.
import {
  connect,
  createServer,
  type AddressInfo,
  type NetConnectOpts,
  type Server,
  type Socket,
} from "node:net";
import { once } from "node:events";
import type { Clock } from "../../foundation/clock.js";
import type { Prng } from "../../foundation/prng.js";
import { CLEAR_LINK, linkUnder, type Link, type NetworkCondition } from "./condition.js";
import { ProxiedConnection, type CommitFate } from "./proxied-connection.js";

const LOOPBACK_HOST = "127.0.0.1";
const LISTEN_BACKLOG = 4096;

export interface NetworkEffect {
  readonly connections: number;
  readonly resets: number;
  /** Number of COMMITs that never reached the server. */
  readonly commitsLost: number;
  /** Number of COMMITs that the server answered, but whose answers never reached the client. */
  readonly answersLost: number;
}

type Counts = { -readonly [K in keyof NetworkEffect]: NetworkEffect[K] };

interface Links {
  readonly up: Link;
  readonly down: Link;
}

const CLEAR_LINKS: Links = { up: CLEAR_LINK, down: CLEAR_LINK };

export class TcpProxy {
  private readonly connections = new Set<ProxiedConnection>();
  private server: Server | undefined;
  private boundPort = 0;
  /** Both ends of a connection that keeps the port occupied while the proxy refuses connections. */
  private portHolders: readonly Socket[] = [];
  private condition: NetworkCondition | undefined;
  private links: Links = CLEAR_LINKS;
  private counts: Counts = noEffect(0);

  private constructor(
    private upstream: NetConnectOpts,
    private readonly clock: Clock,
    private readonly prng: Prng,
  ) {}

  static async open(upstream: NetConnectOpts, clock: Clock, prng: Prng): Promise<TcpProxy> {
    const proxy = new TcpProxy(upstream, clock, prng);
    await proxy.listen();
    return proxy;
  }

  get port(): number {
    return this.boundPort;
  }

  get size(): number {
    return this.connections.size;
  }

  /** Applies a condition from now on. A reset acts once, on the connections that are open. */
  async apply(condition: NetworkCondition): Promise<void> {
    this.condition = condition;
    this.counts = noEffect(this.connections.size);
    this.setLinks({ up: linkUnder(condition, this.prng), down: linkUnder(condition, this.prng) });
    if (condition.kind === "refuse") await this.stopListening();
    if (condition.kind === "reset" || (condition.kind === "refuse" && condition.drop)) {
      this.counts.resets += this.connections.size;
      this.resetConnections();
    }
  }

  /** Leads new connections to another server and resets the open ones. A condition stays as it is. */
  redirect(upstream: NetConnectOpts): void {
    this.upstream = upstream;
    this.resetConnections();
  }

  /** Clears the condition and releases held bytes. Rejects if the proxy cannot listen on its port again. */
  async clear(): Promise<void> {
    this.condition = undefined;
    this.setLinks(CLEAR_LINKS);
    await this.listen();
  }

  get effect(): NetworkEffect {
    return { ...this.counts };
  }

  /** Breaks every connection and closes all sockets. Never rejects. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    const closed = [...this.connections].map((connection) => connection.closed);
    this.resetConnections();
    this.releasePort();
    await Promise.all([server && closeServer(server), ...closed]);
  }

  private async listen(): Promise<void> {
    if (this.server) return;
    const server = createServer({ allowHalfOpen: true }, (client) => this.accept(client));
    server.listen({ host: LOOPBACK_HOST, port: this.boundPort, backlog: LISTEN_BACKLOG });
    await once(server, "listening");
    this.server = server;
    this.boundPort = (server.address() as AddressInfo).port;
    this.releasePort();
  }

  private async stopListening(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    server.removeAllListeners("connection");
    const acceptedSocket = new Promise<Socket>((resolve) => {
      server.on("connection", (socket: Socket) => {
        if (socket.remotePort === near.localPort) resolve(socket);
        else this.accept(socket);
      });
    });
    const near = connect({ host: LOOPBACK_HOST, port: this.boundPort });
    await once(near, "connect");
    this.portHolders = [near, await acceptedSocket];
    for (const socket of this.portHolders) socket.on("error", () => undefined);
    // Connections stay open, and the server's close event comes only when the last has ended, so it is not awaited.
    server.close();
  }

  private releasePort(): void {
    for (const socket of this.portHolders) socket.destroy();
    this.portHolders = [];
  }

  private accept(client: Socket): void {
    const connection = new ProxiedConnection({
      client,
      upstream: this.upstream,
      clock: this.clock,
      links: () => this.links,
      fateOfCommit: () => this.fateOfCommit(),
    });
    this.connections.add(connection);
    void connection.closed.then(() => this.connections.delete(connection));
  }

  private setLinks(links: Links): void {
    this.links = links;
    for (const connection of this.connections) connection.handleLinkChange();
  }

  private resetConnections(): void {
    for (const connection of this.connections) connection.reset();
  }

  private fateOfCommit(): CommitFate {
    const { condition, prng, counts } = this;
    if (condition?.kind !== "reset-commits" || prng.float() >= condition.share) return "passes";
    counts.resets++;
    if (prng.float() < 0.5) {
      counts.commitsLost++;
      return "lost";
    }
    counts.answersLost++;
    return "answer-lost";
  }
}

function noEffect(connections: number): Counts {
  return { connections, resets: 0, commitsLost: 0, answersLost: 0 };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

export function sumOfEffects(effects: readonly NetworkEffect[]): NetworkEffect {
  const sum = noEffect(0);
  for (const effect of effects)
    for (const key of Object.keys(sum) as (keyof NetworkEffect)[]) sum[key] += effect[key];
  return sum;
}
