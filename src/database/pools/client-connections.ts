// One connection for each client, without a pool in this process: kept for the client's life, or opened for every
// transaction. `direct` and `pgbouncer` are both this, to different endpoints. A connection that broke, or that a
// failed transaction left suspect, is closed and replaced at the client's next acquire, a few at a time where they are kept.
import { PgConnection } from "../connection.js";
import type { ConnectionSource, Lease } from "../workload.js";
import type { Endpoint } from "../../scenario/endpoint.js";
import { eachBounded, Gate, OPEN_AT_ONCE } from "./bounded.js";
import { endpointOf, type SourceOptions } from "./source-options.js";

export class ClientConnections implements ConnectionSource {
  /** By client; empty where none is kept or the last one broke. */
  private readonly kept: (HeldConnection | undefined)[];
  /** Every connection that is open or being opened. */
  private readonly live = new Set<PgConnection>();
  /** Where connections are kept: a server that is away holds up nobody at another one. */
  private readonly gates = new Map<Endpoint, Gate>();
  private isClosed = false;

  constructor(
    private readonly options: SourceOptions,
    private readonly keeps: "for-life" | "for-a-transaction",
  ) {
    this.kept = Array.from({ length: options.clients }, () => undefined);
  }

  async acquire(client: number): Promise<Lease> {
    const kept = this.kept[client];
    if (kept && !kept.connection.isBroken) return kept;
    if (kept) await this.discard(client, kept.connection);
    const connection = await this.open(client);
    const held = new HeldConnection(connection, (isSuspect) => this.release(client, connection, isSuspect));
    if (this.keeps === "for-life") this.kept[client] = held;
    return held;
  }

  /** Opens what is kept; rejects with a TargetError when a connection cannot be had. */
  async warm(): Promise<void> {
    if (this.keeps === "for-a-transaction") return;
    await eachBounded(this.options.clients, OPEN_AT_ONCE, async (client) => {
      await this.acquire(client);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(Array.from(this.live, (connection) => connection.end()));
    this.live.clear();
  }

  private open(client: number): Promise<PgConnection> {
    const { endpoints, firstClient } = this.options;
    const endpoint = endpointOf(endpoints, firstClient + client);
    if (this.keeps === "for-a-transaction") return this.openTo(endpoint);
    let gate = this.gates.get(endpoint);
    if (!gate) this.gates.set(endpoint, (gate = new Gate(OPEN_AT_ONCE)));
    return gate.pass(() => this.openTo(endpoint));
  }

  private async openTo(endpoint: Endpoint): Promise<PgConnection> {
    if (this.isClosed) throw new Error("the pool is closed");
    const { applicationName, prepared } = this.options;
    const connection = new PgConnection({ endpoint, applicationName, prepared });
    this.live.add(connection);
    try {
      return await connection.connect();
    } catch (error) {
      this.live.delete(connection);
      throw error;
    }
  }

  private async release(client: number, connection: PgConnection, isSuspect: boolean): Promise<void> {
    if (this.keeps === "for-life" && !isSuspect && !connection.isBroken) return;
    await this.discard(client, connection);
  }

  private async discard(client: number, connection: PgConnection): Promise<void> {
    this.kept[client] = undefined;
    await connection.end();
    this.live.delete(connection);
  }
}

/** A connection in its client's hands; one object for the connection's life. */
class HeldConnection implements Lease {
  constructor(
    readonly connection: PgConnection,
    readonly release: (isSuspect: boolean) => Promise<void>,
  ) {}
}
