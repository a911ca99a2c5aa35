/** Values of pgbench: whole numbers of 64 bits are `bigint`, doubles are `number`. */
export type Value = null | boolean | bigint | number | string;

export interface Place {
  readonly line: number;
  readonly column: number;
  /** File of the place if it is not the program's. */
  readonly file?: string;
}

/** @param program file of a place that names none */
export function placeText({ line, column, file }: Place, program: string): string {
  return `${file ?? program}:${line}:${column}`;
}

export type Expression =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "variable"; readonly name: string }
  /** A call of a function or an operator; the arguments of a `case` are condition, value, ..., else. */
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Expression[] };

/** SQL text with variables between its pieces: there is one variable fewer than there are pieces. */
export interface SqlText {
  readonly pieces: readonly string[];
  /** Variables by place, so that a name may appear twice. */
  readonly variables: readonly string[];
  readonly place: Place;
}

/** Condition on the number of rows that a statement returns or changes. */
export interface RowCount {
  readonly operator: "=" | ">" | ">=" | "<" | "<=";
  readonly rows: number;
}

/** A variable for a column of the only row; the column is given by its name or its position from 0. */
export interface Binding {
  readonly column: string | number;
  readonly variable: string;
}

export interface SqlStep extends SqlText {
  readonly kind: "sql";
  readonly expect?: RowCount;
  readonly bindings: readonly Binding[];
  /** Present if a result without rows commits the transaction here as an empty poll. */
  readonly orEnd?: true;
  /** Present if the rows of the statement are units of work; no row is an empty poll. */
  readonly countsRows?: true;
  /** Makes a variable of every column, after `prefix`: from the only row, or from the last row if there is any. */
  readonly columns?: { readonly prefix: string; readonly of: "only row" | "last row" };
  /** Positions, from 0, of variables within '...': their values become a part of that text. */
  readonly quoted?: readonly number[];
  /** Present if several statements go in one message. */
  readonly isMessage?: true;
}

export type Step =
  | SqlStep
  /** BEGIN, END, COMMIT, ROLLBACK, as written, with their options. */
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
  /** A pause in milliseconds. */
  | { readonly kind: "sleep"; readonly forMs: Expression; readonly place: Place }
  /** Runs the first branch whose condition holds; the last branch may have no condition. */
  | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly place: Place };

export interface Branch {
  readonly condition?: Expression;
  readonly steps: readonly Step[];
}

/** A variable drawn before the intended start; a later parameter may use an earlier one. */
export interface Parameter {
  readonly variable: string;
  readonly expression: Expression;
}

export interface ScriptTransaction {
  readonly name: string;
  /** Weight of the transaction relative to the others. */
  readonly weight: number;
  readonly isReadOnly: boolean;
  readonly parameters: readonly Parameter[];
  readonly steps: readonly Step[];
  /** Unit of the transaction's work, such as `jobs`. Default: `rows` or `transactions`. */
  readonly unit?: string;
  /** True if the steps are one transaction; otherwise the steps begin and end transactions themselves. */
  readonly isWhole: boolean;
}

export interface Invariant {
  readonly name: string;
  readonly sql: SqlText;
  /** Present if the rows must be the values of that variable in acknowledged transactions of that name. */
  readonly acknowledged?: { readonly transaction: string; readonly variable: string };
}

/** A key of the scenario, with its default; a treatment's level has the same type. */
export interface Setting {
  readonly name: string;
  readonly value: number | string | boolean;
  readonly place: Place;
}

export interface Program {
  readonly name: string;
  readonly settings: readonly Setting[];
  /** Statements of the schema, one by one; their variables are settings. */
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
