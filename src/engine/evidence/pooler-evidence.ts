// PgBouncer as a source of evidence: who waits for a server connection, and how long a transaction did by PgBouncer's own
// count. In transaction mode that wait is inside the first statement of a transaction, where a client cannot see it.
// A pooler without a console that we may ask is named, and so is one of which only a part answers.
import { PoolerSampler } from "../../pools/pgbouncer/pooler-sampler.js";
import { StandingSession } from "../../database/standing-session.js";
import type { DatabaseEvidence } from "../../results/result-schema.js";
import type { EvidenceReading, EvidenceSource, SkippedSource, WindowEvidence } from "./evidence-source.js";
import type { RunningPooler } from "../../pools/running-pooler.js";

const CONNECT_MS = 1_000;

/** What the console can be asked for; nothing where there is none. */
function unseen({ consoles, endpoints }: Pick<RunningPooler, "consoles" | "endpoints">): SkippedSource[] {
  if (consoles.length === endpoints.length) return [];
  const source = "PgBouncer";
  if (consoles.length === 0)
    return [{ source, reason: "its console is not known: set pool.adminUrl to read its statistics" }];
  const reason = `pool.adminUrl is the console of ${consoles.length} of ${endpoints.length}: its numbers are of that part alone`;
  return [{ source, reason }];
}

export class PoolerSource implements EvidenceSource {
  readonly name = "pooler";
  readonly skipped: readonly SkippedSource[];
  private readonly sampler: StandingSession<PoolerSampler>;
  private serversMax: number | undefined;

  constructor(private readonly pooler: Pick<RunningPooler, "consoles" | "endpoints">) {
    this.skipped = unseen(pooler);
    const { consoles, endpoints } = pooler;
    this.sampler = new StandingSession(() => PoolerSampler.connect(consoles, endpoints, CONNECT_MS));
  }

  async opened(): Promise<void> {
    if (this.pooler.consoles.length === 0) return;
    this.serversMax = await (await this.sampler.get()).serversMax();
  }

  async sample(): Promise<EvidenceReading> {
    if (this.pooler.consoles.length === 0) return {};
    try {
      const { reading, counts } = await (await this.sampler.get()).sample();
      return {
        "pooler.clientsActive": reading.clientsActive,
        "pooler.clientsWaiting": reading.clientsWaiting,
        "pooler.maxWaitMs": reading.maxWaitMs,
        "pooler.serversActive": reading.serversActive,
        "pooler.serversIdle": reading.serversIdle,
        ...(counts && {
          "pooler.transactions": counts.transactions,
          "pooler.waitMs": counts.waitMs,
          "pooler.queryMs": counts.queryMs,
        }),
      };
    } catch (error) {
      // The next sample tries on a new connection: PgBouncer may be restarted meanwhile.
      await this.sampler.giveUp();
      throw error;
    }
  }

  summary(window: WindowEvidence): Pick<DatabaseEvidence, "pooler"> {
    const clientsWaiting = window.gauge("pooler.clientsWaiting");
    const serversActive = window.gauge("pooler.serversActive");
    const transactions = window.total("pooler.transactions");
    const waitMs = window.total("pooler.waitMs");
    const queryMs = window.total("pooler.queryMs");
    if (!clientsWaiting || !serversActive || transactions === undefined) return {};
    if (waitMs === undefined || queryMs === undefined) return {};
    const perTransaction = (ms: number): number => (transactions > 0 ? Math.max(0, ms) / transactions : 0);
    return {
      pooler: {
        clientsWaiting,
        maxWaitMs: window.gauge("pooler.maxWaitMs")?.max ?? 0,
        serversActive,
        ...(this.serversMax !== undefined && { serversMax: this.serversMax }),
        transactions,
        waitMsPerTransaction: perTransaction(waitMs),
        queryMsPerTransaction: perTransaction(queryMs - waitMs),
      },
    };
  }

  close(): Promise<void> {
    return this.sampler.close();
  }
}
