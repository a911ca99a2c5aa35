import { applyBusinessRule } from "../model/business-rules.js";
import { advance, type AdvanceProbabilities, type EventStatus } from "../model/lifecycle.js";
import type { ClaimedPass, ProcessOutcome, ProcessRequest } from "../store.js";
import type { StatementRow } from "../../../database/sql.js";

/** A pass that the program decides, which therefore needs the document. */
export type PassWithDocument = Required<ClaimedPass>;

/**
 * Decides a pass for each row of `process.claim` (key, status, document), in the order of the rows, with one roll for each.
 */
export function decidePasses(rows: readonly StatementRow[], request: ProcessRequest): PassWithDocument[] {
  return rows.map((row) => {
    const [id, was, payload] = row as [string, EventStatus, string];
    return { id, was, status: advance(was, request.roll(), request.chances), payload };
  });
}

export function rewritePayload({ payload, status }: PassWithDocument): string {
  try {
    return applyBusinessRule(payload, status);
  } catch {
    return payload;
  }
}

export function outcomeOf(passes: readonly ClaimedPass[]): ProcessOutcome {
  const completedIds: string[] = [];
  const failedIds: string[] = [];
  let claimed = 0;
  for (const { id, was, status } of passes) {
    if (was === "PENDING" && status === "PROCESSING") claimed++;
    else if (status === "COMPLETE") completedIds.push(id);
    else if (status === "FAILED") failedIds.push(id);
  }
  return { passes, events: passes.length, claimed, completedIds, failedIds };
}

/**
 * Returns a function from chances to texts, which keeps the last result: formatting these numbers takes longer than the
 * rest of the message.
 */
export function createChanceFormatter(): (chances: AdvanceProbabilities) => readonly string[] {
  let last: AdvanceProbabilities | undefined;
  let texts: readonly string[] = [];
  return (chances) => {
    if (chances === last) return texts;
    last = chances;
    return (texts = [chances.claim, chances.complete, chances.fail].map(String));
  };
}
