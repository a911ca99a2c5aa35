// The conservation law of a trial: published = pending + processing + complete + failed + archived, each event
// exactly once. Pure arithmetic over counts; `audit/` reads the tables and asks here for the verdict.

/** What the tables hold after a trial, and what they must not hold. All are numbers of events. */
export interface TableCounts {
  readonly pending: number;
  readonly processing: number;
  readonly complete: number;
  readonly failed: number;
  readonly archived: number;
  /** Live events without a status row, or status rows without an event. */
  readonly orphaned: number;
  /** Events both live and archived. */
  readonly duplicated: number;
}

export interface Conservation extends TableCounts {
  readonly verdict: "ok" | "violated";
  /** Events whose insertion the database acknowledged, preloaded ones included. */
  readonly published: number;
  /** Acknowledged events that no table holds. */
  readonly lost: number;
  /** Events in a table that nobody was told were inserted, in-doubt ones aside. */
  readonly unexpected: number;
  /** Events of add transactions whose commit was never answered. */
  readonly inDoubt: number;
  /** One sentence for each way in which the law was broken; empty when the verdict is ok. */
  readonly violations: readonly string[];
}

/**
 * `published` comes from the producers' ledgers, `counts` from the tables. Of the `inDoubt` events, the tables
 * were asked by id and hold `inDoubtFound`, which can therefore not hide a lost one.
 */
export function conservationOf(
  published: number,
  inDoubt: number,
  inDoubtFound: number,
  counts: TableCounts,
): Conservation {
  const live = counts.pending + counts.processing + counts.complete + counts.failed;
  const found = live + counts.archived - counts.duplicated - inDoubtFound;
  const lost = Math.max(0, published - found);
  const unexpected = Math.max(0, found - published);
  const violations: string[] = [];
  if (lost > 0) violations.push(`${lost} of ${published} acknowledged events are in no table`);
  if (unexpected > 0) violations.push(`${unexpected} events are in the tables that were never acknowledged`);
  if (counts.duplicated > 0) violations.push(`${counts.duplicated} events are both live and archived`);
  if (counts.orphaned > 0) violations.push(`${counts.orphaned} rows have an event or a status but not both`);
  return {
    ...counts,
    published,
    inDoubt,
    lost,
    unexpected,
    violations,
    verdict: violations.length ? "violated" : "ok",
  };
}
