// Each event against the acknowledged work, in five bytes. A commit in doubt explains all of its events or none.
import { existsSync } from "node:fs";
import { batchNumberOf, MAX_TRIAL_WORKERS, positionOf, workerOf } from "../../event-id.js";
import type { EventStatus } from "../model/lifecycle.js";
import type { LossSpan } from "../../../faults/fault.js";
import {
  readWorkRecords,
  workPath,
  type EventPlace,
  type EventWork,
  type WorkRecord,
  type WorkOperation,
} from "./work-file.js";
import { settleDoubts, type DoubtfulWork } from "./doubts.js";
import type { Findings } from "./findings.js";
import { isWithin } from "../../losses.js";
import type { Ledgers } from "./key-audit.js";

export interface StoredEvent {
  readonly id: string;
  readonly isArchived: boolean;
  readonly status: EventStatus;
  readonly attempts: number;
}

/** Bits of each event's state: what acknowledged work did to it, and what the tables show. */
const CLAIMED_BIT = 1;
const COMPLETED_BIT = 2;
const FAILED_BIT = 4;
/** Set if two acknowledged passes took the event out of the same status: the first one was lost in between. */
const REPEATED_CHANGE_BIT = 8;
const ARCHIVED_BIT = 16;
const STORED_ARCHIVED_BIT = 32;
const IN_DOUBT_BIT = 64;

/** An event that shows more passes or archivings than were acknowledged. */
interface Surplus {
  readonly id: string;
  readonly amount: number;
  readonly words: string;
}

/** Commits in doubt of one operation whose events no log names. They may explain that much surplus. */
interface UnknownCommits {
  commits: number;
  events: number;
}

export interface WorkAuditOptions {
  /** False if a worker ended without closing its log, so that work may be missing from it. */
  readonly isWhole: boolean;
  /** True if a pass may end an event that was PENDING. */
  readonly isOneStep: boolean;
  /** Spans in which faults may lose acknowledged work. */
  readonly spans: readonly LossSpan[];
}

export class WorkAudit {
  readonly totals = { passes: 0, archived: 0 };
  private readonly passes: Uint32Array;
  private readonly bits: Uint8Array;
  /** Number of acknowledged archivings after the first, by the event's index. */
  private readonly rearchived = new Map<number, number>();
  /** Index of each batch's first event, by worker and then by the batch's place in its ledger. */
  private readonly starts = new Map<number, Float64Array>();
  private readonly doubts = new Map<string, DoubtfulWork>();
  private readonly doubtful = new Map<number, StoredEvent[]>();
  /** Events that are live although their archiving was acknowledged. They are lost work unless they are archived as well. */
  private readonly returned: { readonly index: number; readonly id: string }[] = [];
  private readonly surplus: Record<WorkOperation, Surplus[]> = { process: [], archive: [] };
  private readonly unknown: Record<WorkOperation, UnknownCommits> = {
    process: { commits: 0, events: 0 },
    archive: { commits: 0, events: 0 },
  };

  /**
   * Number of the transaction whose records are being read; `losableAcknowledgedAtMs` is its acknowledgement if a fault may have lost
   * it.
   */
  private transactions = 0;
  private losableAcknowledgedAtMs: number | undefined;

  /** Reads all work logs in `directory`. */
  constructor(
    private readonly ledgers: Ledgers,
    directory: string,
    private readonly options: WorkAuditOptions,
  ) {
    let events = 0;
    for (const [worker, file] of ledgers) {
      const starts = new Float64Array(file.length + 1);
      let place = 0;
      for (const batch of file.batches()) {
        starts[place++] = events;
        events += batch.events;
      }
      starts[place] = events;
      this.starts.set(worker, starts);
    }
    this.passes = new Uint32Array(events);
    this.bits = new Uint8Array(events);
    for (let worker = 0; worker <= MAX_TRIAL_WORKERS; worker++) {
      const path = workPath(directory, worker);
      if (!existsSync(path)) continue;
      this.losableAcknowledgedAtMs = undefined;
      for (const work of readWorkRecords(path)) this.take(work, worker);
    }
  }

  check(event: StoredEvent, findings: Findings): void {
    const index = this.indexOf(event.id);
    if (index < 0) return;
    if ((this.at(index) & IN_DOUBT_BIT) === 0) {
      this.compare(index, event, findings);
      return;
    }
    const doubtfulEvents = this.doubtful.get(index);
    if (doubtfulEvents) doubtfulEvents.push(event);
    else this.doubtful.set(index, [event]);
  }

  /** Adds the findings that need all rows. Call it after the last `check`. */
  settle(findings: Findings): void {
    // If work may be missing from the logs, commits without an answer cannot be decided.
    const doubts = [...this.doubts.values()].filter(
      ({ acknowledgedAtMs }) => !this.isOpen || acknowledgedAtMs !== undefined,
    );
    const excess = (index: number, operation: WorkOperation) => this.excess(index, operation);
    const { committed, lost, undecided, torn } = settleDoubts(doubts, excess);
    for (const { works } of committed) for (const { index, work } of works) this.record(index, work);
    this.addLosses(lost, torn, findings);
    if (this.isOpen) this.compareLeastPasses(findings);
    else this.compareDoubtful(undecided, torn, findings);
    for (const { index, id } of this.returned)
      if ((this.at(index) & STORED_ARCHIVED_BIT) === 0)
        this.addUndone(
          "archive",
          this.archivingsAt(index),
          id,
          "its archiving was acknowledged, and it is live",
          findings,
        );
    for (const operation of ["process", "archive"] as const) this.judgeSurplus(operation, findings);
  }

  /** True if the tables may show work that no log contains. */
  private get isOpen(): boolean {
    const { process, archive } = this.unknown;
    return !this.options.isWhole || process.commits + archive.commits > 0;
  }

  /**
   * Compares only the lower bound of passes of events with commits in doubt, because other work may be missing from the
   * logs.
   */
  private compareLeastPasses(findings: Findings): void {
    for (const [index, events] of this.doubtful)
      for (const { id, attempts } of events)
        if (attempts < this.passesAt(index)) this.addMissingPasses(index, id, attempts, findings);
  }

  /**
   * Adds losses for acknowledged commits that did not happen, and a finding for each of their events that is present. A
   * missing event is a finding of the key audit.
   */
  private addLosses(lost: readonly DoubtfulWork[], torn: ReadonlySet<number>, findings: Findings): void {
    const reportedIndexes = new Set<number>();
    for (const { operation, works, acknowledgedAtMs } of lost)
      for (const { index } of works) {
        if (torn.has(index)) continue;
        findings.losses.add(operation, 1, acknowledgedAtMs, true);
        const id = this.doubtful.get(index)?.[0]?.id;
        if (id === undefined || reportedIndexes.has(index)) continue;
        reportedIndexes.add(index);
        const words = operation === "process" ? "a pass was acknowledged" : "its archiving was acknowledged";
        findings.addLoss("undone", id, `${words}, and the tables lack it`, true);
      }
  }

  private compareDoubtful(
    undecided: ReadonlySet<number>,
    torn: ReadonlySet<number>,
    findings: Findings,
  ): void {
    for (const [index, events] of this.doubtful)
      for (const event of events) {
        if (torn.has(index))
          findings.add("torn", event.id, "it contradicts the other events of a commit in doubt");
        else if (!undecided.has(index)) this.compare(index, event, findings);
      }
  }

  private take(work: WorkRecord, worker: number): void {
    if (work.kind === "transaction") {
      this.transactions++;
      this.losableAcknowledgedAtMs = isWithin(this.options.spans, work) ? work.atMs : undefined;
      return;
    }
    if (work.kind === "unknown") {
      this.unknown[work.operation].commits++;
      this.unknown[work.operation].events += work.events;
      return;
    }
    const isAcknowledged = work.doubt === 0;
    if (isAcknowledged) this.totals[work.kind === "pass" ? "passes" : "archived"]++;
    const index = this.indexOfPlace(work.event);
    if (index < 0) return;
    const acknowledgedAtMs = isAcknowledged ? this.losableAcknowledgedAtMs : undefined;
    if (isAcknowledged && acknowledgedAtMs === undefined) {
      this.record(index, work);
      return;
    }
    const name = isAcknowledged ? `acknowledged ${this.transactions}` : `${worker} ${work.doubt}`;
    const operation = work.kind === "pass" ? "process" : "archive";
    const doubt = this.doubts.get(name) ?? { operation, works: [], acknowledgedAtMs };
    this.doubts.set(name, doubt);
    doubt.works.push({ index, work });
    this.bits[index] = this.at(index) | IN_DOUBT_BIT;
  }

  private record(index: number, work: EventWork): void {
    const bits = this.at(index);
    if (work.kind === "archived") {
      if ((bits & ARCHIVED_BIT) !== 0) this.rearchived.set(index, this.archivingsAt(index));
      this.bits[index] = bits | ARCHIVED_BIT;
      return;
    }
    const { was, status } = work.pass;
    this.passes[index] = this.passesAt(index) + 1;
    if (was === status) return;
    const ended = COMPLETED_BIT | FAILED_BIT;
    const skipsProcessing = this.options.isOneStep && was === "PENDING" && status !== "PROCESSING";
    const left = skipsProcessing ? CLAIMED_BIT | ended : was === "PENDING" ? CLAIMED_BIT : ended;
    const reached =
      { PENDING: 0, PROCESSING: CLAIMED_BIT, COMPLETE: COMPLETED_BIT, FAILED: FAILED_BIT }[status] |
      (skipsProcessing ? CLAIMED_BIT : 0);
    this.bits[index] = bits | reached | ((bits & left) === 0 ? 0 : REPEATED_CHANGE_BIT);
  }

  private compare(
    index: number,
    { id, isArchived, status, attempts }: StoredEvent,
    findings: Findings,
  ): void {
    const bits = this.at(index);
    if (isArchived) {
      this.bits[index] = bits | STORED_ARCHIVED_BIT;
      if ((bits & ARCHIVED_BIT) === 0)
        this.surplus.archive.push({
          id,
          amount: 1,
          words: "it is archived, and no archiver was answered so",
        });
    }
    const acknowledged = this.passesAt(index);
    const expectedStatus = statusOf(bits);
    const passesWords = `${acknowledged} acknowledged passes left it ${expectedStatus}`;
    const again = isArchived ? (this.rearchived.get(index) ?? 0) : 0;
    // More acknowledged passes than shown: a pass was lost and made again.
    if (attempts < acknowledged) this.addMissingPasses(index, id, attempts, findings);
    else if (again > 0)
      this.addUndone("archive", again, id, `archivings acknowledged: ${again + 1}, shown: 1`, findings);
    else if ((bits & REPEATED_CHANGE_BIT) !== 0)
      findings.add("unexplained", id, "two acknowledged transactions moved it out of the same status");
    else if (attempts > acknowledged)
      this.surplus.process.push({
        id,
        amount: attempts - acknowledged,
        words: `${passesWords}; passes shown: ${attempts}`,
      });
    else if ((bits & (CLAIMED_BIT | COMPLETED_BIT | FAILED_BIT)) > CLAIMED_BIT && (bits & CLAIMED_BIT) === 0)
      findings.add("unexplained", id, `${passesWords}, and none of them claimed it`);
    else if (status !== expectedStatus)
      findings.add("unexplained", id, `${passesWords}, and it is ${status}`);
    else if (!isArchived && (bits & ARCHIVED_BIT) !== 0) this.returned.push({ index, id });
  }

  private judgeSurplus(operation: WorkOperation, findings: Findings): void {
    const surplus = this.surplus[operation];
    const { commits, events } = this.unknown[operation];
    const total = surplus.reduce((sum, { amount }) => sum + amount, 0);
    const isExplained = total <= events && surplus.every(({ amount }) => amount <= commits);
    if (!this.options.isWhole || isExplained) return;
    for (const { id, words } of surplus) findings.add("unexplained", id, words);
  }

  /**
   * Number of passes or archivings of an event that the tables show beyond the certain acknowledged ones; undefined if the
   * event is missing.
   */
  private excess(index: number, operation: WorkOperation): number | undefined {
    const seen = this.doubtful.get(index);
    const [event] = seen ?? [];
    if (!seen || !event) return undefined;
    if (operation === "process") return event.attempts - this.passesAt(index);
    const isArchived = seen.some((each) => each.isArchived);
    return Number(isArchived) - Number((this.at(index) & ARCHIVED_BIT) !== 0);
  }

  private addMissingPasses(index: number, id: string, attempts: number, findings: Findings): void {
    const acknowledged = this.passesAt(index);
    const words = `passes acknowledged: ${acknowledged}, shown: ${attempts}`;
    this.addUndone("process", acknowledged - attempts, id, words, findings);
  }

  /** Adds a finding and a loss for missing acknowledged work that no fault explains. */
  private addUndone(
    operation: WorkOperation,
    amount: number,
    id: string,
    words: string,
    findings: Findings,
  ): void {
    findings.addLoss("undone", id, words, false);
    findings.losses.add(operation, amount, undefined, false);
  }

  private indexOf(id: string): number {
    return this.indexOfPlace({ worker: workerOf(id), batch: batchNumberOf(id), position: positionOf(id) });
  }

  private indexOfPlace({ worker, batch, position }: EventPlace): number {
    const place = this.ledgers.get(worker)?.placeOf(batch) ?? -1;
    const starts = this.starts.get(worker);
    if (place < 0 || !starts) return -1;
    const index = (starts[place] as number) + position;
    return index < (starts[place + 1] as number) ? index : -1;
  }

  private at(index: number): number {
    return this.bits[index] as number;
  }

  private archivingsAt(index: number): number {
    return Number((this.at(index) & ARCHIVED_BIT) !== 0) + (this.rearchived.get(index) ?? 0);
  }

  private passesAt(index: number): number {
    return this.passes[index] as number;
  }
}

function statusOf(bits: number): EventStatus {
  if ((bits & COMPLETED_BIT) !== 0) return "COMPLETE";
  if ((bits & FAILED_BIT) !== 0) return "FAILED";
  return (bits & CLAIMED_BIT) !== 0 ? "PROCESSING" : "PENDING";
}
