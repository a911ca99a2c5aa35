/** A value of expressions, with pgbench's types: 64-bit whole numbers are `bigint`, doubles are `number`. */
export type Value = null | boolean | bigint | number | string;

export interface Place {
  readonly line: number;
  readonly column: number;
  /** Name of the file; left out if it is the program's own file. */
  readonly file?: string;
}

/** @param program file of a place that names none */
export function placeText({ line, column, file }: Place, program: string): string {
  return `${file ?? program}:${line}:${column}`;
}

export type Expression =
  | { readonly kind: "constant"; readonly value: Value }
  | { readonly kind: "variable"; readonly name: string }
  /** A call of a function or an operator. The arguments of a `case` are: condition, value, condition, value, ..., else. */
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Expression[] };

/** The syntax of comments, quotes and parameters of MySQL and MariaDB; left out for PostgreSQL's. */
export type SqlSyntax = "mysql" | undefined;

/** Text in a statement of the schema or the preload that stands for the namespace. */
export const NAMESPACE_PLACEHOLDER = "{{namespace}}";

/** SQL text that is cut at its variables: variable i stands between piece i and piece i + 1. */
export interface SqlText {
  readonly syntax?: SqlSyntax;
  readonly pieces: readonly string[];
  /** Names of the variables, in the order in which they occur. A name may occur several times. */
  readonly variables: readonly string[];
  readonly place: Place;
}

/** Condition on the number of rows that a statement must return or change. */
export interface RowExpectation {
  readonly operator: "=" | ">" | ">=" | "<" | "<=";
  readonly rows: number;
}

/** A variable that gets the value of a column of the result's only row. A number is the column's position, from 0. */
export interface Binding {
  readonly column: string | number;
  readonly variable: string;
}

export interface SqlStep extends SqlText {
  readonly kind: "sql";
  readonly expect?: RowExpectation;
  readonly bindings: readonly Binding[];
  /** Present if a result without rows ends the transaction here: it is committed and counts as an empty poll. */
  readonly orEnd?: true;
  /** Present if rows of this statement are the units of work. No row is an empty poll. */
  readonly countsRows?: true;
  /**
   * Sets a variable for every column, with `prefix` before the column's name: from the only row, or from the last row, if
   * there is one.
   */
  readonly columns?: { readonly prefix: string; readonly of: "only row" | "last row" };
  /** Indexes of the variables that stand within '...'. Their values become a part of that text. */
  readonly quoted?: readonly number[];
  /** Present if the text consists of several statements, which are sent as one message. */
  readonly isMessage?: true;
}

export type Step =
  | SqlStep
  /** BEGIN as written, with options; without a text, the BEGIN of the treatment. */
  | { readonly kind: "control"; readonly does: "begin"; readonly text?: string; readonly place: Place }
  /** END, COMMIT or ROLLBACK as written. */
  | {
      readonly kind: "control";
      readonly does: "commit" | "rollback";
      readonly text: string;
      readonly place: Place;
    }
  | {
      readonly kind: "set";
      readonly variable: string;
      readonly expression: Expression;
      readonly place: Place;
    }
  /** A pause, whose length is in milliseconds. */
  | { readonly kind: "sleep"; readonly forMs: Expression; readonly place: Place }
  /** Beginning, Sync or end of a pipeline: its statements are sent without awaiting the answers before them. */
  | { readonly kind: "pipeline"; readonly does: "start" | "sync" | "end"; readonly place: Place }
  /** Runs the first branch whose condition holds; the last branch may have no condition. */
  | { readonly kind: "if"; readonly branches: readonly Branch[]; readonly place: Place };

export interface Branch {
  readonly condition?: Expression;
  readonly steps: readonly Step[];
}

/** A variable that is drawn before the intended start of the transaction. Later parameters may use earlier ones. */
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
  /** True if all steps are one transaction; false if steps of the script begin and end transactions. */
  readonly isWhole: boolean;
}

export interface Invariant {
  readonly name: string;
  readonly sql: SqlText;
  /** Present if the query's rows must be exactly the values of that variable in acknowledged transactions of that name. */
  readonly acknowledged?: { readonly transaction: string; readonly variable: string };
}

/** A setting of the program, which is a key of the scenario. Levels have the type of the default. */
export interface Setting {
  readonly name: string;
  readonly value: number | string | boolean;
  readonly place: Place;
}

/** Name of the scenario's key that chooses a variant. */
export const VARIANT_KEY = "variant";

/** Statements that follow the program's in the treatments that choose this variant. */
export interface Variant {
  readonly name: string;
  readonly schema: readonly SqlText[];
  readonly preload: readonly SqlText[];
}

export interface Program {
  readonly name: string;
  readonly syntax?: SqlSyntax;
  readonly settings: readonly Setting[];
  /** Statements of the schema, one by one; their variables are settings. */
  readonly schema: readonly SqlText[];
  readonly preload: readonly SqlText[];
  /** Alternatives, of which each treatment has one. */
  readonly variants?: readonly Variant[];
  readonly transactions: readonly ScriptTransaction[];
  readonly invariants: readonly Invariant[];
}

export interface FileProblem {
  readonly file: string;
  readonly place: Place;
  readonly message: string;
}

export type ReadProgram = { readonly program: Program } | { readonly problems: readonly FileProblem[] };
