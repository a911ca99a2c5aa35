import type { EventTables, PresentKey, RangeSum } from "../store.js";
import { KeySum } from "../model/key-sum.js";
import { KeyMaker, BATCHES_PER_RANGE, type LedgerBatch } from "../model/ledger.js";
import type { LedgerFile } from "./ledger-file.js";
import type { LossSpan } from "../../../faults/fault.js";
import type { Findings } from "./findings.js";
import { isWithin } from "../../losses.js";

/** Ledgers by worker number. */
export type Ledgers = ReadonlyMap<number, LedgerFile>;

/** Numbers of events, by what is known of their add. */
export interface KeyTotals {
  published: number;
  inDoubt: number;
  inDoubtFound: number;
}

type Range = Pick<RangeSum, "worker" | "range">;

interface ExpectedRange extends Range {
  readonly acknowledged: KeySum;
  hasDoubt: boolean;
}

const byPlace = (a: Range, b: Range): number => a.worker - b.worker || a.range - b.range;
const nameOf = ({ worker, range }: Range): string => `${worker}/${range}`;

/**
 * Compares the keys in the tables with the ledgers. `isWhole` is false if a worker did not close its ledger. Work
 * acknowledged within `spans` may be lost by a fault.
 */
export async function auditKeys(
  tables: EventTables,
  ledgers: Ledgers,
  findings: Findings,
  { isWhole, spans }: { readonly isWhole: boolean; readonly spans: readonly LossSpan[] },
): Promise<KeyTotals> {
  const totals: KeyTotals = { published: 0, inDoubt: 0, inDoubtFound: 0 };
  const expected = expectedRanges(ledgers, totals);
  const suspectRanges: Range[] = [];
  for (const sum of await tables.keySums()) {
    const wanted = expected.get(nameOf(sum));
    expected.delete(nameOf(sum));
    if (!wanted?.acknowledged.equals(sum) || wanted.hasDoubt) suspectRanges.push(sum);
  }
  // Ranges that the ledgers have and the tables lack.
  for (const range of expected.values())
    if (range.acknowledged.count > 0 || range.hasDoubt) suspectRanges.push(range);
  if (suspectRanges.length > 0) {
    const present = new PresentKeyReader(tables.presentKeys(suspectRanges));
    for (const { worker, range } of suspectRanges.sort(byPlace))
      await auditRange(present, ledgers.get(worker), worker, range, totals, findings, { isWhole, spans });
    await present.close();
  }
  return totals;
}

function expectedRanges(ledgers: Ledgers, totals: KeyTotals): Map<string, ExpectedRange> {
  const ranges = new Map<string, ExpectedRange>();
  for (const [worker, file] of ledgers) {
    for (const { batch, events, keys, outcome } of file.batches()) {
      const place = { worker, range: Math.floor(batch / BATCHES_PER_RANGE) };
      const existingRange = ranges.get(nameOf(place));
      const range = existingRange ?? { ...place, acknowledged: new KeySum(), hasDoubt: false };
      if (!existingRange) ranges.set(nameOf(place), range);
      if (outcome === "acknowledged") {
        range.acknowledged.join({ count: events, ...keys });
        totals.published += events;
      } else if (outcome === "in-doubt") {
        range.hasDoubt = true;
        totals.inDoubt += events;
      }
    }
  }
  return ranges;
}

/** Compares the batches of one range key by key. */
async function auditRange(
  present: PresentKeyReader,
  file: LedgerFile | undefined,
  worker: number,
  range: number,
  totals: KeyTotals,
  findings: Findings,
  { isWhole, spans }: { readonly isWhole: boolean; readonly spans: readonly LossSpan[] },
): Promise<void> {
  const keyMaker = file && new KeyMaker(file.source);
  for (let batch = range * BATCHES_PER_RANGE; batch < (range + 1) * BATCHES_PER_RANGE; batch++) {
    const found = new Set(await present.take(worker, batch));
    const entry = file?.find(batch);
    const keys = entry && keyMaker ? keyMaker.keysOf(entry) : [];
    if (entry) totals.inDoubtFound += settle(entry, keys, found, spans, findings);
    for (const id of keys) found.delete(id);
    // The worker may have died before it wrote this batch to its ledger, so the batch is in doubt.
    if (!isWhole && !entry) {
      totals.inDoubt += found.size;
      totals.inDoubtFound += found.size;
      continue;
    }
    for (const id of found)
      findings.add("unexpected", id, "it is in a table, and its add was not acknowledged");
  }
}

function settle(
  { batch, outcome, endedAtMs, endpoint }: LedgerBatch,
  keys: readonly string[],
  found: ReadonlySet<string>,
  spans: readonly LossSpan[],
  findings: Findings,
): number {
  const there = keys.filter((id) => found.has(id));
  const missing = keys.filter((id) => !found.has(id));
  switch (outcome) {
    case "acknowledged": {
      // A fault loses a commit as a whole, so a batch that is partly there was not lost by a fault.
      const isExplained = there.length === 0 && isWithin(spans, { atMs: endedAtMs, endpoint });
      const words = `its add (batch ${batch}) was acknowledged, and it is in no table`;
      for (const id of missing) findings.addLoss("lost", id, words, isExplained);
      findings.losses.add("add", missing.length, endedAtMs, isExplained);
      return 0;
    }
    case "failed":
      for (const id of there)
        findings.add("unexpected", id, `its add (batch ${batch}) failed, yet it is in a table`);
      return 0;
    case "in-doubt":
      if (there.length > 0)
        for (const id of missing)
          findings.add(
            "torn",
            id,
            `its add (batch ${batch}) was in doubt, and only a part of the batch is there`,
          );
      return there.length;
  }
}

/** Reads keys in ascending order of worker and batch, and hands them out batch by batch. */
class PresentKeyReader {
  private rows: readonly PresentKey[] = [];
  private next = 0;

  constructor(private readonly portions: AsyncGenerator<readonly PresentKey[]>) {}

  /** Takes the keys of a batch. Batches must be asked for in ascending order. */
  async take(worker: number, batch: number): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const row = this.rows[this.next] ?? (await this.refill());
      if (row?.worker !== worker || row.batch !== batch) return ids;
      ids.push(row.id);
      this.next++;
    }
  }

  async close(): Promise<void> {
    await this.portions.return(undefined);
  }

  private async refill(): Promise<PresentKey | undefined> {
    const portion = await this.portions.next();
    this.rows = portion.done ? [] : portion.value;
    this.next = 0;
    return this.rows[0];
  }
}
