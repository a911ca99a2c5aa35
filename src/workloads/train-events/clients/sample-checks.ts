// Verified after the transaction: rows alone, then against the tables. Without a comparison it counts as not verified.
import type { ClaimedPass, ReadOutcome, Verification } from "../store.js";
import { deriveSeed, Prng } from "../../../foundation/prng.js";
import { DocumentChecks } from "../audit/document-checks.js";
import { Findings } from "../audit/findings.js";
import { WORKABLE_STATUSES, type EventPass, type EventStatus } from "../model/lifecycle.js";
import type { SampleChecks } from "../model/ledger.js";
import type { LifecycleClock } from "../../publish-times.js";
import type { DrawnQuestion } from "./question-drawer.js";
import {
  misreadAnswerRows,
  misreadRows,
  missingAnswer,
  missingRows,
  oldestCreatedAt,
  rowsByLookUp,
  type SoughtEvent,
} from "./read-check.js";
import type { UntimedQuery } from "./look-aside.js";
import type { EventAssignment } from "./assignment.js";
import type { Validation } from "../settings.js";
import type { StatementRow } from "../../../database/sql.js";

const TRANSACTIONS_PER_SAMPLE = 100;
/**
 * All of a worker's first 20 transactions are sampled. Transaction n after them is sampled with probability 20 / n, and at
 * least 1 / 100: short trials are verified too, and a long trial pays for 92 more look-ups.
 */
const FIRST_SAMPLED_TRANSACTIONS = 20;

export interface SampleChecksOptions {
  readonly verification: Verification;
  readonly lookAside: UntimedQuery;
  readonly lifecycle: Pick<LifecycleClock, "wasPublishedBefore">;
  readonly seed: number;
  /** Largest number of events that all claims of the trial can lock at the same time. */
  readonly lockedEventsMax: number;
  readonly validate: Validation;
}

/** A transaction that may be sampled: its client, and a monotonic time before it began. */
export interface SampledTransaction {
  readonly client: number;
  readonly startedMs: number;
}

/** A claim that has ended. `limit` is the number of events that it asked for. */
export interface EndedClaim extends SampledTransaction {
  readonly limit: number;
  readonly passes: readonly ClaimedPass[];
}

export class SampleChecker {
  private readonly prng: Prng;
  private transactions = 0;
  private readonly findings = new Findings();
  private readonly reads = { sampled: 0, verified: 0 };
  private readonly claims = { sampled: 0, verified: 0 };
  readonly documents: DocumentChecks;

  constructor(private readonly options: SampleChecksOptions) {
    this.prng = new Prng(options.seed);
    this.documents = new DocumentChecks(options.validate, this.findings, this.prng, true);
  }

  static of(
    { settings, role, trial, index, roleClients }: EventAssignment,
    parts: Pick<SampleChecksOptions, "lookAside" | "lifecycle" | "verification">,
  ): SampleChecker {
    const seed = deriveSeed(trial.seed, "sample", role, index);
    const { validate } = settings;
    const lockedEventsMax = roleClients * settings.batch.max;
    return new SampleChecker({ ...parts, seed, lockedEventsMax, validate });
  }

  async read(
    { client, startedMs }: SampledTransaction,
    sought: SoughtEvent,
    outcome: ReadOutcome,
  ): Promise<void> {
    if (!this.isSampled()) return;
    const { verification, lookAside, lifecycle } = this.options;
    const rows = rowsByLookUp(outcome, sought);
    this.reads.sampled++;
    for (const { id, words } of misreadRows(rows, sought)) this.findings.add("misread", id, words);
    const seen = await lookAside(client, async (connection) => ({
      newer: await verification.idsNewerThan(connection, sought.eventType, oldestCreatedAt(rows)),
      isLive: sought.id !== undefined && (await verification.isLive(connection, sought.id)),
    }));
    if (!seen) return;
    this.reads.verified++;
    const newer = seen.newer.filter((id) => lifecycle.wasPublishedBefore(id, startedMs));
    for (const { id, words } of missingRows(rows, newer, seen.isLive ? sought.id : undefined))
      this.findings.add("misread", id, words);
  }

  /**
   * Verifies the answer to a question, if sampled. `id` is the event from which the question was made, if known. Never
   * rejects.
   */
  async answer(
    client: number,
    { question, id }: Pick<DrawnQuestion, "question" | "id">,
    rows: readonly StatementRow[],
  ): Promise<void> {
    if (!this.isSampled()) return;
    const { verification, lookAside } = this.options;
    this.reads.sampled++;
    const misread = misreadAnswerRows(rows, question);
    if (id !== undefined) {
      const isLive = await lookAside(client, (connection) => verification.isLive(connection, id));
      if (isLive !== undefined) this.reads.verified++;
      if (isLive) misread.push(...missingAnswer(rows, question, id));
    }
    for (const each of misread) this.findings.add("misread", each.id, each.words);
  }

  /** Verifies a claim, if sampled and if it has events. Never rejects. */
  async claim(claim: EndedClaim): Promise<void> {
    if (claim.passes.length === 0) return;
    const isSampled = this.isSampled();
    if (isSampled) await this.checkOrder(claim);
    await this.checkDocuments(claim, isSampled);
  }

  total(): SampleChecks {
    const { reads, claims } = this;
    const validated = this.documents.total();
    const { counts, named } = this.findings;
    const { invalid, misread, misclaimed } = counts;
    return { reads, claims, validated, invalid, misread, misclaimed, named };
  }

  /** Decides at random whether a transaction is sampled. Call it once for each transaction. */
  private isSampled(): boolean {
    return (
      this.prng.float() * ++this.transactions <
      Math.max(FIRST_SAMPLED_TRANSACTIONS, this.transactions / TRANSACTIONS_PER_SAMPLE)
    );
  }

  /**
   * Validates the documents of a claim. If the database changed them by itself, one look-up reads them as the pass left
   * them.
   */
  private async checkDocuments({ client, passes }: EndedClaim, isSampled: boolean): Promise<void> {
    const { documents } = this;
    const { validate, verification, lookAside } = this.options;
    if (validate === "off") return;
    if (passes[0]?.payload === undefined) {
      if (!isSampled && validate === "sample") return;
      const ids = passes.map(({ id }) => id);
      const found = await lookAside(client, (connection) => verification.documents(connection, ids));
      for (const { id, payload } of found ?? []) documents.hold("claimed", id, payload);
      return;
    }
    for (const { id, payload = "" } of passes)
      if (documents.isDocumentChosen()) documents.hold("claimed", id, payload);
  }

  private async checkOrder({ client, startedMs, limit, passes }: EndedClaim): Promise<void> {
    const { verification, lookAside, lifecycle, lockedEventsMax } = this.options;
    this.claims.sampled++;
    this.checkPasses(passes, limit);
    const ids = passes.map(({ id }) => id);
    const left = await lookAside(client, (connection) =>
      verification.passedOverIds(connection, ids, lockedEventsMax + 1),
    );
    if (!left) return;
    this.claims.verified++;
    const olderIds = left.filter((id) => lifecycle.wasPublishedBefore(id, startedMs));
    if (olderIds.length <= lockedEventsMax) return;
    const words = `a claim passed it over for a younger one, and more events than the ${lockedEventsMax} that can be locked`;
    this.findings.add("misclaimed", olderIds[0] as string, words);
  }

  private checkPasses(passes: readonly EventPass[], limit: number): void {
    const workable: readonly EventStatus[] = WORKABLE_STATUSES;
    const addMisclaimed = (id: string, words: string): void => this.findings.add("misclaimed", id, words);
    const extraPass = passes[limit];
    if (extraPass)
      addMisclaimed(extraPass.id, `a claim gave ${passes.length} events, ${limit} at most were asked for`);
    for (const [i, { id, was }] of passes.entries()) {
      const before = passes[i - 1];
      if (!workable.includes(was)) addMisclaimed(id, `it was claimed while it was ${was}`);
      if (before && before.id === id) addMisclaimed(id, "one claim gave it twice");
      else if (before && before.id > id) addMisclaimed(id, "a claim gave it out of the order of keys");
    }
  }
}
