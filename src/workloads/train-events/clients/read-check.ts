// Only events that were there before the read began and after it ended are missed; others may be in the answer or not.
import type { ReadProbe } from "../stores/shape.js";
import { RECENT_LIMIT } from "../stores/statements.js";
import type { Question, ReadOutcome } from "../store.js";
import { EVENT_TYPES } from "../model/event.js";
import { READ_OPERATIONS } from "../settings.js";
import type { StatementRow } from "../../../database/sql.js";

export type SoughtEvent = ReadProbe & { readonly id?: string };

/** An event that an answer shows wrongly or lacks, with the reason in words. */
export interface Misread {
  readonly id: string;
  readonly words: string;
}

/** Rows of a dispatcher's read, by look-up. */
export interface ReadRows {
  readonly newest: readonly StatementRow[];
  readonly found: readonly StatementRow[];
  /** True if `newest` is in the order that the statement states. */
  readonly isOrdered: boolean;
}

const idOf = (row: StatementRow): string => row[0] as string;
const createdAtOf = (row: StatementRow): string => row[1] as string;
const idsOf = (rows: readonly StatementRow[]): Set<string> => new Set(rows.map(idOf));

/**
 * Text of the member `name` in the row's document, which must contain the name once. The document is JSON as the server
 * wrote it.
 */
export function textIn(row: StatementRow, name: "eventType" | "authorityId" | "trainId"): string {
  return new RegExp(`"${name}": ?"([^"]*)"`).exec(row[2] as string)?.[1] ?? "";
}

/** Microseconds since 1970 of a timestamp in PostgreSQL's format. */
export function microsOf(text: string): number {
  const [, seconds = "", fraction = "", zone = ""] =
    /^([^.+]*?)(?:\.(\d+))?([+-]\d\d[\d:]*)$/.exec(text) ?? [];
  return Date.parse(seconds + zone) * 1000 + Number(fraction.padEnd(6, "0"));
}

/**
 * Sorts the rows of a read by look-up. A statement with both look-ups returns rows in any order; the sought train's are
 * `found`.
 */
export function rowsByLookUp({ answers }: ReadOutcome, { authorityId, trainId }: SoughtEvent): ReadRows {
  const [first = [], second] = answers;
  if (second) return { newest: first, found: second, isOrdered: true };
  const isFound = (row: StatementRow): boolean =>
    textIn(row, "authorityId") === authorityId && textIn(row, "trainId") === trainId;
  const found = new Map(first.filter(isFound).map((row) => [idOf(row), row]));
  const foundRows = new Set(found.values());
  return {
    newest: first.filter((row) => !foundRows.has(row)),
    found: [...found.values()],
    isOrdered: false,
  };
}

/**
 * Creation of the oldest row of a full answer, in the server's format; undefined if the answer is not full and must contain
 * all events.
 */
export function oldestCreatedAt({ newest }: ReadRows): string | undefined {
  if (newest.length < RECENT_LIMIT) return undefined;
  return newest
    .map(createdAtOf)
    .reduce((oldest, each) => (microsOf(each) < microsOf(oldest) ? each : oldest));
}

/** Rows that are wrong for any content of the tables, for example of another type or in the wrong order. */
export function misreadRows({ newest, found, isOrdered }: ReadRows, sought: SoughtEvent): Misread[] {
  const misread = [...rowsBeyondLimit(newest), ...[newest, found].flatMap(rowsReadTwice)];
  const isOfSoughtType = (row: StatementRow): boolean => textIn(row, "eventType") === sought.eventType;
  for (const row of newest)
    if (!isOfSoughtType(row))
      misread.push({ id: idOf(row), words: "it was read, and is of another type than asked for" });
  if (isOrdered) misread.push(...rowsAfterOlder(newest));
  for (const row of found)
    if (textIn(row, "authorityId") !== sought.authorityId || textIn(row, "trainId") !== sought.trainId)
      misread.push({ id: idOf(row), words: "it was found, and is of another train than asked for" });
  return misread;
}

/** Rows of a question's answer that are wrong for any content of the tables. A row of `byType` is named by its type. */
export function misreadAnswerRows(rows: readonly StatementRow[], question: Question): Misread[] {
  const { kind } = question;
  const words = `${READ_OPERATIONS[kind]} gave it, and it is not what was asked for`;
  const others = rows.filter((row) => !isAnswer(row, question)).map((row) => ({ id: idOf(row), words }));
  const misread = [...others, ...rowsReadTwice(rows)];
  if (kind === "typeTime" || kind === "newest")
    misread.push(...rowsBeyondLimit(rows), ...rowsAfterOlder(rows));
  return misread;
}

function isAnswer(row: StatementRow, question: Question): boolean {
  switch (question.kind) {
    case "id":
      return idOf(row) === question.id;
    case "authority":
      return textIn(row, "authorityId") === question.authorityId;
    case "typeTime": {
      const createdMicros = microsOf(createdAtOf(row));
      const isWithin =
        question.from.getTime() * 1000 <= createdMicros && createdMicros <= microsOf(question.to);
      return isWithin && textIn(row, "eventType") === question.eventType;
    }
    case "path":
      return containsPart(documentOf(row), question.part);
    case "newest":
      return true;
    case "byType":
      return EVENT_TYPES.some((type) => type === row[0]) && Number(row[1]) > 0;
  }
}

function documentOf(row: StatementRow): unknown {
  try {
    return JSON.parse(row[2] as string);
  } catch {
    return undefined;
  }
}

/** True if `whole` contains `part`, like `@>` for objects, arrays and texts. */
export function containsPart(whole: unknown, part: unknown): boolean {
  if (typeof whole !== "object" || whole === null || typeof part !== "object" || part === null)
    return whole === part;
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((each) => whole.some((one) => containsPart(one, each)));
  return Object.entries(part).every(
    ([name, each]) =>
      Object.hasOwn(whole, name) && containsPart((whole as Record<string, unknown>)[name], each),
  );
}

/** A finding if the answer lacks `liveId`, an event that matched the question before and is still live. */
export function missingAnswer(rows: readonly StatementRow[], { kind }: Question, liveId: string): Misread[] {
  if (idsOf(rows).has(liveId)) return [];
  return [{ id: liveId, words: `it is live, and ${READ_OPERATIONS[kind]} did not give it` }];
}

function rowsBeyondLimit(rows: readonly StatementRow[]): Misread[] {
  const extraRow = rows[RECENT_LIMIT];
  if (!extraRow) return [];
  const words = `${rows.length} rows were read, ${RECENT_LIMIT} at most were asked for`;
  return [{ id: idOf(extraRow), words }];
}

function rowsAfterOlder(rows: readonly StatementRow[]): Misread[] {
  const words = "it was read after an older one, and newest first was asked for";
  const isNewerThanPrevious = (row: StatementRow, before: StatementRow | undefined): boolean =>
    before !== undefined && microsOf(createdAtOf(row)) > microsOf(createdAtOf(before));
  return rows
    .filter((row, i) => isNewerThanPrevious(row, rows[i - 1]))
    .map((row) => ({ id: idOf(row), words }));
}

function rowsReadTwice(rows: readonly StatementRow[]): Misread[] {
  const seen = new Set<string>();
  const repeatedIds = rows.map(idOf).filter((id) => seen.size === seen.add(id).size);
  return repeatedIds.map((id) => ({ id, words: "one read has it twice" }));
}

/**
 * Events that a read lacks: events in `newerIds`, which are newer than its oldest row, and `liveSoughtId`. All of them were live
 * before and after the read.
 */
export function missingRows(
  { newest, found, isOrdered }: ReadRows,
  newerIds: readonly string[],
  liveSoughtId: string | undefined,
): Misread[] {
  const read = idsOf(isOrdered ? newest : [...newest, ...found]);
  const missing = newerIds
    .filter((id) => !read.has(id))
    .map((id) => ({ id, words: "it is live and among the newest of its type, and a read lacks it" }));
  if (liveSoughtId !== undefined && !idsOf(found).has(liveSoughtId))
    missing.push({ id: liveSoughtId, words: "it is live, and a look-up of its train did not find it" });
  return missing;
}
