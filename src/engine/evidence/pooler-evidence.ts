// The wait for a server connection in transaction mode is inside a transaction's first statement, which no client sees.
import { ReopenableSession } from "../../database/standing-session.js";
import type { DatabaseEvidence } from "../../results/result-schema.js";
import type { EvidenceReading, SkippedSource } from "../../database/evidence.js";
import { POOLER_SESSION_KEY, type EvidenceSource, type WindowEvidence } from "./evidence-source.js";
import { POOLER_EVIDENCE } from "../../workloads/evidence.js";
import { windowFigures } from "./window-figures.js";
import type { PoolerStatistics, RunningPooler } from "../../pools/running-pooler.js";

const CONSOLE_CONNECT_TIMEOUT_MS = 1_000;

/** The consoles of the user's poolers that cannot be read. All poolers that train-sim starts have a console. */
function unreadConsoles({ product, consoles, endpoints, instances }: RunningPooler): SkippedSource[] {
  if (instances.length > 0 || consoles.length === endpoints.length) return [];
  const source = product;
  if (consoles.length === 0)
    return [{ source, reason: "its console is not known: set pool.adminUrl to read its statistics" }];
  const reason = `pool.adminUrl is the console of ${consoles.length} of ${endpoints.length}: its numbers cover that part only`;
  return [{ source, reason, isPartial: true }];
}

function countsOf(window: WindowEvidence): Partial<NonNullable<DatabaseEvidence["pooler"]>> {
  const transactions = window.total("pooler.transactions");
  const waitMs = window.total("pooler.waitMs");
  const queryMs = window.total("pooler.queryMs");
  if (transactions === undefined || waitMs === undefined || queryMs === undefined) return {};
  const perTransaction = (ms: number): number => (transactions > 0 ? Math.max(0, ms) / transactions : 0);
  return {
    transactions,
    waitMsPerTransaction: perTransaction(waitMs),
    queryMsPerTransaction: perTransaction(queryMs - waitMs),
  };
}

export class PoolerSource implements EvidenceSource {
  readonly name = "pooler";
  readonly skipped: readonly SkippedSource[];
  private readonly sampler: ReopenableSession<PoolerStatistics>;
  private sessions = 0;
  private serversMax: number | undefined;

  constructor(private readonly pooler: RunningPooler) {
    this.skipped = unreadConsoles(pooler);
    this.sampler = new ReopenableSession(() => {
      this.sessions++;
      return pooler.statistics(CONSOLE_CONNECT_TIMEOUT_MS);
    });
  }

  /** Connects to the consoles before the load, because a busy pooler with few processes would accept late. */
  async prepare(): Promise<void> {
    if (this.pooler.consoles.length > 0) await this.sampler.get().catch(() => undefined);
  }

  async openWindow(): Promise<void> {
    if (this.pooler.consoles.length === 0) return;
    this.serversMax = await (await this.sampler.get()).serversMax();
  }

  async sample(): Promise<EvidenceReading> {
    if (this.pooler.consoles.length === 0) return {};
    try {
      const reading = await (await this.sampler.get()).sample();
      const values = Object.entries(reading).map(([name, value]) => [`pooler.${name}`, value] as const);
      return { ...Object.fromEntries(values), [POOLER_SESSION_KEY]: this.sessions };
    } catch (error) {
      // The next sample uses a new connection, because the pooler may restart meanwhile.
      await this.sampler.giveUp();
      throw error;
    }
  }

  summary(window: WindowEvidence): Pick<DatabaseEvidence, "pooler"> {
    const serversActive = window.gauge("pooler.serversActive");
    if (!serversActive) return {};
    return {
      pooler: {
        product: this.pooler.product,
        ...windowFigures(window, POOLER_EVIDENCE),
        serversActive,
        ...(this.serversMax !== undefined && { serversMax: this.serversMax }),
        ...countsOf(window),
      },
    };
  }

  close(): Promise<void> {
    return this.sampler.close();
  }
}
