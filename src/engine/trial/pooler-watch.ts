// A separate connection would wait behind the load for a server connection and show less.
import { monotonicMs } from "../../foundation/clock.js";
import { finishedCountIn, type RecorderDelta } from "../../metrics/recorder-delta.js";
import { addressOf } from "../../database/endpoint.js";
import type { RunningPooler } from "../../pools/running-pooler.js";
import type { EndpointContacts } from "../../database/session.js";

/** How long a pooler may refuse all connections; the same as for the server. */
const PATIENCE_MS = 8_000;

export const POOLER_HINT = "Check that the pooler runs, and read its log.";

function sumOf(contacts: readonly EndpointContacts[] | undefined, count: "connects" | "refused"): number {
  return (contacts ?? []).reduce((sum, each) => sum + each[count], 0);
}

export class PoolerWatch {
  readonly lost: Promise<string>;
  private declareLost: (words: string) => void = () => undefined;
  /** The last reported contacts, by worker and endpoint. */
  private readonly contacts: (readonly EndpointContacts[])[] = [];
  /** Number of refusals before the outage began, by endpoint. */
  private refusalsBeforeOutage: readonly number[];
  /** Start of the time in which the pooler has only refused connections; undefined while it serves clients. */
  private outage: { readonly sinceMs: number; readonly second: number | undefined } | undefined;
  private excusedChecks = 0;

  constructor(
    private readonly pooler: Pick<RunningPooler, "product" | "endpoints">,
    private readonly nowMs: () => number = monotonicMs,
  ) {
    this.lost = new Promise((resolve) => (this.declareLost = resolve));
    this.refusalsBeforeOutage = pooler.endpoints.map(() => 0);
  }

  /** Takes what a worker recorded in a second, and its counts of connections and refusals. */
  addContacts(worker: number, delta: RecorderDelta, contacts: readonly EndpointContacts[]): void {
    const before = this.contacts[worker];
    this.contacts[worker] = contacts;
    const more = (count: "connects" | "refused"): boolean => sumOf(contacts, count) > sumOf(before, count);
    const isClientServed = finishedCountIn(delta) > 0 || more("connects");
    if (isClientServed || this.excusedChecks > 0) this.clearOutage();
    else if (more("refused")) this.recordOutage(delta);
  }

  private recordOutage({ closedBefore, isWarmUp }: RecorderDelta): void {
    const second = isWarmUp || !Number.isFinite(closedBefore) ? undefined : closedBefore;
    this.outage ??= { sinceMs: this.nowMs(), second };
    if (this.nowMs() - this.outage.sinceMs > PATIENCE_MS) this.declareLost(this.words(this.outage));
  }

  /** Allows refusals, because a fault is present, until the returned function is called. */
  tolerateRefusals(): () => void {
    this.excusedChecks++;
    return () => {
      this.excusedChecks--;
      this.clearOutage();
    };
  }

  private clearOutage(): void {
    this.outage = undefined;
    this.refusalsBeforeOutage = this.refusalCounts();
  }

  /** Number of refusals so far, by endpoint. */
  private refusalCounts(): number[] {
    return this.pooler.endpoints.map((_, number) =>
      this.contacts.reduce((sum, contacts) => sum + (contacts[number]?.refused ?? 0), 0),
    );
  }

  private words({
    sinceMs,
    second,
  }: {
    readonly sinceMs: number;
    readonly second: number | undefined;
  }): string {
    const when =
      second === undefined
        ? `within ${Math.round((this.nowMs() - sinceMs) / 1000)} s`
        : `since second ${second}`;
    const refused = this.refusalCounts().map(
      (count, number) => count - (this.refusalsBeforeOutage[number] ?? 0),
    );
    return this.pooler.endpoints
      .flatMap((endpoint, number) => {
        const count = refused[number] ?? 0;
        const seen = new Set(this.contacts.flatMap((contacts) => contacts[number]?.refusal ?? []));
        const noun = count === 1 ? "connection" : "connections";
        return count === 0
          ? []
          : [
              `${this.pooler.product} at ${addressOf(endpoint)} refused ${count} ${noun} (${[...seen].join(", ")})`,
            ];
      })
      .join("; ")
      .concat(` ${when}`);
  }
}
