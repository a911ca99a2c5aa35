// The audit of workload calls: every acknowledged batch is in the table, whole and once, and nothing else is, except for
// transactions in doubt, which are present as a whole or not at all. Batches are drawn again and compared by count and
// checksum.
import * as z from "zod";
import type { AdminSession } from "../../database/contract.js";
import { counted } from "../../foundation/units.js";
import { Findings } from "../findings.js";
import type { AuditOutcome, AuditInputs } from "../workload.js";
import {
  batchesOfTransaction,
  placeOf,
  rowCountOf,
  checksumBatch,
  RowContents,
  type BatchPlace,
  type BatchChecksum,
} from "./batch.js";
import { WorkerAccount } from "./client.js";
import type { Treatment } from "./settings.js";
import type { CallsStore, TableScan } from "./store.js";

export const findings = {
  damaged: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Batches with as many rows as were sent, but not the same ones, and rows of the small tables that were changed, of workload calls",
    ),
  keyCardinality: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Fewest distinct values of call_id, caller_number and callee_number, each counted up to 100000, of workload calls",
    ),
  rawBytes: z.int().min(0).optional().describe("Bytes of all calls as text for COPY, of workload calls"),
  storedBytes: z
    .int()
    .min(0)
    .optional()
    .describe("Bytes of cdr with its indexes, in the order of its cluster columns, of workload calls"),
  compressionRatio: z
    .number()
    .min(0)
    .optional()
    .describe("rawBytes divided by storedBytes, of workload calls"),
};

export const SIZES = ["keyCardinality", "rawBytes", "storedBytes", "compressionRatio"] as const;

/** What the preload reports to the audit: the filled contents, and the seed of all batches. */
export const Preloaded = z.object({
  seed: z.int(),
  batches: z.int().min(0),
  /** True if the small tables, to which calls refer, were filled. */
  isReferenced: z.boolean(),
});

export const VIOLATIONS = ["lost", "unexpected", "damaged"] as const;
type CallFindings = Findings<(typeof VIOLATIONS)[number]>;

const countWithVerb = (count: number, one: string, many?: string): string =>
  `${counted(count, one, many)} ${count === 1 ? "is" : "are"}`;

class BatchCheck {
  readonly contents = new RowContents();
  private readonly there: Map<number | null, BatchChecksum>;

  constructor(
    private readonly settings: Treatment,
    private readonly seed: number,
    private readonly found: CallFindings,
    { batches }: TableScan,
  ) {
    this.there = new Map(batches.map((each) => [each.batch, each]));
  }

  has({ number }: BatchPlace): boolean {
    return this.there.has(number);
  }

  /**
   * Compares a batch that was sent with the rows of the table, and marks it as explained. Returns the number of rows sent.
   */
  compare(place: BatchPlace): number {
    const sentBatch = checksumBatch(this.settings, this.seed, place, this.contents);
    const there = this.there.get(place.number) ?? { rows: 0, sum: 0 };
    this.there.delete(place.number);
    const id = `cdr batch ${place.number}`;
    const missing = sentBatch.rows - there.rows;
    const of = counted(sentBatch.rows, "call");
    if (missing > 0) this.found.add("lost", id, `${missing} of ${of} not in the table`, missing);
    else if (missing < 0) this.found.add("unexpected", id, `${-missing} more than ${of}`, -missing);
    else if (sentBatch.sum !== there.sum) this.found.add("damaged", id, `${of}, not the same as were sent`);
    return sentBatch.rows;
  }

  /** Adds findings about rows of batches that no transaction explains. Call it after the last `compare`. */
  end(isWhole: boolean): void {
    for (const [batch, { rows }] of this.there) {
      const words = `${countWithVerb(rows, "call")} in the table`;
      if (batch === null) this.found.add("unexpected", "cdr", `${words} whose id names no batch`, rows);
      // A worker that did not close may have loaded this batch without reporting it.
      else if (isWhole)
        this.found.add("unexpected", `cdr batch ${batch}`, `${words} without an acknowledgement`, rows);
    }
  }
}

/** Adds a finding for each key of the small tables whose rows differ from the preload's. */
function addDifferenceFindings({ differences }: TableScan, found: CallFindings): void {
  for (const { table, column, key, missing, added } of differences) {
    const id = `${table} ${column} ${String(key)}`;
    if (missing === 0)
      found.add("unexpected", id, `${countWithVerb(added, "row")} there that the preload did not make`);
    else if (added === 0) found.add("lost", id, "the row is not in the table");
    else found.add("damaged", id, "the row is not as the preload made it");
  }
}

function sizesOf({ keyCardinality, rawBytes }: RowContents, { bytes }: TableScan) {
  return {
    keyCardinality,
    rawBytes,
    ...(bytes > 0 && { storedBytes: bytes, compressionRatio: rawBytes / bytes }),
  };
}

export async function audit(
  store: CallsStore,
  admin: AdminSession,
  { settings, workerAccounts, unclosed, preloaded }: AuditInputs<Treatment>,
): Promise<AuditOutcome> {
  const { seed, batches, isReferenced } = Preloaded.parse(preloaded);
  const all = workerAccounts.map((one) => WorkerAccount.parse(one));
  const before = Array.from({ length: batches }, (_, number) => placeOf(number, settings));
  const callFindings = new Findings(VIOLATIONS);
  const smallTableFindings = new Findings(VIOLATIONS);
  const tableScan = await store.scan(admin, settings, isReferenced);
  const check = new BatchCheck(settings, seed, callFindings, tableScan);
  addDifferenceFindings(tableScan, smallTableFindings);
  const sentPlaces = [
    ...before,
    ...all.flatMap(({ acknowledged }) =>
      acknowledged.flatMap((first) => batchesOfTransaction(settings, first)),
    ),
  ];
  const published = sentPlaces.reduce((rows, place) => rows + check.compare(place), 0);
  const doubts = all.flatMap(({ inDoubt }) => inDoubt.map((first) => batchesOfTransaction(settings, first)));
  let [inDoubt, inDoubtFound] = [0, 0];
  for (const transaction of doubts) {
    const isBatchThere = transaction.some((place) => check.has(place));
    const rows = transaction.reduce(
      (sum, place) => sum + (isBatchThere ? check.compare(place) : rowCountOf(settings, seed, place)),
      0,
    );
    inDoubt += rows;
    if (isBatchThere) inDoubtFound += rows;
  }
  check.end(unclosed.length === 0);
  const { lost, unexpected, damaged } = callFindings.counts;
  const others =
    smallTableFindings.counts.lost + smallTableFindings.counts.unexpected + smallTableFindings.counts.damaged;
  const violations = [
    ...(lost > 0
      ? [`${lost} of ${counted(published + inDoubtFound, "call")} that were committed not in the table`]
      : []),
    ...(unexpected > 0
      ? [`${counted(unexpected, "call")} in the table beside those that were sent once`]
      : []),
    ...(damaged > 0
      ? [`${counted(damaged, "batch", "batches")} with other calls than those that were sent`]
      : []),
    ...(others > 0
      ? [`${countWithVerb(others, "row")} of the small tables not as the preload made them`]
      : []),
  ];
  const counts = VIOLATIONS.map(
    (kind) => [kind, callFindings.counts[kind] + smallTableFindings.counts[kind]] as const,
  );
  const audited = {
    verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
    published,
    inDoubt,
    inDoubtFound,
    violations,
    // The table may have rows of a worker without an account, which are in none of the contents.
    ...(unclosed.length === 0 && published + inDoubtFound > 0 && sizesOf(check.contents, tableScan)),
    ...(Object.fromEntries(counts) as CallFindings["counts"]),
    named: [...callFindings.named, ...smallTableFindings.named],
    notAudited: [
      ...unclosed.map((name) => `${name} ended without its account of batches: its last ones are unknown`),
      ...(isReferenced ? [] : ["the preload was interrupted: the small tables were not compared"]),
    ],
  };
  return { findings: audited };
}
