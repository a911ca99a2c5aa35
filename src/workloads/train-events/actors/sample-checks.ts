// Verifies one in a hundred reads and claims, chosen by the seed, after their transaction has ended: rows by themselves, then
// against what is in the tables. The question costs the server a look-up, and the client the time to wait for it, between
// transactions. What could not be asked, or found nothing to hold it to, is sampled and not verified.
import { createVerification, type Verification } from "../sql/verification.js";
import type { ProcessOutcome, ReadOutcome } from "../sql/workload.js";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import { Findings } from "../audit/findings.js";
import { WORKABLE_STATUSES, type EventPass, type EventStatus } from "../model/lifecycle.js";
import type { SampleChecks } from "../model/ledger.js";
import type { LifecycleClock } from "./publish-times.js";
import { misreadRows, missingRows, oldestOf, rowsOf, type Sought } from "./read-check.js";
import type { LookBeside } from "./look-beside.js";
import type { EventAssignment } from "./assignment.js";

const ONE_IN = 100;

export interface SampleChecksOptions {
  readonly verification: Verification;
  readonly beside: LookBeside;
  readonly lifecycle: Pick<LifecycleClock, "wasPublishedBefore">;
  /** Decides which transactions are sampled. */
  readonly seed: number;
  /** Events that all claims of the trial together can hold at a moment. */
  readonly lockedMost: number;
}

/** Who ran the transaction, and the monotonic moment before it began. */
export interface Sampled {
  readonly client: number;
  readonly startedMs: number;
}

export class SampleChecker {
  private readonly prng: Prng;
  private readonly findings = new Findings();
  private readonly reads = { sampled: 0, verified: 0 };
  private readonly claims = { sampled: 0, verified: 0 };

  constructor(private readonly options: SampleChecksOptions) {
    this.prng = new Prng(options.seed);
  }

  /** Of one worker. */
  static of(
    { settings, role, trial, index, groupClients }: EventAssignment,
    parts: Pick<SampleChecksOptions, "beside" | "lifecycle">,
  ): SampleChecker {
    const seed = deriveSeed(trial.seed, "sample", role, index);
    const lockedMost = groupClients * settings.batch.max;
    return new SampleChecker({ ...parts, verification: createVerification(settings), seed, lockedMost });
  }

  /** Asked once for each transaction. */
  isSampled(): boolean {
    return this.prng.intBetween(1, ONE_IN) === 1;
  }

  /** Never rejects. */
  async read({ client, startedMs }: Sampled, sought: Sought, outcome: ReadOutcome): Promise<void> {
    const { verification, beside, lifecycle } = this.options;
    const rows = rowsOf(outcome, sought);
    this.reads.sampled++;
    for (const { id, words } of misreadRows(rows, sought)) this.findings.add("misread", id, words);
    const seen = await beside(client, async (connection) => ({
      newer: await verification.newerThan(connection, sought.eventType, oldestOf(rows)),
      isLive: sought.id !== undefined && (await verification.isLive(connection, sought.id)),
    }));
    if (!seen) return;
    this.reads.verified++;
    const newer = seen.newer.filter((id) => lifecycle.wasPublishedBefore(id, startedMs));
    for (const { id, words } of missingRows(rows, newer, seen.isLive ? sought.id : undefined))
      this.findings.add("misread", id, words);
  }

  /** Never rejects. `limit` is the number of events that were asked for; without events there is no order to verify. */
  async claim({ client, startedMs }: Sampled, limit: number, { passes }: ProcessOutcome): Promise<void> {
    if (passes.length === 0) return;
    const { verification, beside, lifecycle, lockedMost } = this.options;
    this.claims.sampled++;
    this.checkPasses(passes, limit);
    const ids = passes.map(({ id }) => id);
    const left = await beside(client, (connection) =>
      verification.passedOver(connection, ids, lockedMost + 1),
    );
    if (!left) return;
    this.claims.verified++;
    const older = left.filter((id) => lifecycle.wasPublishedBefore(id, startedMs));
    if (older.length <= lockedMost) return;
    const words = `a claim passed it over for a younger one, and more events than the ${lockedMost} that can be locked`;
    this.findings.add("misclaimed", older[0] as string, words);
  }

  /** What the worker tells at the end. */
  total(): SampleChecks {
    const { reads, claims } = this;
    const { counts, named } = this.findings;
    return { reads, claims, misread: counts.misread, misclaimed: counts.misclaimed, named };
  }

  private checkPasses(passes: readonly EventPass[], limit: number): void {
    const workable: readonly EventStatus[] = WORKABLE_STATUSES;
    const misclaimed = (id: string, words: string): void => this.findings.add("misclaimed", id, words);
    const extra = passes[limit];
    if (extra) misclaimed(extra.id, `a claim gave ${passes.length} events, ${limit} at most were asked for`);
    for (const [i, { id, was }] of passes.entries()) {
      const before = passes[i - 1];
      if (!workable.includes(was)) misclaimed(id, `it was claimed while it was ${was}`);
      if (before && before.id === id) misclaimed(id, "one claim gave it twice");
      else if (before && before.id > id) misclaimed(id, "a claim gave it out of the order of keys");
    }
  }
}
