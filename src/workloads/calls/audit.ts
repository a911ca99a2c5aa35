// What must hold after a trial: every acknowledged batch is in the table, whole and once, and nothing else is, but for
// transactions in doubt, which are there as a whole or not at all. Batches are drawn again, and compared by count and by a
// checksum over all columns.
import * as z from "zod";
import type { AdminClient } from "../../database/admin.js";
import { counted } from "../../foundation/units.js";
import type { Audited, AuditInputs } from "../workload.js";
import { placeOf, rowsOf, sumBatch, type BatchPlace, type BatchSum } from "./batch.js";
import { batchesOf, Told } from "./client.js";
import type { Treatment } from "./settings.js";
import { sumsQuery } from "./statements.js";

export const findings = {
  damaged: z
    .int()
    .min(0)
    .optional()
    .describe("Batches with as many rows as were sent, but not the same ones, of workload calls"),
};

/** What the preload put in, and what batches are drawn from. */
export const Preloaded = z.object({ seed: z.int(), batches: z.int().min(0) });

interface Compared {
  lost: number;
  unexpected: number;
  damaged: number;
}

export async function audit(
  admin: AdminClient,
  { settings, told, unclosed, preloaded }: AuditInputs<Treatment>,
): Promise<Audited> {
  const { seed, batches } = Preloaded.parse(preloaded);
  const all = told.map((one) => Told.parse(one));
  const before = Array.from({ length: batches }, (_, number) => placeOf(number, settings));
  const sums = await admin.query(sumsQuery(settings));
  const there = new Map(
    sums.map(({ batch, rows, sum }) => [
      batch === null ? null : Number(batch),
      { rows: Number(rows), sum: Number(sum) },
    ]),
  );
  const found: Compared = { lost: 0, unexpected: 0, damaged: 0 };
  /** Takes the batch out of what is there; returns its rows as they were sent. */
  const compare = (place: BatchPlace): number => {
    const sent = sumBatch(settings, seed, place);
    addDifference(found, sent, there.get(place.number) ?? { rows: 0, sum: 0 });
    there.delete(place.number);
    return sent.rows;
  };
  const sent = [
    ...before,
    ...all.flatMap(({ acknowledged }) => acknowledged.flatMap((first) => batchesOf(settings, first))),
  ];
  const published = sent.reduce((rows, place) => rows + compare(place), 0);
  const doubts = all.flatMap(({ inDoubt }) => inDoubt.map((first) => batchesOf(settings, first)));
  let [inDoubt, inDoubtFound] = [0, 0];
  for (const transaction of doubts) {
    const isThere = transaction.some(({ number }) => there.has(number));
    const rows = transaction.reduce(
      (sum, place) => sum + (isThere ? compare(place) : rowsOf(settings, seed, place)),
      0,
    );
    inDoubt += rows;
    if (isThere) inDoubtFound += rows;
  }
  const isWhole = unclosed.length === 0;
  // A worker that did not close may have put these in.
  if (isWhole) for (const { rows } of there.values()) found.unexpected += rows;
  else found.unexpected += there.get(null)?.rows ?? 0;
  const { lost, unexpected, damaged } = found;
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
  ];
  return {
    findings: {
      verdict: violations.length > 0 ? ("violated" as const) : ("ok" as const),
      ...{ published, inDoubt, inDoubtFound, lost, unexpected, damaged, violations },
      notAudited: unclosed.map(
        (name) => `${name} ended without its account of batches: its last ones are unknown`,
      ),
    },
  };
}

function addDifference(found: Compared, sent: BatchSum, there: BatchSum): void {
  const missing = sent.rows - there.rows;
  if (missing > 0) found.lost += missing;
  else if (missing < 0) found.unexpected -= missing;
  else if (sent.sum !== there.sum) found.damaged++;
}
