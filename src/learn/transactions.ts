// Transactions as far as counts show them: statements called exactly as often as COMMIT, or as groups that add up to it.
import { CATALOGUE_QUERY, controlOf, isLearnable, OWN_STATEMENT, type LogReading } from "./log.js";
import type { StatementCalls } from "./calls.js";
import { readStatement, type Statement } from "./statement.js";

export interface Transaction {
  readonly statements: readonly {
    readonly statement: Statement;
    readonly values: readonly (readonly (string | null)[])[];
  }[];
  readonly calls: number;
  readonly totalMs: number;
  /** Sentences about the transaction, which its comment repeats. */
  readonly guesses: readonly string[];
  readonly isOrderKnown: boolean;
}

export interface Learnt {
  readonly transactions: readonly Transaction[];
  readonly seconds: number | undefined;
  /** Sentences about calls that are not in the transactions. */
  readonly missing: readonly string[];
  readonly isTimeKnown: boolean;
  /** Calls whose texts the role may not read. */
  readonly hiddenCalls: number;
}

/** Difference of two counts of the same transactions: an interval cuts some of them at its ends. */
const COUNT_SLACK = 0.002;
const CUT_TRANSACTIONS = 2;
/** Fewer calls may be equal by chance. */
const GROUPED_CALLS_MIN = 20;
const GROUPS_MAX = 12;
/** Fewer calls of BEGIN than this share of the statements' calls cannot have begun them all. */
const PREPARED_SHARE_MAX = 0.5;
const HIDDEN_TEXT = "<insufficient privilege>";

/** Query with which the server checks a foreign key when a transaction ends. */
const KEY_CHECK = /OPERATOR\(pg_catalog\.=\)[^]*FOR KEY SHARE OF x/;

const isNear = (a: number, b: number): boolean =>
  Math.abs(a - b) <= Math.max(CUT_TRANSACTIONS, COUNT_SLACK * Math.max(a, b));

/** Groups of at least two statements that were called equally often. */
function equalGroups(calls: readonly StatementCalls[]): StatementCalls[][] {
  const groups: StatementCalls[][] = [];
  for (const each of calls.toSorted((a, b) => b.calls - a.calls)) {
    const last = groups.at(-1);
    if (last?.[0] && isNear(last[0].calls, each.calls)) last.push(each);
    else groups.push([each]);
  }
  return groups.filter((group) => group.length > 1 && (group[0]?.calls ?? 0) >= GROUPED_CALLS_MIN);
}

/** Members that the server saw first between the first BEGIN and the first COMMIT, if there are several. */
function seenInFirst(group: readonly StatementCalls[], all: readonly StatementCalls[]): StatementCalls[] {
  const sinceOf = (wanted: string): string => all.find(({ text }) => controlOf(text) === wanted)?.since ?? "";
  const [begin, commit] = [sinceOf("begin"), sinceOf("commit")];
  const within = group.filter(({ since }) => since !== "" && begin <= since && since <= commit);
  return within.length > 1 ? within : [...group];
}

/** The groups whose calls add up to the number of commits; none if several selections do. */
function groupsOfTransactions(groups: readonly StatementCalls[][], commits: number): StatementCalls[][] {
  const few = groups.slice(0, GROUPS_MAX);
  const selections: StatementCalls[][][] = [];
  for (let bits = 1; bits < 2 ** few.length; bits++) {
    const selection = few.filter((_, i) => (bits >> i) & 1);
    if (
      isNear(
        commits,
        selection.reduce((sum, [first]) => sum + (first?.calls ?? 0), 0),
      )
    )
      selections.push(selection);
  }
  return selections.length === 1 ? (selections[0] ?? []) : [];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
const counted = (n: number): string => Math.round(n).toLocaleString("en").replaceAll(",", " ");

export function transactionsInCounts(all: readonly StatementCalls[], seconds: number | undefined): Learnt {
  const missing: string[] = [];
  const others = new Map<string, number>();
  const add = (name: string, calls: number): void => void others.set(name, (others.get(name) ?? 0) + calls);
  const learnable: StatementCalls[] = [];
  for (const each of all) {
    const control = controlOf(each.text);
    if (OWN_STATEMENT.test(each.text)) continue;
    if (each.text === HIDDEN_TEXT) add("hidden", each.calls);
    else if (control !== undefined) add(control, each.calls);
    else if (KEY_CHECK.test(each.text)) continue;
    else if (CATALOGUE_QUERY.test(each.text) || /\bpg_stat_statements/.test(each.text))
      add("catalogue queries", each.calls);
    else if (isLearnable(each.text)) learnable.push(each);
    else add(/\w+/.exec(each.text)?.[0].toUpperCase() ?? "?", each.calls);
  }
  const commits = others.get("commit") ?? 0;
  const groups = groupsOfTransactions(equalGroups(learnable), commits).map((group) =>
    seenInFirst(group, all),
  );
  const grouped = new Set(groups.flat());
  const single = (each: StatementCalls): Transaction => ({
    statements: [{ statement: readStatement(each.text), values: [] }],
    calls: each.calls,
    totalMs: each.totalMs,
    guesses: [],
    isOrderKnown: true,
  });
  const together = (group: readonly StatementCalls[]): Transaction => {
    const ordered = group.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
    const calls = Math.max(...group.map((each) => each.calls));
    const isOrderKnown = group.every(({ since }) => since !== "");
    return {
      statements: ordered.map(({ text }) => ({ statement: readStatement(text), values: [] })),
      calls,
      totalMs: sum(group.map(({ totalMs }) => totalMs)),
      guesses: [
        `one transaction, because its statements and COMMIT were called equally often (${counted(calls)} times)`,
        !isOrderKnown
          ? "the order of its statements is not in the statistics: reads, inserts with parents before children, changes; --log shows it"
          : "its statements stand in the order in which the server saw each first; --log shows their order",
      ],
      isOrderKnown,
    };
  };
  const [likely] = equalGroups(learnable)
    .filter((group) => group.every(({ since }) => since === ""))
    .toSorted((a, b) => b.length - a.length);
  const begins = others.get("begin") ?? 0;
  const shared = likely?.[0]?.calls ?? 0;
  if (likely && groups.length === 0 && begins < shared * PREPARED_SHARE_MAX)
    missing.push(
      `transactions: BEGIN was counted ${counted(begins)} times, and ${likely.length} statements share ${counted(shared)} calls: the statistics may miss a prepared BEGIN and COMMIT, as on PostgreSQL 15; each statement is a transaction here; --log shows them`,
    );
  else if (commits > 0 && groups.length === 0)
    missing.push(
      `the statements of ${counted(commits)} transactions with BEGIN: their counts do not show them; each statement is a transaction here; --log shows them`,
    );
  const hidden = others.get("hidden");
  if (hidden !== undefined)
    missing.push(
      `${counted(hidden)} calls of other roles: their texts are hidden; GRANT pg_read_all_stats to this role`,
    );
  const rollbacks = others.get("rollback");
  if (rollbacks !== undefined) missing.push(`${counted(rollbacks)} transactions that were rolled back`);
  for (const [name, calls] of others)
    if (!["begin", "commit", "rollback", "hidden"].includes(name))
      missing.push(`${name}: ${counted(calls)} calls`);
  return {
    transactions: [...groups.map(together), ...learnable.filter((each) => !grouped.has(each)).map(single)],
    seconds,
    missing,
    isTimeKnown: true,
    hiddenCalls: hidden ?? 0,
  };
}

export function transactionsInLog(log: LogReading): Learnt {
  const missing = [...log.others].map(([name, calls]) => `${name}: ${counted(calls)} calls`);
  if (log.rolledBack > 0) missing.push(`${counted(log.rolledBack)} transactions that were rolled back`);
  if (!log.hasSessions)
    missing.push(
      "sessions: log_line_prefix has no %p in brackets, so entries of several sessions may be mixed",
    );
  if (!log.hasDurations)
    missing.push(
      "the time of the statements: the log has none; set log_min_duration_statement = 0 and log again. Statements were chosen by calls alone",
    );
  return {
    transactions: log.kinds.map(({ statements, calls, totalMs }) => ({
      statements,
      calls,
      totalMs,
      guesses: [],
      isOrderKnown: true,
    })),
    seconds: log.seconds > 0 ? log.seconds : undefined,
    missing,
    isTimeKnown: log.hasDurations,
    hiddenCalls: 0,
  };
}

/** The transactions that make that share of the calls, or of the time. */
export function mostOf(transactions: readonly Transaction[], share: number): Transaction[] {
  const chosen = new Set<Transaction>();
  for (const amount of [
    ({ calls, statements }: Transaction) => calls * statements.length,
    ({ totalMs }: Transaction) => totalMs,
  ]) {
    const all = sum(transactions.map(amount));
    let reached = 0;
    for (const each of transactions.toSorted((a, b) => amount(b) - amount(a))) {
      if (reached >= share * all) break;
      reached += amount(each);
      chosen.add(each);
    }
  }
  return transactions.filter((each) => chosen.has(each)).toSorted((a, b) => b.calls - a.calls);
}
