// The endpoint of each client: its home endpoint while that is there, else the next of the list. An endpoint that refused
// or lost a connection is left out by the thread until it answers in the background, so that no transaction waits to find
// out.
import { systemClock } from "../foundation/clock.js";
import { codeOf, messageOf } from "../foundation/errors.js";
import type { LoadSession } from "../database/contract.js";
import { databaseOf } from "../database/registry.js";
import type { Endpoint } from "../database/endpoint.js";
import type { SourceOptions } from "./source-options.js";
import type { EndpointContacts } from "../database/session.js";

const FIRST_CHECK_DELAY_MS = 1_000;
const CHECK_DELAY_MAX_MS = 10_000;
/** Milliseconds within which an endpoint must answer a background check. */
const CHECK_TIMEOUT_MS = 5_000;

/** An endpoint that was absent when a client needed it. Times are monotonic milliseconds. */
interface EndpointOutage {
  failedAtMs: number;
  nextCheckAtMs: number;
  checkDelayMs: number;
  isCheckRunning: boolean;
}

export class EndpointRoutes {
  private readonly counts: EndpointContacts[];
  private readonly outages = new Map<number, EndpointOutage>();

  /** `look` checks the endpoint of that number: it resolves to true if the endpoint answers, and must not reject. */
  constructor(
    private readonly endpoints: number,
    private readonly look: (endpoint: number) => Promise<boolean>,
    private readonly nowMs: () => number,
  ) {
    this.counts = Array.from({ length: endpoints }, () => ({ connects: 0, refused: 0, lost: 0 }));
  }

  /** Counts by endpoint since the thread began. */
  get contacts(): readonly EndpointContacts[] {
    return this.counts;
  }

  /** The number of the endpoint for clients of `home`; if every endpoint is absent, the endpoint that failed longest ago. */
  endpointForHome(home: number): number {
    const inOrder = Array.from({ length: this.endpoints }, (_, step) => (home + step) % this.endpoints);
    const failedAtMs = (endpoint: number): number =>
      this.isUp(endpoint) ? Number.NEGATIVE_INFINITY : (this.outages.get(endpoint)?.failedAtMs ?? 0);
    return inOrder.reduce((best, endpoint) => (failedAtMs(endpoint) < failedAtMs(best) ? endpoint : best));
  }

  /** True unless the endpoint is known to be absent; after a long absence it is checked in the background. */
  isUp(endpoint: number): boolean {
    const absence = this.outages.get(endpoint);
    if (!absence) return true;
    if (!absence.isCheckRunning && this.endpoints > 1 && this.nowMs() >= absence.nextCheckAtMs)
      void this.checkEndpoint(endpoint, absence);
    return false;
  }

  /** Records whether a connection to the endpoint succeeded. */
  readonly recordContact = (
    endpoint: number,
    event: "connected" | "refused" | "lost",
    failure?: Error,
  ): void => {
    const counts = this.counts[endpoint];
    if (!counts) throw new RangeError(`there is no endpoint ${endpoint}`);
    if (event === "connected") {
      counts.connects++;
      this.outages.delete(endpoint);
      return;
    }
    counts[event]++;
    if (event === "refused" && failure)
      counts.refusal = codeOf(failure.cause) ?? messageOf(failure.cause ?? failure);
    const failedAtMs = this.nowMs();
    const absence = this.outages.get(endpoint);
    if (absence) absence.failedAtMs = failedAtMs;
    else {
      const nextCheckAtMs = failedAtMs + FIRST_CHECK_DELAY_MS;
      this.outages.set(endpoint, {
        failedAtMs,
        nextCheckAtMs,
        checkDelayMs: FIRST_CHECK_DELAY_MS,
        isCheckRunning: false,
      });
    }
  };

  private async checkEndpoint(endpoint: number, absence: EndpointOutage): Promise<void> {
    absence.isCheckRunning = true;
    const hasAnswered = await this.look(endpoint);
    absence.isCheckRunning = false;
    if (hasAnswered) {
      this.outages.delete(endpoint);
      return;
    }
    absence.checkDelayMs = Math.min(absence.checkDelayMs * 2, CHECK_DELAY_MAX_MS);
    absence.nextCheckAtMs = this.nowMs() + absence.checkDelayMs;
  }
}

/**
 * Calls `open` until it reaches the primary, at most once per endpoint, like libpq: a standby or an absent server is no failure while
 * another endpoint may be the primary. If none is, rejects with the error of the first endpoint that is not a standby.
 */
export async function skipStandbys<T>(endpoints: readonly Endpoint[], open: () => Promise<T>): Promise<T> {
  const [first] = endpoints;
  const mayHaveStandbys = endpoints.length > 1 && endpoints.every(({ takesWrites }) => takesWrites === true);
  if (!first || !mayHaveStandbys) return open();
  const { failures } = databaseOf(first);
  let failure: unknown;
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      if (failure === undefined || failures.isStandbyError(failure)) failure = error;
      if (tries >= endpoints.length || !failures.isUnavailableError(error)) throw failure;
    }
  }
}

/** Checks an endpoint by a statement, because a pooler may accept clients although its server is absent. */
export function checkByConnection(
  { endpoints, applicationName, onTransaction }: SourceOptions,
  live: Set<LoadSession>,
): (number: number) => Promise<boolean> {
  return async (number) => {
    const endpoint = endpoints[number];
    if (!endpoint) return false;
    const options = { endpoint, applicationName, prepared: false, onTransaction };
    const connection = databaseOf(endpoint).session(options);
    live.add(connection);
    const answered = new AbortController();
    void systemClock.sleep(CHECK_TIMEOUT_MS, answered.signal).then(() => connection.end());
    try {
      await connection.connect();
      await connection.ping();
      return true;
    } catch {
      return false;
    } finally {
      answered.abort();
      await connection.end();
      live.delete(connection);
    }
  };
}
