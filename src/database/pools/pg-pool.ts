// Strategy `pg-pool`: the pool that Node applications use, one in each worker thread as they have it; the
// scenario's size is shared out over the threads. Clients beyond the size wait in the pool's queue, first come,
// first served, without a time limit of their own. With several endpoints, the one with the fewest of this pool's
// connections gets the next.
import Pool from "pg-pool";
import { UsageError } from "../../foundation/errors.js";
import type { Endpoint } from "../../scenario/endpoint.js";
import { shareOf } from "../../scenario/settings.js";
import { PgConnection, type ConnectionOptions } from "../connection.js";
import type { ConnectionSource, Lease } from "../workload.js";
import { eachBounded, OPEN_AT_ONCE } from "./bounded.js";
import { endpointOf, type SourceOptions } from "./source-options.js";

export function pgPoolSource(options: SourceOptions, size: number): ConnectionSource {
  const share = shareOf(size, options.workers, options.workerIndex);
  if (share < 1) {
    throw new UsageError(
      `a pg-pool of ${size} connections cannot be shared out over ${options.workers} worker threads`,
      `Set pool.size to at least ${options.workers}.`,
    );
  }
  return new SharedPool(options, share, firstSlotOf(size, options));
}

/** Number of this worker's first connection among all connections of the trial. */
function firstSlotOf(size: number, { workers, workerIndex }: SourceOptions): number {
  return Array.from({ length: workerIndex }, (_, index) => shareOf(size, workers, index)).reduce(
    (sum, share) => sum + share,
    0,
  );
}

class SharedPool implements ConnectionSource {
  private readonly pool: Pool<PgConnection>;
  /** Every connection of the pool that is open or being opened. */
  private readonly live = new Set<PgConnection>();
  /** Of those who wait for a connection: the driver's pool forgets them when it ends. */
  private readonly waiting = new Set<(reason: Error) => void>();
  /** In the order in which they are used, which differs between workers. */
  private readonly endpoints: readonly Endpoint[];
  private isClosed = false;

  constructor(
    private readonly options: SourceOptions,
    private readonly share: number,
    firstSlot: number,
  ) {
    this.endpoints = options.endpoints.map((_, index) => endpointOf(options.endpoints, firstSlot + index));
    const { live } = this;
    const nextOptions = (): ConnectionOptions => this.nextOptions();
    // The pool makes its connections by `new Client()`.
    class PooledConnection extends PgConnection {
      constructor() {
        super(nextOptions());
        live.add(this);
        this.once("end", () => live.delete(this));
      }
    }
    this.pool = new Pool<PgConnection>(
      // No idle time-out: a pool that shrinks in a lull would charge its regrowth to whoever comes next.
      { max: share, idleTimeoutMillis: 0 },
      PooledConnection,
    );
    // An idle connection that breaks has left the pool already; the next acquire opens another.
    this.pool.on("error", () => undefined);
  }

  acquire(): Promise<Lease> {
    if (this.isClosed) return Promise.reject(new Error("the pool is closed"));
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.pool.connect((error, connection, release) => {
        this.waiting.delete(reject);
        if (!connection || !release) reject(error ?? new Error("the pool gave no connection"));
        else resolve(leaseOf(connection, release));
      });
    });
  }

  async warm(): Promise<void> {
    const held: Lease[] = [];
    try {
      // A pool never has more connections in use than there are clients.
      await eachBounded(Math.min(this.share, this.options.clients), OPEN_AT_ONCE, async () => {
        held.push(await this.acquire());
      });
    } finally {
      await Promise.all(held.map((lease) => lease.release(false)));
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const reject of this.waiting) reject(new Error("the pool was closed"));
    this.waiting.clear();
    // `end` resolves when every lease is back, which a client that died never does: the sockets decide instead.
    if (!this.pool.ending) void this.pool.end();
    await Promise.all(Array.from(this.live, (connection) => connection.end()));
  }

  private leastUsed(): Endpoint {
    const counts = new Map(this.endpoints.map((endpoint) => [endpoint, 0]));
    for (const { endpoint } of this.live) counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1);
    const [first, ...others] = counts;
    if (!first) throw new RangeError("a pool strategy needs at least one endpoint");
    return others.reduce((least, entry) => (entry[1] < least[1] ? entry : least), first)[0];
  }

  private nextOptions(): ConnectionOptions {
    const { applicationName, prepared } = this.options;
    return { endpoint: this.leastUsed(), applicationName, prepared };
  }
}

function leaseOf(connection: PgConnection, release: (destroy?: boolean) => void): Lease {
  return { connection, release: async (isSuspect) => release(isSuspect || connection.isBroken) };
}
