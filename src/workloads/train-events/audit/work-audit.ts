// Each event against the acknowledged work, in five bytes. A commit in doubt explains all of its events or none.
import { existsSync } from "node:fs";
import { batchNumberOf, MAX_WORKER_ORDINALS, positionOf, workerOf } from "../model/event-id.js";
import type { EventStatus } from "../model/lifecycle.js";
import type { LossSpan } from "../../../faults/fault.js";
import {
  readWork,
  workPath,
  type EventPlace,
  type EventWork,
  type Work,
  type WorkOperation,
} from "./work-file.js";
import { settleDoubts, type DoubtfulWork } from "./doubts.js";
import type { Findings } from "./findings.js";
import { isWithin } from "./losses.js";
import type { Ledgers } from "./key-audit.js";

export interface SeenEvent {
  readonly id: string;
  readonly isArchived: boolean;
  readonly status: EventStatus;
  readonly attempts: number;
}

/** Bits of each event's state: what acknowledged work did to it, and what the tables show. */
const CLAIMED = 1;
const COMPLETED = 2;
const FAILED = 4;
/** Set if two acknowledged passes took the event out of the same status: the first one was lost in between. */
const REPEATED = 8;
const ARCHIVED = 16;
const SEEN_ARCHIVED = 32;
const IN_DOUBT = 64;

/** An event that shows more passes or archivings than were acknowledged. */
interface Surplus {
  readonly id: string;
  readonly amount: number;
  readonly words: string;
}

/** Commits in doubt of one operation whose events no log names. They may explain that much surplus. */
interface Allowance {
  commits: number;
  events: number;
}

export interface WorkTerms {
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
  private readonly doubtful = new Map<number, SeenEvent[]>();
  /** Events that are live although their archiving was acknowledged. They are lost work unless they are archived as well. */
  private readonly returned: { readonly index: number; readonly id: string }[] = [];
  private readonly surplus: Record<WorkOperation, Surplus[]> = { process: [], archive: [] };
  private readonly unknown: Record<WorkOperation, Allowance> = {
    process: { commits: 0, events: 0 },
    archive: { commits: 0, events: 0 },
  };

  /**
   * Number of the transaction whose records are being read; `losableAtMs` is its acknowledgement if a fault may have lost
   * it.
   */
  private transactions = 0;
  private losableAtMs: number | undefined;

  /** Reads all work logs in `directory`. */
  constructor(
    private readonly ledgers: Ledgers,
    directory: string,
    private readonly terms: WorkTerms,
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
    for (let worker = 0; worker <= MAX_WORKER_ORDINALS; worker++) {
      const path = workPath(directory, worker);
      if (!existsSync(path)) continue;
      this.losableAtMs = undefined;
      for (const work of readWork(path)) this.take(work, worker);
    }
  }

  check(event: SeenEvent, findings: Findings): void {
    const index = this.indexOf(event.id);
    if (index < 0) return;
    if ((this.at(index) & IN_DOUBT) === 0) {
      this.compare(index, event, findings);
      return;
    }
    const known = this.doubtful.get(index);
    if (known) known.push(event);
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
    this.tellLost(lost, torn, findings);
    if (this.isOpen) this.compareAtLeast(findings);
    else this.compareDoubtful(undecided, torn, findings);
    for (const { index, id } of this.returned)
      if ((this.at(index) & SEEN_ARCHIVED) === 0)
        this.undone(
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
    return !this.terms.isWhole || process.commits + archive.commits > 0;
  }

  /**
   * Compares only the lower bound of passes of events with commits in doubt, because other work may be missing from the
   * logs.
   */
  private compareAtLeast(findings: Findings): void {
    for (const [index, events] of this.doubtful)
      for (const { id, attempts } of events)
        if (attempts < this.passesAt(index)) this.lacksPasses(index, id, attempts, findings);
  }

  /**
   * Adds losses for acknowledged commits that did not happen, and a finding for each of their events that is present. A
   * missing event is a finding of the key audit.
   */
  private tellLost(lost: readonly DoubtfulWork[], torn: ReadonlySet<number>, findings: Findings): void {
    const reported = new Set<number>();
    for (const { operation, works, acknowledgedAtMs } of lost)
      for (const { index } of works) {
        if (torn.has(index)) continue;
        findings.losses.add(operation, 1, acknowledgedAtMs, true);
        const id = this.doubtful.get(index)?.[0]?.id;
        if (id === undefined || reported.has(index)) continue;
        reported.add(index);
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

  private take(work: Work, worker: number): void {
    if (work.kind === "transaction") {
      this.transactions++;
      this.losableAtMs = isWithin(this.terms.spans, work) ? work.atMs : undefined;
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
    const acknowledgedAtMs = isAcknowledged ? this.losableAtMs : undefined;
    if (isAcknowledged && acknowledgedAtMs === undefined) {
      this.record(index, work);
      return;
    }
    const name = isAcknowledged ? `acknowledged ${this.transactions}` : `${worker} ${work.doubt}`;
    const operation = work.kind === "pass" ? "process" : "archive";
    const doubt = this.doubts.get(name) ?? { operation, works: [], acknowledgedAtMs };
    this.doubts.set(name, doubt);
    doubt.works.push({ index, work });
    this.bits[index] = this.at(index) | IN_DOUBT;
  }

  private record(index: number, work: EventWork): void {
    const bits = this.at(index);
    if (work.kind === "archived") {
      if ((bits & ARCHIVED) !== 0) this.rearchived.set(index, this.archivingsAt(index));
      this.bits[index] = bits | ARCHIVED;
      return;
    }
    const { was, status } = work.pass;
    this.passes[index] = this.passesAt(index) + 1;
    if (was === status) return;
    const ended = COMPLETED | FAILED;
    const isLeap = this.terms.isOneStep && was === "PENDING" && status !== "PROCESSING";
    const left = isLeap ? CLAIMED | ended : was === "PENDING" ? CLAIMED : ended;
    const reached =
      { PENDING: 0, PROCESSING: CLAIMED, COMPLETE: COMPLETED, FAILED }[status] | (isLeap ? CLAIMED : 0);
    this.bits[index] = bits | reached | ((bits & left) === 0 ? 0 : REPEATED);
  }

  private compare(index: number, { id, isArchived, status, attempts }: SeenEvent, findings: Findings): void {
    const bits = this.at(index);
    if (isArchived) {
      this.bits[index] = bits | SEEN_ARCHIVED;
      if ((bits & ARCHIVED) === 0)
        this.surplus.archive.push({
          id,
          amount: 1,
          words: "it is archived, and no archiver was answered so",
        });
    }
    const acknowledged = this.passesAt(index);
    const wanted = statusOf(bits);
    const reported = `${acknowledged} acknowledged passes left it ${wanted}`;
    const again = isArchived ? (this.rearchived.get(index) ?? 0) : 0;
    // More acknowledged passes than shown: a pass was lost and made again.
    if (attempts < acknowledged) this.lacksPasses(index, id, attempts, findings);
    else if (again > 0)
      this.undone("archive", again, id, `archivings acknowledged: ${again + 1}, shown: 1`, findings);
    else if ((bits & REPEATED) !== 0)
      findings.add("unexplained", id, "two acknowledged transactions moved it out of the same status");
    else if (attempts > acknowledged)
      this.surplus.process.push({
        id,
        amount: attempts - acknowledged,
        words: `${reported}; passes shown: ${attempts}`,
      });
    else if ((bits & (CLAIMED | COMPLETED | FAILED)) > CLAIMED && (bits & CLAIMED) === 0)
      findings.add("unexplained", id, `${reported}, and none of them claimed it`);
    else if (status !== wanted) findings.add("unexplained", id, `${reported}, and it is ${status}`);
    else if (!isArchived && (bits & ARCHIVED) !== 0) this.returned.push({ index, id });
  }

  private judgeSurplus(operation: WorkOperation, findings: Findings): void {
    const surplus = this.surplus[operation];
    const { commits, events } = this.unknown[operation];
    const total = surplus.reduce((sum, { amount }) => sum + amount, 0);
    const isExplained = total <= events && surplus.every(({ amount }) => amount <= commits);
    if (!this.terms.isWhole || isExplained) return;
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
    return Number(isArchived) - Number((this.at(index) & ARCHIVED) !== 0);
  }

  private lacksPasses(index: number, id: string, attempts: number, findings: Findings): void {
    const acknowledged = this.passesAt(index);
    const words = `passes acknowledged: ${acknowledged}, shown: ${attempts}`;
    this.undone("process", acknowledged - attempts, id, words, findings);
  }

  /** Adds a finding and a loss for missing acknowledged work that no fault explains. */
  private undone(
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
    return Number((this.at(index) & ARCHIVED) !== 0) + (this.rearchived.get(index) ?? 0);
  }

  private passesAt(index: number): number {
    return this.passes[index] as number;
  }
}

function statusOf(bits: number): EventStatus {
  if ((bits & COMPLETED) !== 0) return "COMPLETE";
  if ((bits & FAILED) !== 0) return "FAILED";
  return (bits & CLAIMED) !== 0 ? "PROCESSING" : "PENDING";
}
