// A second attempt continues after the last commit and sends the same statements again.
import type { Connection, SqlValue, Statement } from "../../database/sql.js";
import { StatementError, UnexpectedRowsError } from "../../database/errors.js";
import { deriveSeed, type Prng } from "../../foundation/prng.js";
import { evaluate } from "./expression.js";
import {
  placeText,
  type Branch,
  type Expression,
  type Program,
  type ScriptTransaction,
  type SqlStep,
  type Step,
  type Value,
} from "./program.js";
import type { PauseFor, Run } from "./run.js";
import type { Begin, Transactions } from "./store.js";
import { countedChange, countsRows, sqlStepsOf, statementsOf, unexpectedRows } from "./statements.js";
import { substituted } from "./sql-text.js";

interface SentStatement {
  readonly step: SqlStep;
  readonly statement: Statement;
}

type Operation =
  | ({ readonly kind: "sql" } & SentStatement)
  | { readonly kind: "begin"; readonly text: string }
  | { readonly kind: "commit" | "rollback"; readonly text: string }
  | Extract<Step, { readonly kind: "set" | "sleep" }>
  /** Jumps to the operation `to` if the condition does not hold. */
  | { readonly kind: "unless"; readonly condition: Expression; to: number }
  | { readonly kind: "jump"; to: number };

export interface Compiled {
  readonly transaction: ScriptTransaction;
  /** BEGIN for a statement outside of every transaction, if such a statement needs one. */
  readonly frame: string | undefined;
  readonly operations: readonly Operation[];
}

type Jump = Extract<Operation, { readonly kind: "unless" | "jump" }>;

/** Pattern of a BEGIN without options. */
export const PLAIN_BEGIN = /^(BEGIN|START)(\s+(WORK|TRANSACTION))?$/i;

class Compiler {
  readonly operations: Operation[] = [];

  constructor(
    private readonly statements: ReadonlyMap<SqlStep, Statement>,
    private readonly beginning: Begin,
  ) {}

  /** @param written text in the script */
  begin(written?: string): void {
    this.operations.push({ kind: "begin", text: this.beginningText(written) });
  }

  beginningText(written?: string): string {
    const { begin, setUp, isNeeded } = this.beginning;
    const isAsWritten = written !== undefined && !(isNeeded && PLAIN_BEGIN.test(written));
    const text = isAsWritten ? written : begin;
    return setUp === undefined ? text : `${text}; ${setUp}`;
  }

  add(steps: readonly Step[]): void {
    for (const step of steps) {
      if (step.kind === "sql") {
        const statement = this.statements.get(step) as Statement;
        this.operations.push({ kind: "sql", step, statement });
      } else if (step.kind === "if") this.addBranches(step.branches);
      else if (step.kind !== "control") this.operations.push(step);
      else if (step.does === "begin") this.begin(step.text);
      else this.operations.push({ kind: step.does, text: step.text });
    }
  }

  private addBranches(branches: readonly Branch[]): void {
    const ends: Jump[] = [];
    for (const { condition, steps } of branches) {
      const test = condition && this.addJump({ kind: "unless", condition, to: 0 });
      this.add(steps);
      ends.push(this.addJump({ kind: "jump", to: 0 }));
      if (test) test.to = this.operations.length;
    }
    for (const end of ends) end.to = this.operations.length;
  }

  private addJump(jump: Jump): Jump {
    this.operations.push(jump);
    return jump;
  }
}

/** True if the transaction is one statement that needs no BEGIN and COMMIT. */
function isAlone(
  { name, parameters, steps, isReadOnly }: ScriptTransaction,
  { invariants }: Pick<Program, "invariants">,
): boolean {
  const [first, ...others] = sqlStepsOf(steps);
  // An id that the server returns must be known before its commit is sent, in case the commit gets no answer.
  const isIdReturned = invariants.some(
    ({ acknowledged }) =>
      acknowledged?.transaction === name &&
      !parameters.some(({ variable }) => variable === acknowledged.variable),
  );
  if (first === undefined || others.length > 0 || isIdReturned) return false;
  return isReadOnly || first.expect === undefined;
}

function hasCommit(steps: readonly Step[]): boolean {
  return steps.some((step) =>
    step.kind === "if"
      ? step.branches.some((branch) => hasCommit(branch.steps))
      : step.kind === "control" && step.does === "commit",
  );
}

/** True if one of the program's transactions ends with COMMIT on a connection that finds its tables without a `SET`. */
export function sendsCommits(program: Program): boolean {
  return program.transactions.some((transaction) =>
    transaction.isWhole ? !isAlone(transaction, program) : hasCommit(transaction.steps),
  );
}

/** Transactions of a program, ready to be run. */
export function compile(program: Program, beginOf: (isReadOnly: boolean) => Begin): Compiled[] {
  const statements = statementsOf(program);
  return program.transactions.map((transaction) => {
    const { steps, isWhole, isReadOnly } = transaction;
    const beginning = beginOf(isReadOnly);
    const { setUp, isNeeded } = beginning;
    const compiler = new Compiler(statements, beginning);
    const isFramed = isWhole && (isNeeded || setUp !== undefined || !isAlone(transaction, program));
    if (isFramed) compiler.begin();
    compiler.add(steps);
    if (isFramed) compiler.operations.push({ kind: "commit", text: "COMMIT" });
    const frame = !isWhole && (isNeeded || setUp !== undefined) ? compiler.beginningText() : undefined;
    return { transaction, frame, operations: compiler.operations };
  });
}

/** A text constant that is valid in a dollar-quoted body and with either value of `standard_conforming_strings`. */
function quoted(value: string): string {
  const text = value.replaceAll("'", "''");
  if (!/[$\\]/.test(value)) return `'${text}'`;
  return ` E'${text.replaceAll("\\", "\\\\").replaceAll("$", "\\x24")}'`;
}

/** A value in the text of a statement, for the simple protocol. */
export function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quoted(value);
  return typeof value !== "boolean" && value < 0 ? `(${value})` : String(value);
}

const sqlValue = (value: Value): SqlValue => (typeof value === "bigint" ? String(value) : value);

/** A value from the server in the form that expressions take. */
function valueOf(given: unknown): Value {
  if (typeof given === "number") return Number.isSafeInteger(given) ? BigInt(given) : given;
  if (typeof given === "string" || typeof given === "boolean") return given;
  return null;
}

/** Number in a text, since a database returns large numbers as text. */
function asNumber(value: Value): Value {
  if (typeof value !== "string") return value;
  if (/^-?\d+$/.test(value)) return BigInt(value);
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
}

/** True if pgbench takes the value for true: a number is true unless it is 0. */
function isTrue(value: Value): boolean {
  if (typeof value === "string") throw new Error(`'${value}' is text; a condition is a boolean or a number`);
  return Number(value) !== 0;
}

export interface MachineOptions {
  /** File of the program, for places in messages. */
  readonly file: string;
  readonly prng: Prng;
  readonly isSimple: boolean;
  readonly transactions: Omit<Transactions, "begin">;
}

/** The state of a transaction after its last commit. */
interface CommittedState {
  readonly position: number;
  readonly values: ReadonlyMap<string, Value>;
  readonly work: number;
  readonly foundNoRow: boolean;
}

/** One transaction, from its draw to its end, over all of its attempts. */
export class Machine implements Run {
  private position = 0;
  private isOpen = false;
  /** State after the last commit, where the next attempt begins. */
  private committedState: CommittedState;
  work = 1;
  foundNoRow = true;
  private readonly countsRows: boolean;

  constructor(
    private readonly compiled: Compiled,
    private values: Map<string, Value>,
    /** Seed of the values that the transaction draws while it runs. */
    private readonly seed: number,
    private readonly options: MachineOptions,
  ) {
    this.countsRows = countsRows(compiled.transaction);
    this.committedState = {
      position: 0,
      values: new Map(values),
      work: this.countsRows ? 0 : 1,
      foundNoRow: true,
    };
  }

  get transaction(): ScriptTransaction {
    return this.compiled.transaction;
  }

  valueOf(variable: string): Value {
    const value = this.values.get(variable);
    if (value === undefined) throw new Error(`${variable} has no value`);
    return value;
  }

  async attempt(connection: Connection, rest: PauseFor): Promise<true> {
    this.position = this.committedState.position;
    this.values = new Map(this.committedState.values);
    this.work = this.committedState.work;
    this.foundNoRow = this.committedState.foundNoRow;
    this.isOpen = false;
    const { operations } = this.compiled;
    try {
      while (this.position < operations.length)
        await this.run(operations[this.position] as Operation, connection, rest);
      return true;
    } catch (error) {
      // All statements of the failed transaction are undone together.
      if (this.hasBegun()) await this.options.transactions.rollBack(connection);
      throw error;
    }
  }

  /** A function, because the compiler would take the last value that it saw for the present one. */
  private hasBegun(): boolean {
    return this.isOpen;
  }

  private async run(operation: Operation, connection: Connection, rest: PauseFor): Promise<void> {
    this.position++;
    switch (operation.kind) {
      case "begin":
        return this.begin(connection, operation.text);
      case "commit":
        this.isOpen = false;
        await this.commit(connection, operation.text);
        this.keep();
        return;
      case "rollback":
        await connection.control("rollback", operation.text);
        this.isOpen = false;
        this.keep();
        return;
      case "sql":
        return this.runStatement(operation, connection);
      case "set":
        this.values.set(operation.variable, this.evaluate(operation.expression));
        return;
      case "sleep":
        return rest(Number(this.evaluate(operation.forMs)));
      case "unless":
        if (!isTrue(this.evaluate(operation.condition))) this.position = operation.to;
        return;
      case "jump":
        this.position = operation.to;
    }
  }

  private async begin(connection: Connection, text: string): Promise<void> {
    await connection.control("begin", text);
    this.isOpen = true;
  }

  private async runStatement({ step, statement }: SentStatement, connection: Connection): Promise<void> {
    const frame = this.isOpen ? undefined : this.compiled.frame;
    if (frame !== undefined) await this.begin(connection, frame);
    const rows = await this.send(step, statement, connection);
    if (step.orEnd && rows === 0) return this.end(connection);
    if (frame !== undefined) {
      this.isOpen = false;
      await this.commit(connection, "COMMIT");
    }
    if (!this.isOpen) this.keep();
  }

  /** Ends as an empty poll, with a commit of the earlier statements. */
  private async end(connection: Connection): Promise<void> {
    this.work = 0;
    this.position = this.compiled.operations.length;
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.commit(connection, "COMMIT");
  }

  /** Commits; a commit of reads alone is never in doubt. */
  private async commit(connection: Connection, text: string): Promise<void> {
    if (this.transaction.isReadOnly) return connection.control("commit", text);
    await this.options.transactions.commit(connection, text);
  }

  private keep(): void {
    const { position, work, foundNoRow } = this;
    this.committedState = { position, values: new Map(this.values), work, foundNoRow };
  }

  private evaluate(expression: Expression): Value {
    const { prng } = this.options;
    // The stream is the same in every attempt, wherever the attempt begins.
    prng.reseed(deriveSeed(this.seed, this.position));
    return evaluate(expression, { valueOf: (name) => asNumber(this.valueOf(name)), prng });
  }

  /** Text of a variable's value in a statement. */
  private textOf({ quoted: positions }: SqlStep, name: string, position: number): string {
    const value = this.valueOf(name);
    return positions?.includes(position) ? String(value).replaceAll("'", "''") : literal(value);
  }

  /** Sends a statement; resolves to the number of rows. */
  private async send(step: SqlStep, prepared: Statement, connection: Connection): Promise<number> {
    const { variables, bindings, columns, expect } = step;
    const isSimple = this.options.isSimple || prepared.isText === true;
    const isNamed = bindings.length > 0 || columns !== undefined;
    const statement = isSimple
      ? {
          name: prepared.name,
          text: countedChange(
            step,
            substituted(step, (name, position) => this.textOf(step, name, position)),
          ),
          isText: true as const,
        }
      : prepared;
    const values = isSimple ? [] : variables.map((name) => sqlValue(this.valueOf(name)));
    const answer: Promise<readonly unknown[]> = isNamed
      ? connection.executeNamed(statement, values)
      : connection.execute(statement, values);
    const isCommitting = !this.isOpen && !this.transaction.isReadOnly;
    let rows: readonly unknown[];
    try {
      rows = await (isCommitting ? this.options.transactions.asTransaction(answer) : answer);
    } catch (error) {
      if (error instanceof StatementError) error.place = this.placeText(step);
      throw error;
    }
    if (connection.foundNoRow !== true) this.foundNoRow = false;
    if (this.countsRows && step.countsRows) this.work += rows.length;
    const problem = expect && unexpectedRows(expect, rows.length);
    if (problem !== undefined) throw new UnexpectedRowsError(`${prepared.name}: ${problem}`);
    const isEnd = step.orEnd === true && rows.length === 0;
    if (isNamed && !isEnd)
      this.bind(step, prepared.name, rows as readonly Readonly<Record<string, unknown>>[]);
    return rows.length;
  }

  private placeText({ place }: SqlStep): string {
    return placeText(place, this.options.file);
  }

  private bind(step: SqlStep, name: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
    const { bindings, columns } = step;
    const [row, ...others] = columns?.of === "last row" ? rows.slice(-1) : rows;
    if (!row && columns?.of === "last row") return;
    if (!row || others.length > 0)
      throw new UnexpectedRowsError(`${name}: ${rows.length} rows; a value is taken from exactly one`);
    if (columns)
      for (const [column, value] of Object.entries(row))
        this.values.set(`${columns.prefix}${column}`, valueOf(value));
    for (const { column, variable } of bindings) {
      const found = typeof column === "number" ? Object.values(row)[column] : row[column];
      if (found === undefined) throw new Error(`${this.placeText(step)}: ${name} has no column ${column}`);
      this.values.set(variable, valueOf(found));
    }
  }
}
