// Transactions whose statements the server has described: their names, and sentences about those left out.
import type { Catalogue } from "./catalogue.js";
import type { LearntStatement } from "./parameters.js";
import { Reading } from "./reading.js";
import { numberedText } from "./statement.js";
import type { Transaction } from "./transactions.js";

export const LINE_CHARACTERS = 110;
/** Most transactions left out that are named each. */
const NAMED_MAX = 20;

export interface Described {
  readonly transaction: Transaction;
  readonly statements: readonly LearntStatement[];
}

/** Sentences about the transactions that are not chosen: their shares, and each by its first statement. */
export function leftOut(
  candidates: readonly Described[],
  chosen: readonly Transaction[],
  isTimeKnown: boolean,
): string[] {
  const left = candidates.filter(({ transaction }) => !chosen.includes(transaction));
  if (left.length === 0) return [];
  const sharesOf = (some: readonly Described[]): string => {
    const shareOf = (amount: "calls" | "totalMs"): string => {
      const sum = (all: readonly Described[]): number =>
        all.reduce((total, { transaction }) => total + transaction[amount], 0);
      return `${((100 * sum(some)) / sum(candidates)).toFixed(1)} %`;
    };
    return `${shareOf("calls")} of calls${isTimeKnown ? `, ${shareOf("totalMs")} of time` : ""}`;
  };
  const named = left.toSorted((a, b) => b.transaction.calls - a.transaction.calls).slice(0, NAMED_MAX);
  return [
    `${left.length} rare transactions: ${sharesOf(left)}; --coverage 100% takes them`,
    ...named.map((each) => {
      const [first] = each.statements;
      const text = first ? numberedText(first.statement).slice(0, LINE_CHARACTERS) : "";
      const more = each.statements.length - 1;
      return `rare (${each.transaction.calls} calls, ${sharesOf([each])}): ${text}${more > 0 ? `; and ${more} statements more` : ""}`;
    }),
  ];
}

/** A name from the statement alone, so that another rank does not change it. */
function baseName({ statements }: Described, catalogue: Catalogue): string {
  const [first] = statements;
  const readings = statements.map(({ statement }) => new Reading(statement, catalogue));
  const main = readings.find(({ verb }) => verb !== "SELECT") ?? readings[0];
  const key = main
    ?.places()
    .find(({ use, column }) => column && ["key", "range", "like", "array"].includes(use));
  const words = [
    main?.verb.toLowerCase() ?? "run",
    main?.tables[0]?.name ?? "",
    statements.length > 1 ? "transaction" : key?.column ? `by-${key.column.name}` : "",
  ];
  const wanted = first?.statement.name ?? words.filter((word) => word !== "").join("-");
  return wanted.replaceAll(/[^\w-]/g, "_").slice(0, 55);
}

/** Names of the transactions: those with one base are numbered in the order of their texts. */
export function namesOf(
  described: readonly Described[],
  catalogue: Catalogue,
): ReadonlyMap<Described, string> {
  const textOf = ({ statements }: Described): string =>
    statements.map(({ statement }) => numberedText(statement)).join(";");
  const taken = new Map<string, number>();
  return new Map(
    described
      .toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
      .map((each) => {
        const base = baseName(each, catalogue);
        const number = (taken.get(base) ?? 0) + 1;
        taken.set(base, number);
        return [each, number === 1 ? base : `${base}-${number}`];
      }),
  );
}
