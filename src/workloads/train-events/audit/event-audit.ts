// Events against lifecycle, acknowledged work and business rules. Documents are compared by checksum, then by value.
import { counted } from "../../../foundation/units.js";
import type { EventRow, EventTables, TrialClock } from "../store.js";
import {
  isArchivable,
  possiblePasses,
  type AdvanceProbabilities,
  type Archived,
  type EventStatus,
} from "../model/lifecycle.js";
import type { DocumentChecks } from "./document-checks.js";
import type { ExpectedDocuments, Standing } from "./expected-document.js";
import type { Findings } from "./findings.js";
import type { WorkAudit } from "./work-audit.js";

/** Number of documents that one query reads again, to compare them by value after their checksum differed. */
const CLOSER_LOOKS = 200;

export interface EventRules {
  readonly chances: AdvanceProbabilities;
  readonly archived: Archived;
  /** True if events with that status may be live at the end of the trial. */
  readonly mayBeLive: (status: EventStatus) => boolean;
  /** Times between which every row must have been written. */
  readonly clock: TrialClock;
}

export interface AuditAids {
  readonly documents: ExpectedDocuments;
  readonly checks: DocumentChecks;
  readonly work: WorkAudit;
  readonly rules: EventRules;
  readonly findings: Findings;
}

/** Audits the status, passes, times and document of every event; resolves to the number of documents that were compared. */
export async function auditEvents(tables: EventTables, aids: AuditAids): Promise<number> {
  const { documents, checks, work, rules, findings } = aids;
  let documentsChecked = 0;
  const doubtful: (Standing & { readonly isArchived: boolean })[] = [];
  for await (const rows of tables.events(rules.clock)) {
    for (const row of rows) {
      const { id, isArchived, status } = row;
      // An event without a status row is counted as orphaned; no more can be checked.
      if (status === null || row.attempts === null) continue;
      const standing = { id, status, attempts: row.attempts, isArchived };
      if (isLegal(row, standing, rules, findings)) work.check(standing, findings);
      // An add in doubt may have been committed after the queue was seen empty, so its events may be live.
      if (!isArchived && !rules.mayBeLive(status) && documents.batchOf(id)?.outcome !== "in-doubt")
        findings.add("resurrected", id, `it is ${status} in a queue that was seen empty`);
      const expected = documents.expected(standing);
      if (!expected) continue;
      documentsChecked++;
      if (expected.checksum !== row.checksum) doubtful.push(standing);
      // The checksum is right, so the expected text can be validated in place of the stored one.
      else if (checks.isChosen()) checks.hold("audited", id, expected.text);
    }
  }
  for (let at = 0; at < doubtful.length; at += CLOSER_LOOKS)
    await compare(tables, doubtful.slice(at, at + CLOSER_LOOKS), aids);
  work.settle(findings);
  return documentsChecked;
}

/** True if the row's status, number of passes and timestamps are possible; otherwise it adds a finding. */
function isLegal(
  row: EventRow,
  { id, status, attempts }: Standing,
  { chances, archived }: Pick<EventRules, "chances" | "archived">,
  findings: Findings,
): boolean {
  const passes = possiblePasses(status, chances);
  const where = row.isArchived ? "archived" : "updated";
  const illegal = (words: string): false => {
    findings.add("illegal", id, words);
    return false;
  };
  if (!passes) return illegal(`it is ${status}, which no pass of this scenario leads to`);
  if (attempts < passes.least || attempts > passes.most)
    return illegal(
      `it is ${status} after ${counted(attempts, "pass", "passes")}, which takes ${boundsOf(passes)}`,
    );
  if (row.isArchived && !isArchivable(status, archived)) return illegal(`it is archived and ${status}`);
  if (row.isInOrder === false) return illegal(`it was ${where} before it was created`);
  if (row.isInTrial === false) return illegal(`it was created or ${where} outside of the trial`);
  return true;
}

function boundsOf({ least, most }: { readonly least: number; readonly most: number }): string {
  if (least === most) return String(least);
  return Number.isFinite(most) ? `${least} to ${most}` : `at least ${least}`;
}

async function compare(
  tables: EventTables,
  standings: readonly (Standing & { readonly isArchived: boolean })[],
  { documents, checks, findings }: AuditAids,
): Promise<void> {
  const placeOf = (each: { id: string; isArchived: boolean }): string => `${each.id} ${each.isArchived}`;
  const written = await tables.written(standings.map(({ id }) => id));
  const byPlace = new Map(written.map((each) => [placeOf(each), each]));
  for (const standing of standings) {
    const event = byPlace.get(placeOf(standing));
    if (!event) continue;
    const words = documents.difference(standing, event);
    if (words !== undefined) findings.add("changed", standing.id, words);
    checks.hold("audited", standing.id, event.payload);
  }
}
