// published = pending + processing + complete + failed + archived, each event exactly once.
import { counted } from "../../../foundation/units.js";
import type { NamedFinding } from "../../findings.js";
import type { Loss, LossTerms } from "../../workload.js";

/** Numbers of events in the tables after a trial. */
export interface TableCounts {
  readonly pending: number;
  readonly processing: number;
  readonly complete: number;
  readonly failed: number;
  readonly archived: number;
  /** Live events without a status row, or status rows without an event. */
  readonly orphaned: number;
  /** Events that are both live and archived. */
  readonly duplicated: number;
}

/** Kinds of violation that the audit finds in an event. */
export const VIOLATION_KINDS = [
  "lost",
  "unexpected",
  "torn",
  "duplicated",
  "orphaned",
  "changed",
  "invalid",
  "illegal",
  "resurrected",
  "undone",
  "unexplained",
  "misread",
  "misclaimed",
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

export type LossKind = Extract<ViolationKind, "lost" | "undone">;

/** Number of events by kind of violation. */
export type ViolationCounts = Readonly<Record<ViolationKind, number>>;

/** Number of sampled transactions, and the number of them that could be compared with the tables. */
export interface SampleCount {
  readonly sampled: number;
  readonly verified: number;
}

/** Numbers of documents that were validated, by occasion. */
export type ValidationCounts = Readonly<Record<"made" | "claimed" | "audited", number>>;

export type SampleCounts = Readonly<Record<"reads" | "claims", SampleCount>>;

/** Accounts of the workers, and findings of the audit. */
export interface AuditFacts {
  /** Events whose insertion the database acknowledged, including preloaded events. */
  readonly published: number;
  /** Number of events whose add transaction got no answer to its commit. */
  readonly inDoubt: number;
  /** Events in doubt that were found in the tables. */
  readonly inDoubtFound: number;
  /** Events whose document was compared with the expected document. */
  readonly documentsChecked: number;
  readonly found: ViolationCounts;
  readonly named: readonly NamedFinding<ViolationKind>[];
  /** Acknowledged work that is missing from the tables. */
  readonly losses: readonly Loss[];
  /** Numbers of events with lost acknowledged work that a fault explains. */
  readonly explained: Readonly<Record<LossKind, number>>;
  readonly terms: LossTerms;
  /** Sampled transactions that were verified while the load ran. */
  readonly checks: SampleCounts;
  readonly validated: ValidationCounts;
  /** One sentence for each part that was not audited; empty if every worker closed its ledger. */
  readonly notAudited: readonly string[];
}

export interface Conservation
  extends TableCounts, ViolationCounts, Omit<AuditFacts, "found" | "losses" | "explained" | "terms"> {
  readonly verdict: "ok" | "violated";
  /** One sentence for each kind of violation; empty if the verdict is ok. */
  readonly violations: readonly string[];
  /** Left out if nothing was lost. */
  readonly losses?: readonly Loss[];
}

const VIOLATION_SENTENCES: Readonly<Record<ViolationKind, (events: number, published: number) => string>> = {
  lost: (events, published) =>
    `${events} of ${counted(published, "acknowledged event")} ${events === 1 ? "is" : "are"} in no table`,
  unexpected: (events) =>
    `${counted(events, "event is in the tables that was", "events are in the tables that were")} never acknowledged`,
  torn: (events) =>
    `${counted(events, "event contradicts", "events contradict")} the rest of a commit in doubt, which is there in part`,
  duplicated: (events) => `${counted(events, "event is", "events are")} both live and archived`,
  orphaned: (events) => `${counted(events, "row has", "rows have")} an event or a status but not both`,
  changed: (events) =>
    events === 1
      ? "1 document is not what its passes make of it"
      : `${events} documents are not what their passes make of them`,
  invalid: (documents) =>
    `${counted(documents, "document was", "documents were")} found invalid where made, claimed or audited`,
  illegal: (events) =>
    `${counted(events, "event has", "events have")} a status, passes or a time that no transition of the trial leads to`,
  resurrected: (events) => `${counted(events, "event is", "events are")} live although the queue was emptied`,
  undone: (events) => `${counted(events, "event lacks", "events lack")} work that was acknowledged`,
  unexplained: (events) =>
    `${counted(events, "event shows", "events show")} work that no acknowledgement explains`,
  misread: (events) =>
    `${counted(events, "event is", "events are")} wrong in, or missing from, the sampled reads`,
  misclaimed: (events) =>
    `${counted(events, "event was", "events were")} claimed, or passed over, against the order of the sampled claims`,
};

/**
 * Number of violations of a kind. A loss that a fault explains is none if the scenario allows it; `words` states it for the
 * sentence.
 */
function violationCountOf(
  kind: ViolationKind,
  { found, explained, terms }: AuditFacts,
): { bad: number; words: string } {
  if (kind !== "lost" && kind !== "undone") return { bad: found[kind], words: "" };
  return {
    bad: found[kind] - (terms.isAllowed ? explained[kind] : 0),
    words: terms.spans.length === 0 ? "" : ` (explained by a fault: ${explained[kind]} of ${found[kind]})`,
  };
}

export function conservationOf(facts: AuditFacts, counts: TableCounts): Conservation {
  const { published, inDoubt, inDoubtFound, documentsChecked, found, named } = facts;
  const { checks, validated, notAudited, losses } = facts;
  const violations = VIOLATION_KINDS.flatMap((kind) => {
    const { bad, words } = violationCountOf(kind, facts);
    return bad > 0 ? [`${VIOLATION_SENTENCES[kind](found[kind], published)}${words}`] : [];
  });
  const expected = published - found.lost + found.unexpected + inDoubtFound;
  const held = counts.pending + counts.processing + counts.complete + counts.failed + counts.archived;
  // Events in both places or without a status row are violations already, so here each event counts once.
  if (violations.length === 0 && notAudited.length === 0 && expected !== held)
    violations.push(`${counted(held, "event is", "events are")} in the tables, and ${expected} should be`);
  return {
    ...counts,
    ...found,
    published,
    inDoubt,
    inDoubtFound,
    documentsChecked,
    violations,
    named,
    checks,
    validated,
    notAudited,
    ...(losses.length > 0 && { losses }),
    verdict: violations.length > 0 ? "violated" : "ok",
  };
}
