// Parts of a file of SQL while it is read.
import type { FileProblem, Invariant, Parameter, Place, Program, SqlText } from "../script/program.js";
import { isOwnVariable, isUsedBeforeEnd, sqlStepsOf } from "../script/statements.js";
import type { DraftStep } from "./parts.js";

export type Refuse = (place: Place, message: string) => void;

export interface DraftTransaction {
  readonly name: string;
  readonly place: Place;
  weight: number;
  isReadOnly: boolean;
  readonly parameters: Parameter[];
  readonly steps: DraftStep[];
}

export interface DraftInvariant {
  readonly name: string;
  readonly place: Place;
  readonly statements: SqlText[];
  acknowledged?: { readonly transaction: string; readonly variable: string; readonly place: Place };
}

/** Statements of the program itself, or of a variant. */
export interface DraftTables {
  readonly schema: SqlText[];
  readonly preload: SqlText[];
}

export function mapTables({ schema, preload }: DraftTables, map: (sql: SqlText) => SqlText): DraftTables {
  return { schema: schema.map(map), preload: preload.map(map) };
}

export type ReadTables =
  | {
      readonly tables: Pick<Program, "schema" | "preload" | "variants" | "invariants">;
      /** A script's text without the schema that a dump of the tables makes. */
      readonly unqualified: (script: string) => string;
    }
  | { readonly problems: readonly FileProblem[] };

/** True if the variable is a parameter of the transaction, or returned by one of its statements. */
export function isOwn({ parameters, steps }: DraftTransaction, name: string): boolean {
  return isOwnVariable({ parameters, steps: sqlStepsOf(steps) }, name);
}

/** The invariant of a draft, in a list of one; refuses each problem, and returns nothing without a statement. */
export function invariantOf(
  { name, place, statements, acknowledged }: DraftInvariant,
  transactions: readonly DraftTransaction[],
  refuse: Refuse,
): Invariant[] {
  const [sql, ...others] = statements;
  if (!sql || others.length > 0) {
    refuse(place, `invariant ${name} has ${statements.length} statements; it takes one`);
    return [];
  }
  if (!acknowledged) return [{ name, sql }];
  const { transaction, variable } = acknowledged;
  const draft = transactions.find((each) => each.name === transaction);
  if (!draft) refuse(acknowledged.place, `there is no transaction ${transaction}`);
  else if (draft.isReadOnly) refuse(acknowledged.place, `${transaction} is readonly`);
  else if (!isOwn(draft, variable))
    refuse(acknowledged.place, `${transaction} has no param and returns no ${variable}`);
  else if (isUsedBeforeEnd(sqlStepsOf(draft.steps), variable))
    refuse(
      acknowledged.place,
      `${transaction} uses ${variable} above a statement that may end it; use it below`,
    );
  return [{ name, sql, acknowledged: { transaction, variable } }];
}
