// What must hold for the answer to a read, whatever others did meanwhile. Pure: rows that were read, and what of the live
// events was asked afterwards, in; what is wrong, by event, out. Only events that were there before the read began and
// after it ended are missed; what was added or archived meanwhile may be there or not.
import { RECENT_LIMIT } from "../sql/statements.js";
import type { ReadOutcome } from "../sql/workload.js";
import type { EventType } from "../model/event.js";
import type { StatementRow } from "../../../database/contract.js";

/** What a reader asks for. */
export interface Sought {
  readonly eventType: EventType;
  readonly authorityId: string;
  readonly trainId: string;
  /** The event that has this authority and train, where it was read before. */
  readonly id?: string;
}

/** One that is wrong. */
export interface Misread {
  readonly id: string;
  readonly words: string;
}

/** What a read gave, by what was asked for. */
export interface ReadRows {
  readonly newest: readonly StatementRow[];
  readonly found: readonly StatementRow[];
  /** Whether the order of `newest` is the statement's. */
  readonly isOrdered: boolean;
}

const idOf = (row: StatementRow): string => row[0] as string;
const createdAtOf = (row: StatementRow): string => row[1] as string;
const idsOf = (rows: readonly StatementRow[]): Set<string> => new Set(rows.map(idOf));

/** A text of the row's document, JSON as the server wrote it; each name of those asked for occurs in it once. */
export function textIn(row: StatementRow, name: "eventType" | "authorityId" | "trainId"): string {
  return new RegExp(`"${name}": ?"([^"]*)"`).exec(row[2] as string)?.[1] ?? "";
}

/** Microseconds since 1970 of a timestamp as PostgreSQL writes it. */
function microsOf(text: string): number {
  const [, seconds = "", fraction = "", zone = ""] =
    /^([^.+]*?)(?:\.(\d+))?([+-]\d\d[\d:]*)$/.exec(text) ?? [];
  return Date.parse(seconds + zone) * 1000 + Number(fraction.padEnd(6, "0"));
}

/** One answer to both questions has its rows in any order; those of the train are `found`, once each. */
export function rowsOf({ answers }: ReadOutcome, { authorityId, trainId }: Sought): ReadRows {
  const [first = [], second] = answers;
  if (second) return { newest: first, found: second, isOrdered: true };
  const isFound = (row: StatementRow): boolean =>
    textIn(row, "authorityId") === authorityId && textIn(row, "trainId") === trainId;
  const found = new Map(first.filter(isFound).map((row) => [idOf(row), row]));
  const taken = new Set(found.values());
  return {
    newest: first.filter((row) => !taken.has(row)),
    found: [...found.values()],
    isOrdered: false,
  };
}

/** The creation of the oldest of a full answer, as the server wrote it; undefined where everything must be in it. */
export function oldestOf({ newest }: ReadRows): string | undefined {
  if (newest.length < RECENT_LIMIT) return undefined;
  return newest
    .map(createdAtOf)
    .reduce((oldest, each) => (microsOf(each) < microsOf(oldest) ? each : oldest));
}

/** What is wrong with the rows by themselves. */
export function misreadRows({ newest, found, isOrdered }: ReadRows, sought: Sought): Misread[] {
  const misread: Misread[] = [];
  const extra = newest[RECENT_LIMIT];
  if (extra)
    misread.push({
      id: idOf(extra),
      words: `${newest.length} rows were read, ${RECENT_LIMIT} at most were asked for`,
    });
  for (const rows of [newest, found]) misread.push(...readTwice(rows));
  for (const [i, row] of newest.entries()) {
    const before = newest[i - 1];
    if (textIn(row, "eventType") !== sought.eventType)
      misread.push({ id: idOf(row), words: "it was read, and is of another type than asked for" });
    else if (isOrdered && before && microsOf(createdAtOf(row)) > microsOf(createdAtOf(before)))
      misread.push({
        id: idOf(row),
        words: "it was read after an older one, and newest first was asked for",
      });
  }
  for (const row of found)
    if (textIn(row, "authorityId") !== sought.authorityId || textIn(row, "trainId") !== sought.trainId)
      misread.push({ id: idOf(row), words: "it was found, and is of another train than asked for" });
  return misread;
}

function readTwice(rows: readonly StatementRow[]): Misread[] {
  const seen = new Set<string>();
  const repeated = rows.map(idOf).filter((id) => seen.size === seen.add(id).size);
  return repeated.map((id) => ({ id, words: "one read has it twice" }));
}

/** What the rows lack: `newer` were acknowledged before the read, and they and `soughtLive` are still live after it. */
export function missingRows(
  { newest, found, isOrdered }: ReadRows,
  newer: readonly string[],
  soughtLive: string | undefined,
): Misread[] {
  const read = idsOf(isOrdered ? newest : [...newest, ...found]);
  const missing = newer
    .filter((id) => !read.has(id))
    .map((id) => ({ id, words: "it is live and among the newest of its type, and a read lacks it" }));
  if (soughtLive !== undefined && !idsOf(found).has(soughtLive))
    missing.push({ id: soughtLive, words: "it is live, and a look-up of its train did not find it" });
  return missing;
}
