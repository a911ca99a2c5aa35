// One pool for every database, so that a comparison of databases does not compare the pools of their drivers. It lends as
// node-postgres' pool does: the connection that was given back last, to the client that has waited longest.
import { databaseOf } from "../../database/registry.js";
import type { LoadSession } from "../../database/contract.js";
import { sharedPool, type Lender, type Lent, type Place } from "../shared-pool.js";
import type { PoolStrategy } from "../strategy.js";
import { inProcessSettings, type InProcessSettings } from "./settings.js";

export const inProcess = {
  settings: inProcessSettings,
  shared: ({ size }) => size,
  source: ({ size }, options) =>
    sharedPool("pool", size, options, (max, nextPlace) => new SessionPool(max, nextPlace)),
} satisfies PoolStrategy<InProcessSettings>;

interface Waiter {
  readonly resolve: (lent: Lent | Promise<Lent>) => void;
  readonly reject: (reason: Error) => void;
}

class SessionPool implements Lender {
  private readonly idle: LoadSession[] = [];
  private readonly waiting: Waiter[] = [];
  /** Calls that take a connection out of the pool. */
  private readonly leaves = new WeakMap<LoadSession, () => void>();
  /** Number of connections that are lent, idle or being opened. */
  private count = 0;

  constructor(
    private readonly max: number,
    private readonly nextPlace: () => Place,
  ) {}

  lend(): Promise<Lent> {
    const connection = this.idle.pop();
    if (connection) return Promise.resolve(this.lent(connection));
    if (this.count < this.max) return this.open();
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  close(): void {
    for (const { reject } of this.waiting.splice(0)) reject(new Error("the pool was closed"));
  }

  private async open(): Promise<Lent> {
    const { options, register } = this.nextPlace();
    this.count++;
    let isGone = false;
    const leave = (): void => {
      if (isGone) return;
      isGone = true;
      this.count--;
      unregister();
      const place = this.idle.indexOf(connection);
      if (place >= 0) this.idle.splice(place, 1);
    };
    const connection = databaseOf(options.endpoint).session({
      ...options,
      report: (event, failure) => {
        if (event !== "connected") leave();
        options.report?.(event, failure);
      },
    });
    const unregister = register(connection);
    this.leaves.set(connection, leave);
    try {
      await connection.connect();
      return this.lent(connection);
    } catch (error) {
      leave();
      this.serveNext();
      throw error;
    }
  }

  private lent(connection: LoadSession): Lent {
    return {
      connection,
      giveBack: (isClosed) => {
        if (isClosed || connection.isBroken) {
          this.leaves.get(connection)?.();
          void connection.end();
        } else this.idle.push(connection);
        this.serveNext();
      },
    };
  }

  private serveNext(): void {
    if (this.idle.length === 0 && this.count >= this.max) return;
    const waiter = this.waiting.shift();
    if (waiter) waiter.resolve(this.lend());
  }
}
