// One connection for each client, kept or opened for every transaction; all strategies but `pg-pool` and `own`. A client whose
// endpoint is away connects to the next one, and to its own again once that is back.
import { monotonicMs } from "../foundation/clock.js";
import type { LoadSession } from "../database/contract.js";
import { databaseOf } from "../database/registry.js";
import { eachBounded, Semaphore, SIMULTANEOUS_CONNECTS_MAX } from "./bounded.js";
import { EndpointRoutes, checkByConnection, skipStandbys } from "./endpoint-routes.js";
import type { Reconnect } from "./keys.js";
import { homeEndpointsOf, type SourceOptions } from "./source-options.js";
import type { ConnectionSource, EndpointContacts, Lease } from "../database/session.js";

export class ClientConnections implements ConnectionSource {
  private readonly connections: (HeldConnection | undefined)[];
  private readonly homeEndpoints: readonly number[];
  /** Number of the endpoint that each client last connected to or tried. */
  private readonly at: number[];
  private readonly live = new Set<LoadSession>();
  /** Limits of simultaneous connects by endpoint, so that an absent endpoint does not delay connections to the others. */
  private readonly connectLimits: readonly Semaphore[];
  private readonly routes: EndpointRoutes;
  private isClosed = false;

  constructor(
    private readonly options: SourceOptions,
    private readonly reconnect: Reconnect,
  ) {
    const { endpoints, clients, clientsOfTrial, firstClient } = options;
    this.connections = Array.from({ length: clients }, () => undefined);
    this.homeEndpoints = homeEndpointsOf(options, clientsOfTrial, firstClient, clients);
    this.at = [...this.homeEndpoints];
    this.connectLimits = endpoints.map(() => new Semaphore(SIMULTANEOUS_CONNECTS_MAX));
    this.routes = new EndpointRoutes(endpoints.length, checkByConnection(options, this.live), monotonicMs);
  }

  get contacts(): readonly EndpointContacts[] {
    return this.routes.contacts;
  }

  endpointOf(client: number): number {
    return this.at[client] ?? 0;
  }

  acquire(client: number): Lease | Promise<Lease> {
    const connections = this.connections[client];
    if (connections && !connections.connection.isBroken && !this.canReturnHome(client)) return connections;
    return this.replace(client, connections);
  }

  private async replace(client: number, connections: HeldConnection | undefined): Promise<Lease> {
    if (connections) await this.discard(client, connections.connection);
    const connection = await this.open(client);
    const held = new HeldConnection(connection, (isSuspect) => this.release(client, connection, isSuspect));
    if (this.reconnect === "never") this.connections[client] = held;
    return held;
  }

  /** Opens the connections that are kept. Rejects with a TargetError if any cannot be opened. */
  async openConnections(): Promise<void> {
    if (this.reconnect === "per-transaction") return;
    await eachBounded(this.options.clients, SIMULTANEOUS_CONNECTS_MAX, async (client) => {
      await this.acquire(client);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(Array.from(this.live, (connection) => connection.end()));
    this.live.clear();
  }

  /** True if a client can return to its home endpoint; false if only another endpoint accepts writes. */
  private canReturnHome(client: number): boolean {
    const home = this.homeEndpoints[client] ?? 0;
    if (this.at[client] === home || this.options.endpoints[home]?.takesWrites) return false;
    return this.routes.isUp(home);
  }

  private open(client: number): Promise<LoadSession> {
    return skipStandbys(this.options.endpoints, () => this.openSession(client));
  }

  private openSession(client: number): Promise<LoadSession> {
    if (this.reconnect === "per-transaction") return this.openAtNextEndpoint(client);
    const gate = this.connectLimits[this.routes.endpointForHome(this.homeEndpoints[client] ?? 0)];
    if (!gate) throw new RangeError("a route leads to an endpoint");
    // A client that had to wait chooses its route again, because earlier clients may have found the endpoint absent.
    return gate.pass(() => this.openAtNextEndpoint(client));
  }

  private async openAtNextEndpoint(client: number): Promise<LoadSession> {
    if (this.isClosed) throw new Error("the pool is closed");
    const number = this.routes.endpointForHome(this.homeEndpoints[client] ?? 0);
    const endpoint = this.options.endpoints[number];
    if (!endpoint) throw new RangeError("a route leads to an endpoint");
    this.at[client] = number;
    const { applicationName, prepared, onTransaction } = this.options;
    const report = this.routes.recordContact.bind(undefined, number);
    const options = { endpoint, applicationName, prepared, report, onTransaction };
    const connection = databaseOf(endpoint).session(options);
    this.live.add(connection);
    try {
      await connection.connect();
      return connection;
    } catch (error) {
      this.live.delete(connection);
      throw error;
    }
  }

  private release(client: number, connection: LoadSession, isSuspect: boolean): Promise<void> | undefined {
    if (this.reconnect === "never" && !isSuspect && !connection.isBroken) return undefined;
    return this.discard(client, connection);
  }

  private async discard(client: number, connection: LoadSession): Promise<void> {
    this.connections[client] = undefined;
    await connection.end();
    this.live.delete(connection);
  }
}

/** A connection while its client holds it; the object is the same for the connection's life. */
class HeldConnection implements Lease {
  constructor(
    readonly connection: LoadSession,
    readonly release: (isSuspect: boolean) => Promise<void> | undefined,
  ) {}
}
