// Events against lifecycle, acknowledged work and business rules. Documents are compared by checksum, then by value.
import { counted } from "../../../foundation/units.js";
import type { EventRow, EventTables, TrialClock } from "../store.js";
import {
  isArchivable,
  possiblePasses,
  type AdvanceProbabilities,
  type ArchivedLevel,
  type EventStatus,
} from "../model/lifecycle.js";
import type { DocumentChecks } from "./document-checks.js";
import type { ExpectedDocuments, EventProgress } from "./expected-document.js";
import type { Findings } from "./findings.js";
import type { WorkAudit } from "./work-audit.js";

/** Number of documents that one query reads again, to compare them by value after their checksum differed. */
const DOCUMENTS_PER_QUERY = 200;

export interface EventRules {
  readonly chances: AdvanceProbabilities;
  readonly archived: ArchivedLevel;
  /** True if events with that status may be live at the end of the trial. */
  readonly mayBeLive: (status: EventStatus) => boolean;
  /** Times between which every row must have been written. */
  readonly clock: TrialClock;
}

export interface AuditContext {
  readonly documents: ExpectedDocuments;
  readonly checks: DocumentChecks;
  readonly work: WorkAudit;
  readonly rules: EventRules;
  readonly findings: Findings;
}

/** Audits the status, passes, times and document of every event; resolves to the number of documents that were compared. */
export async function auditEvents(tables: EventTables, context: AuditContext): Promise<number> {
  const { documents, checks, work, rules, findings } = context;
  let documentsChecked = 0;
  const doubtful: (EventProgress & { readonly isArchived: boolean })[] = [];
  for await (const rows of tables.events(rules.clock)) {
    for (const row of rows) {
      const { id, isArchived, status } = row;
      // An event without a status row is counted as orphaned; no more can be checked.
      if (status === null || row.attempts === null) continue;
      const progress = { id, status, attempts: row.attempts, isArchived };
      if (isEventLegal(row, progress, rules, findings)) work.check(progress, findings);
      // An add in doubt may have been committed after the queue was seen empty, so its events may be live.
      if (!isArchived && !rules.mayBeLive(status) && documents.batchOf(id)?.outcome !== "in-doubt")
        findings.add("resurrected", id, `it is ${status} in a queue that was seen empty`);
      const expected = documents.expectedDocument(progress);
      if (!expected) continue;
      documentsChecked++;
      if (expected.checksum !== row.checksum) doubtful.push(progress);
      // The checksum is right, so the expected text can be validated in place of the stored one.
      else if (checks.isDocumentChosen()) checks.hold("audited", id, expected.text);
    }
  }
  for (let at = 0; at < doubtful.length; at += DOCUMENTS_PER_QUERY)
    await compare(tables, doubtful.slice(at, at + DOCUMENTS_PER_QUERY), context);
  work.settle(findings);
  return documentsChecked;
}

/** True if the row's status, number of passes and timestamps are possible; otherwise it adds a finding. */
function isEventLegal(
  row: EventRow,
  { id, status, attempts }: EventProgress,
  { chances, archived }: Pick<EventRules, "chances" | "archived">,
  findings: Findings,
): boolean {
  const passes = possiblePasses(status, chances);
  const where = row.isArchived ? "archived" : "updated";
  const addIllegalFinding = (words: string): false => {
    findings.add("illegal", id, words);
    return false;
  };
  if (!passes) return addIllegalFinding(`it is ${status}, which no pass of this scenario leads to`);
  if (attempts < passes.least || attempts > passes.most)
    return addIllegalFinding(
      `it is ${status} after ${counted(attempts, "pass", "passes")}, which takes ${boundsOf(passes)}`,
    );
  if (row.isArchived && !isArchivable(status, archived))
    return addIllegalFinding(`it is archived and ${status}`);
  if (row.isInOrder === false) return addIllegalFinding(`it was ${where} before it was created`);
  if (row.isInTrial === false) return addIllegalFinding(`it was created or ${where} outside of the trial`);
  return true;
}

function boundsOf({ least, most }: { readonly least: number; readonly most: number }): string {
  if (least === most) return String(least);
  return Number.isFinite(most) ? `${least} to ${most}` : `at least ${least}`;
}

async function compare(
  tables: EventTables,
  events: readonly (EventProgress & { readonly isArchived: boolean })[],
  { documents, checks, findings }: AuditContext,
): Promise<void> {
  const placeOf = (each: { id: string; isArchived: boolean }): string => `${each.id} ${each.isArchived}`;
  const written = await tables.writtenEvents(events.map(({ id }) => id));
  const byPlace = new Map(written.map((each) => [placeOf(each), each]));
  for (const progress of events) {
    const event = byPlace.get(placeOf(progress));
    if (!event) continue;
    const words = documents.difference(progress, event);
    if (words !== undefined) findings.add("changed", progress.id, words);
    checks.hold("audited", progress.id, event.payload);
  }
}
