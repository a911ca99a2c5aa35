// The pool of Node applications.
import Pool from "pg-pool";
import { PgConnection } from "../../database/postgres/connection.js";
import { sharedPool, type Lender, type Place } from "../shared-pool.js";
import type { PoolStrategy } from "../strategy.js";
import { pgPoolSettings, type PgPoolSettings } from "./settings.js";

export const pgPool = {
  settings: pgPoolSettings,
  shared: ({ size }) => size,
  source: ({ size }, options) => sharedPool("pg-pool", size, options, driverPool),
} satisfies PoolStrategy<PgPoolSettings>;

function driverPool(max: number, nextPlace: () => Place): Lender {
  // The driver's pool makes its connections by `new Client()`.
  class PooledConnection extends PgConnection {
    constructor() {
      const { options, register } = nextPlace();
      super(options);
      this.once("end", register(this));
    }
  }
  const pool = new Pool<PgConnection>(
    // No idle time-out: a pool that shrank during a lull would have to grow again at the expense of the next clients.
    { max, idleTimeoutMillis: 0 },
    PooledConnection,
  );
  // Nothing to do: the driver's pool has already removed the broken idle connection, and the next acquire opens
  // another.
  pool.on("error", () => undefined);
  return {
    lend: () =>
      new Promise((resolve, reject) => {
        pool.connect((error, connection, release) => {
          if (connection && release) resolve({ connection, giveBack: release });
          else reject(error ?? new Error("the pool gave no connection"));
        });
      }),
    close() {
      // `end` resolves only when every lease is returned, which a dead client never does, so the sockets are closed
      // instead.
      if (!pool.ending) void pool.end();
    },
  };
}
