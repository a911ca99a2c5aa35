// A workload of the user's own as plain data, which crosses threads. Files of SQL and pgbench's scripts are read into this.

/** pgbench's values: whole numbers of 64 bits are `bigint`, doubles are `number`. */
export type Value = null | boolean | bigint | number | string;

/** A place in the file that was read, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The file if it is not the program's own. */
  readonly file?: string;
}

/** @param program the file of a place that names none */
export function placeText({ line, column, file }: Place, program: string): string {
  return `${file ?? program}:${line}:${column}`;
}

export type Expression =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "variable"; readonly name: string }
  /** Operators too: `+`, `case`, `is`; the branches of a `case` are condition, value, condition, value, ..., else. */
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Expression[] };

/** SQL with variables between its pieces: of one fewer than there are pieces. */
export interface SqlText {
  readonly pieces: readonly string[];
  /** One for each place, so that a name may be there twice. */
  readonly variables: readonly string[];
  readonly place: Place;
}

/** How many rows a statement is to give or change. */
export interface RowCount {
  readonly operator: "=" | ">" | ">=" | "<" | "<=";
  readonly rows: number;
}

/** A variable for a column of the only row, by its name or its position from 0. */
export interface Binding {
  readonly column: string | number;
  readonly variable: string;
}

export interface SqlStep extends SqlText {
  readonly kind: "sql";
  readonly expect?: RowCount;
  readonly bindings: readonly Binding[];
  /** Without a row the transaction is committed here and counts as an empty poll. */
  readonly orEnd?: true;
  /** The rows that the statement returns or changes are units of work of its transaction; none is an empty poll. */
  readonly countsRows?: true;
  /** Every column becomes a variable, whose name begins with `prefix`: of its only row, or of its last one if there is any. */
  readonly columns?: { readonly prefix: string; readonly of: "only row" | "last row" };
  /** Positions, from 0, of variables within '...': their values are a part of that text. */
  readonly quoted?: readonly number[];
  /** Several statements, sent in one message. */
  readonly isMessage?: true;
}

export type Step =
  | SqlStep
  /** BEGIN, END, COMMIT, ROLLBACK, with their options, as they were written. */
  | {
      readonly kind: "control";
      readonly does: "begin" | "commit" | "rollback";
      readonly text: string;
      readonly place: Place;
    }
  | {
      readonly kind: "set";
      readonly variable: string;
      readonly expression: Expression;
      readonly place: Place;
    }
  /** Milliseconds. */
  | { readonly kind: "sleep"; readonly forMs: Expression; readonly place: Place }
  /** The first branch whose condition holds; the last one may have none. */
  | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly place: Place };

export interface Branch {
  readonly condition?: Expression;
  readonly steps: readonly Step[];
}

/** Drawn ahead of the intended start, in their order: a later one may use an earlier one. */
export interface Parameter {
  readonly variable: string;
  readonly expression: Expression;
}

export interface ScriptTransaction {
  /** The name of its operation. */
  readonly name: string;
  /** Its share of all, beside those of the others. */
  readonly weight: number;
  readonly isReadOnly: boolean;
  readonly parameters: readonly Parameter[];
  readonly steps: readonly Step[];
  /** The unit of its work, such as `jobs`; `rows` or `transactions` if left out. */
  readonly unit?: string;
  /** Whether its steps are one transaction; else they say themselves where one begins and ends. */
  readonly isWhole: boolean;
}

export interface Invariant {
  readonly name: string;
  readonly sql: SqlText;
  /** Its rows are the values of that parameter in acknowledged transactions of that name. */
  readonly acknowledged?: { readonly transaction: string; readonly variable: string };
}

/** A key of the scenario, with its default; the level of a treatment is of the same type. */
export interface Setting {
  readonly name: string;
  readonly value: number | string | boolean;
  readonly place: Place;
}

export interface Program {
  /** The name of the workload. */
  readonly name: string;
  readonly settings: readonly Setting[];
  /** Statements, each by itself; their variables are settings. */
  readonly schema: readonly SqlText[];
  readonly preload: readonly SqlText[];
  readonly transactions: readonly ScriptTransaction[];
  readonly invariants: readonly Invariant[];
}

export interface FileProblem {
  readonly file: string;
  readonly place: Place;
  readonly message: string;
}

export type ReadProgram = { readonly program: Program } | { readonly problems: readonly FileProblem[] };
