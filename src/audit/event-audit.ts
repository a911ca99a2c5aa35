// Whether every event that is there can have become what it is: its status, passes and timestamps by the lifecycle, its
// document by the business rules. Every single one is looked at, in one pass over the tables; documents are compared by
// checksum first, and by value where that differs.
import { eventRows, readWritten, type EventRow } from "../database/audit-scans.js";
import type { SqlClient } from "../database/admin.js";
import type { Tables } from "../database/tables.js";
import {
  isTerminal,
  possiblePasses,
  type AdvanceProbabilities,
  type EventStatus,
} from "../model/lifecycle.js";
import type { ExpectedDocuments, Standing } from "./expected-document.js";
import type { Findings } from "./findings.js";

/** Documents that are compared by value at a time. */
const CLOSER_LOOKS = 200;

export interface EventRules {
  readonly chances: AdvanceProbabilities;
  /** Whether a live event of that status may be left. */
  readonly mayBeLive: (status: EventStatus) => boolean;
  /** How far clocks that stamp rows may be apart, in milliseconds. */
  readonly clockSkewMs: number;
}

export interface EventTotals {
  documentsChecked: number;
  /** Committed passes of all events. */
  passes: number;
}

export async function auditEvents(
  client: SqlClient,
  tables: Tables,
  documents: ExpectedDocuments,
  rules: EventRules,
  findings: Findings,
): Promise<EventTotals> {
  const totals: EventTotals = { documentsChecked: 0, passes: 0 };
  const doubtful: (Standing & { readonly isArchived: boolean })[] = [];
  for await (const rows of eventRows(client, tables, rules.clockSkewMs)) {
    for (const row of rows) {
      const { id, isArchived, status } = row;
      // Without a status row there is no telling; that it is orphaned is counted elsewhere.
      if (status === null || row.attempts === null) continue;
      const standing = { id, status, attempts: row.attempts, isArchived };
      totals.passes += standing.attempts;
      checkLifecycle(row, standing, documents, rules, findings);
      const checksum = documents.checksum(standing);
      if (checksum === undefined) continue;
      totals.documentsChecked++;
      if (checksum !== row.checksum) doubtful.push(standing);
    }
  }
  for (let at = 0; at < doubtful.length; at += CLOSER_LOOKS)
    await compare(client, tables, documents, doubtful.slice(at, at + CLOSER_LOOKS), findings);
  return totals;
}

function checkLifecycle(
  row: EventRow,
  { id, status, attempts }: Standing,
  documents: ExpectedDocuments,
  { chances, mayBeLive }: EventRules,
  findings: Findings,
): void {
  const passes = possiblePasses(status, chances);
  const where = row.isArchived ? "archived" : "updated";
  if (!passes) findings.add("illegal", id, `it is ${status}, which no pass of this scenario leads to`);
  else if (attempts < passes.least || attempts > passes.most)
    findings.add("illegal", id, `it is ${status} after ${attempts} passes, which takes ${boundsOf(passes)}`);
  else if (row.isArchived && !isTerminal(status)) findings.add("illegal", id, `it is archived and ${status}`);
  else if (row.isInOrder === false) findings.add("illegal", id, `it was ${where} before it was created`);
  // An add in doubt may have come through after the queue was seen empty.
  if (!row.isArchived && !mayBeLive(status) && documents.batchOf(id)?.outcome !== "in-doubt")
    findings.add("resurrected", id, `it is ${status} in a queue that was seen empty`);
}

function boundsOf({ least, most }: { readonly least: number; readonly most: number }): string {
  if (least === most) return String(least);
  return Number.isFinite(most) ? `${least} to ${most}` : `at least ${least}`;
}

async function compare(
  client: SqlClient,
  tables: Tables,
  documents: ExpectedDocuments,
  standings: readonly (Standing & { readonly isArchived: boolean })[],
  findings: Findings,
): Promise<void> {
  const placeOf = (each: { id: string; isArchived: boolean }): string => `${each.id} ${each.isArchived}`;
  const written = await readWritten(
    client,
    tables,
    standings.map(({ id }) => id),
  );
  const byPlace = new Map(written.map((each) => [placeOf(each), each]));
  for (const standing of standings) {
    const event = byPlace.get(placeOf(standing));
    const words = event && documents.difference(standing, event);
    if (words !== undefined) findings.add("changed", standing.id, words);
  }
}
