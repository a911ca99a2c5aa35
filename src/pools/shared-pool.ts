// Pools of connections, one in each worker thread; the size is divided among the threads. With several endpoints, the endpoint
// that lacks the most of its share gets the next connection.
import { UsageError } from "../foundation/errors.js";
import { monotonicMs } from "../foundation/clock.js";
import type { LoadSession, SessionOptions } from "../database/contract.js";
import { eachBounded, SIMULTANEOUS_CONNECTS_MAX } from "./bounded.js";
import { EndpointRoutes, checkByConnection, skipStandbys } from "./endpoint-routes.js";
import { homeEndpointsOf, type SourceOptions } from "./source-options.js";
import type { ConnectionSource, EndpointContacts, Lease } from "../database/session.js";
import { shareOf } from "../foundation/share.js";

/** A pool's next connection: the options to open it with, and a call for the object that was made of them. */
export interface Place {
  readonly options: SessionOptions;
  /** Registers the connection; the returned function must be called when it has ended. */
  readonly register: (connection: LoadSession) => () => void;
}

export interface Lent {
  readonly connection: LoadSession;
  /** Takes the connection back, or closes it. */
  readonly giveBack: (isClosed: boolean) => void;
}

/** The pool itself. It lends to waiting clients in the order in which they came. */
export interface Lender {
  lend(): Promise<Lent>;
  /** Lends no more. Connections are closed by the caller. */
  close(): void;
}

export type MakeLender = (max: number, nextPlace: () => Place) => Lender;

export function sharedPool(
  name: string,
  size: number,
  options: SourceOptions,
  makeLender: MakeLender,
): ConnectionSource {
  const share = shareOf(size, options.workers, options.workerIndex);
  if (share < 1) {
    throw new UsageError(
      `a ${name} of ${size} connections cannot be shared out over ${options.workers} worker threads`,
      `Set pool.size to at least ${options.workers}.`,
    );
  }
  const homes = homeEndpointsOf(options, size, firstConnectionNumber(size, options), share);
  return new SharedPool(options, homes, makeLender);
}

/** Number of this worker's first connection among all connections of the trial. */
function firstConnectionNumber(size: number, { workers, workerIndex }: SourceOptions): number {
  return Array.from({ length: workerIndex }, (_, index) => shareOf(size, workers, index)).reduce(
    (sum, share) => sum + share,
    0,
  );
}

class SharedPool implements ConnectionSource {
  private readonly lender: Lender;
  /** All connections that are open or being opened, including checks of endpoints. */
  private readonly live = new Set<LoadSession>();
  /** Reject functions of clients that wait for a connection. */
  private readonly waiting = new Set<(reason: Error) => void>();
  /** Planned and present number of the pool's connections by endpoint. */
  private readonly wanted: readonly number[];
  private readonly held: number[];
  /** Endpoint number of each connection of the pool, and of each refusal (an Error). */
  private readonly endpointNumbers = new WeakMap<object, number>();
  private readonly routes: EndpointRoutes;
  /** Number of the endpoint at which each client's last acquire ended. */
  private readonly at: number[] = [];
  private isClosed = false;

  /** `homes` holds the endpoint number of each connection that this pool may have. */
  constructor(
    private readonly options: SourceOptions,
    private readonly homes: readonly number[],
    makeLender: MakeLender,
  ) {
    const { endpoints } = options;
    this.wanted = endpoints.map((_, number) => homes.filter((home) => home === number).length);
    this.held = endpoints.map(() => 0);
    this.routes = new EndpointRoutes(endpoints.length, checkByConnection(options, this.live), monotonicMs);
    this.lender = makeLender(homes.length, () => this.nextPlace());
  }

  get contacts(): readonly EndpointContacts[] {
    return this.routes.contacts;
  }

  endpointOf(client: number): number {
    return this.at[client] ?? 0;
  }

  acquire(client: number): Promise<Lease> {
    const { endpoints } = this.options;
    return endpoints.length === 1
      ? this.acquireFromPool(client)
      : skipStandbys(endpoints, () => this.acquireFromPool(client));
  }

  private acquireFromPool(client: number): Promise<Lease> {
    if (this.isClosed) return Promise.reject(new Error("the pool is closed"));
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      const note = (outcome: object): void => {
        this.waiting.delete(reject);
        const number = this.endpointNumbers.get(outcome);
        if (number !== undefined) this.at[client] = number;
      };
      this.lender.lend().then(
        (lent) => {
          note(lent.connection);
          resolve(this.leaseOf(lent));
        },
        (error: unknown) => {
          const failure = error as Error;
          note(failure);
          reject(failure);
        },
      );
    });
  }

  async openConnections(): Promise<void> {
    const held: Lease[] = [];
    try {
      // The pool never needs more connections than there are clients.
      await eachBounded(
        Math.min(this.homes.length, this.options.clients),
        SIMULTANEOUS_CONNECTS_MAX,
        async (client) => {
          held.push(await this.acquire(client));
        },
      );
    } finally {
      for (const lease of held) await lease.release(false);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const reject of this.waiting) reject(new Error("the pool was closed"));
    this.waiting.clear();
    this.lender.close();
    await Promise.all(Array.from(this.live, (connection) => connection.end()));
  }

  private nextEndpointNumber(): number {
    const lacks = (number: number): number => (this.wanted[number] ?? 0) - (this.held[number] ?? 0);
    const most = (numbers: readonly number[]): number | undefined =>
      numbers.length === 0
        ? undefined
        : numbers.reduce((best, number) => (lacks(number) > lacks(best) ? number : best));
    // Threads begin at different endpoints, so that partly filled pools do not all use the first endpoint.
    const first = this.homes[0] ?? 0;
    const inOrder = this.held.map((_, step) => (first + step) % this.held.length);
    return most(inOrder.filter((number) => this.routes.isUp(number))) ?? this.routes.endpointForHome(first);
  }

  private nextPlace(): Place {
    const number = this.nextEndpointNumber();
    const { applicationName, prepared, endpoints, onTransaction } = this.options;
    const endpoint = endpoints[number];
    if (!endpoint) throw new RangeError(`there is no endpoint ${number}`);
    const report: SessionOptions["report"] = (event, failure) => {
      if (failure) this.endpointNumbers.set(failure, number);
      this.routes.recordContact(number, event);
    };
    const options = { endpoint, applicationName, prepared, report, onTransaction };
    return { options, register: (connection) => this.register(connection, number) };
  }

  private register(connection: LoadSession, number: number): () => void {
    this.live.add(connection);
    this.endpointNumbers.set(connection, number);
    this.held[number] = (this.held[number] ?? 0) + 1;
    return () => {
      if (this.live.delete(connection)) this.held[number] = (this.held[number] ?? 0) - 1;
    };
  }

  private leaseOf({ connection, giveBack }: Lent): Lease {
    return {
      connection,
      release: (isSuspect) => {
        giveBack(isSuspect || connection.isBroken || this.isMisplaced(connection));
        return undefined;
      },
    };
  }

  /** True if the connection's endpoint has more connections than planned while another present endpoint lacks some. */
  private isMisplaced(connection: LoadSession): boolean {
    const number = this.endpointNumbers.get(connection) ?? 0;
    if (this.options.endpoints[number]?.takesWrites) return false;
    const wantedConnections = (other: number): number => this.wanted[other] ?? 0;
    if ((this.held[number] ?? 0) <= wantedConnections(number)) return false;
    return this.held.some((has, other) => has < wantedConnections(other) && this.routes.isUp(other));
  }
}
