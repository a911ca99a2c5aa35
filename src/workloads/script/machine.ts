// A second attempt continues after the last commit and sends the same statements again.
import type { Connection, SqlValue, Statement } from "../../database/sql.js";
import { StatementError, UnexpectedRowsError } from "../../database/errors.js";
import { deriveSeed, type Prng } from "../../foundation/prng.js";
import type { CompiledTransaction, Operation, SentStatement } from "./compile.js";
import { evaluate } from "./expression.js";
import { placeText, type Expression, type ScriptTransaction, type SqlStep, type Value } from "./program.js";
import type { PauseFor, Run } from "./run.js";
import type { Transactions } from "./store.js";
import { addRowCounting, rowCountProblem } from "./statements.js";
import { substituteVariables } from "./sql-text.js";

/** A text constant that is valid in a dollar-quoted body and with either value of `standard_conforming_strings`. */
function quotedLiteral(value: string): string {
  const text = value.replaceAll("'", "''");
  if (!/[$\\]/.test(value)) return `'${text}'`;
  return ` E'${text.replaceAll("\\", "\\\\").replaceAll("$", "\\x24")}'`;
}

/** Value as SQL text, for the simple protocol, which has no parameters. */
export function sqlLiteral(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quotedLiteral(value);
  return typeof value !== "boolean" && value < 0 ? `(${value})` : String(value);
}

const sqlValue = (value: Value): SqlValue => (typeof value === "bigint" ? String(value) : value);

/** Value from the server, converted to a value of expressions. */
function valueOf(serverValue: unknown): Value {
  if (typeof serverValue === "number")
    return Number.isSafeInteger(serverValue) ? BigInt(serverValue) : serverValue;
  if (typeof serverValue === "string" || typeof serverValue === "boolean") return serverValue;
  return null;
}

/** Text with a number as the number, since databases return large numbers as text; other values unchanged. */
function parseNumericText(value: Value): Value {
  if (typeof value !== "string") return value;
  if (/^-?\d+$/.test(value)) return BigInt(value);
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
}

/** True if the value is true or a number other than 0, as in pgbench. */
function isTrue(value: Value): boolean {
  if (typeof value === "string") throw new Error(`'${value}' is text; a condition is a boolean or a number`);
  return Number(value) !== 0;
}

/** True if the step uses columns of the result by their names. */
const usesColumnNames = ({ bindings, columns }: SqlStep): boolean =>
  bindings.length > 0 || columns !== undefined;

export interface ScriptRunOptions {
  /** File of the program, for places in messages. */
  readonly file: string;
  readonly prng: Prng;
  readonly isSimple: boolean;
  readonly transactions: Omit<Transactions, "begin">;
}

/** State of a transaction at its last commit, from which another attempt continues. */
interface CommittedState {
  readonly position: number;
  readonly assigned: Map<string, Value>;
  readonly work: number;
  readonly foundNoRow: boolean;
}

/** One drawn transaction over all of its attempts. */
export class ScriptRun implements Run {
  private position = 0;
  private isOpen = false;
  /** Values of variables that the transaction has assigned, by name. */
  private assigned = new Map<string, Value>();
  /** State at the last commit. The next attempt begins there. */
  private committedState: CommittedState;
  work: number;
  foundNoRow = true;

  constructor(
    private readonly compiled: CompiledTransaction,
    private readonly drawnVariables: ReadonlyMap<string, Value>,
    /** Seed of the random values in expressions that are evaluated while the transaction runs. */
    private readonly seed: number,
    private readonly options: ScriptRunOptions,
  ) {
    this.work = compiled.countsRows ? 0 : 1;
    this.committedState = { position: 0, assigned: this.assigned, work: this.work, foundNoRow: true };
  }

  get transaction(): ScriptTransaction {
    return this.compiled.transaction;
  }

  valueOf(variable: string): Value {
    const assigned = this.assigned.get(variable);
    const value = assigned === undefined ? this.drawnVariables.get(variable) : assigned;
    if (value === undefined) throw new Error(`${variable} has no value`);
    return value;
  }

  private assign(variable: string, value: Value): void {
    // Most transactions assign nothing, so the shared map is copied before the first change only.
    if (this.assigned === this.committedState.assigned) this.assigned = new Map(this.assigned);
    this.assigned.set(variable, value);
  }

  async attempt(connection: Connection, rest: PauseFor): Promise<true> {
    this.position = this.committedState.position;
    this.assigned = this.committedState.assigned;
    this.work = this.committedState.work;
    this.foundNoRow = this.committedState.foundNoRow;
    this.isOpen = false;
    const { operations } = this.compiled;
    try {
      while (this.position < operations.length) {
        const end = this.run(operations[this.position++] as Operation, connection, rest);
        if (end) await end;
      }
      return true;
    } catch (error) {
      // The rollback undoes all statements of the failed transaction.
      if (this.hasOpenTransaction()) await this.options.transactions.rollBack(connection);
      throw error;
    }
  }

  /** Reads `isOpen` by a function, since the compiler would assume that its last assigned value is still there. */
  private hasOpenTransaction(): boolean {
    return this.isOpen;
  }

  /** Runs an operation. Returns undefined, and no promise, if the operation is complete at once. */
  private run(operation: Operation, connection: Connection, rest: PauseFor): Promise<void> | undefined {
    switch (operation.kind) {
      case "begin":
        return this.begin(connection, operation.text);
      case "commit":
        return this.commitAndSaveState(connection, operation.text);
      case "rollback":
        return this.rollBackAndSaveState(connection, operation.text);
      case "sql":
        return this.runStatement(operation, connection);
      case "sleep":
        return rest(Number(this.evaluate(operation.forMs)));
      case "set":
        this.assign(operation.variable, this.evaluate(operation.expression));
        break;
      case "unless":
        if (!isTrue(this.evaluate(operation.condition))) this.position = operation.to;
        break;
      case "jump":
        this.position = operation.to;
    }
    return undefined;
  }

  private async begin(connection: Connection, text: string): Promise<void> {
    await connection.control("begin", text);
    this.isOpen = true;
  }

  private async commitAndSaveState(connection: Connection, text: string): Promise<void> {
    this.isOpen = false;
    await this.commit(connection, text);
    this.saveState();
  }

  private async rollBackAndSaveState(connection: Connection, text: string): Promise<void> {
    await connection.control("rollback", text);
    this.isOpen = false;
    this.saveState();
  }

  private async runStatement({ step, statement }: SentStatement, connection: Connection): Promise<void> {
    const frame = this.isOpen ? undefined : this.compiled.frame;
    if (frame !== undefined) await this.begin(connection, frame);
    let rows: readonly unknown[];
    try {
      rows = await this.send(step, statement, connection);
    } catch (error) {
      if (error instanceof StatementError) error.place = this.placeText(step);
      throw error;
    }
    this.take(step, statement.name, rows, connection);
    if (step.orEnd && rows.length === 0) return this.end(connection);
    if (frame !== undefined) {
      this.isOpen = false;
      await this.commit(connection, "COMMIT");
    }
    if (!this.isOpen) this.saveState();
  }

  /** Ends the transaction as an empty poll and commits its earlier statements. */
  private async end(connection: Connection): Promise<void> {
    this.work = 0;
    this.position = this.compiled.operations.length;
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.commit(connection, "COMMIT");
  }

  /** Commits. If the transaction only read, the commit is never in doubt. */
  private commit(connection: Connection, text: string): Promise<void> {
    return this.transaction.isReadOnly
      ? connection.control("commit", text)
      : this.options.transactions.commit(connection, text);
  }

  private saveState(): void {
    const { position, assigned, work, foundNoRow } = this;
    this.committedState = { position, assigned, work, foundNoRow };
  }

  private evaluate(expression: Expression): Value {
    const { prng } = this.options;
    // Each position has a fixed stream, so that every attempt draws the same values.
    prng.reseed(deriveSeed(this.seed, this.position));
    return evaluate(expression, { valueOf: (name) => parseNumericText(this.valueOf(name)), prng });
  }

  /** Text of a variable's value as it is put into a statement: escaped, or as a part of '...'. */
  private textOf({ quoted: positions }: SqlStep, name: string, position: number): string {
    const value = this.valueOf(name);
    return positions?.includes(position) ? String(value).replaceAll("'", "''") : sqlLiteral(value);
  }

  private send(step: SqlStep, prepared: Statement, connection: Connection): Promise<readonly unknown[]> {
    const isSimple = this.options.isSimple || prepared.isText === true;
    const statement = isSimple ? this.substituteValues(step, prepared) : prepared;
    const values = isSimple ? [] : step.variables.map((name) => sqlValue(this.valueOf(name)));
    const answer: Promise<readonly unknown[]> = usesColumnNames(step)
      ? connection.executeNamed(statement, values)
      : connection.execute(statement, values);
    const commitsByItself = !this.isOpen && !this.transaction.isReadOnly;
    return commitsByItself ? this.options.transactions.asTransaction(answer) : answer;
  }

  /** The statement with the values of its variables in its text, for the simple protocol. */
  private substituteValues(step: SqlStep, { name }: Statement): Statement {
    const text = substituteVariables(step, (variable, position) => this.textOf(step, variable, position));
    return { name, text: addRowCounting(step, text), isText: true };
  }

  private take(step: SqlStep, name: string, rows: readonly unknown[], connection: Connection): void {
    if (connection.foundNoRow !== true) this.foundNoRow = false;
    if (this.compiled.countsRows && step.countsRows) this.work += rows.length;
    const problem = step.expect && rowCountProblem(step.expect, rows.length);
    if (problem !== undefined) throw new UnexpectedRowsError(`${name}: ${problem}`);
    const isEnd = step.orEnd === true && rows.length === 0;
    if (usesColumnNames(step) && !isEnd)
      this.bind(step, name, rows as readonly Readonly<Record<string, unknown>>[]);
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
        this.assign(`${columns.prefix}${column}`, valueOf(value));
    for (const { column, variable } of bindings) {
      const columnValue = typeof column === "number" ? Object.values(row)[column] : row[column];
      if (columnValue === undefined)
        throw new Error(`${this.placeText(step)}: ${name} has no column ${column}`);
      this.assign(variable, valueOf(columnValue));
    }
  }
}
