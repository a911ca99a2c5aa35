// A second attempt continues after the last commit and sends the same statements again.
import type { Connection, SqlSession, SqlValue, Statement } from "../../database/sql.js";
import { StatementError, UnexpectedRowsError } from "../../database/errors.js";
import { TrialError } from "../../foundation/errors.js";
import { deriveSeed, type Prng } from "../../foundation/prng.js";
import type { CompiledTransaction, Operation } from "./compile.js";
import { evaluate } from "./expression.js";
import {
  placeText,
  type Expression,
  type ScriptTransaction,
  type SqlStep,
  type SqlSyntax,
  type Value,
} from "./program.js";
import type { PauseFor, Run } from "./run.js";
import type { Transactions } from "./store.js";
import { addRowCounting, rowCountProblem } from "./statements.js";
import { substituteVariables } from "./sql-text.js";

/** A text constant that is valid in a dollar-quoted body and with either value of `standard_conforming_strings`. */
function quotedLiteral(value: string, syntax: SqlSyntax): string {
  const text = value.replaceAll("'", "''");
  if (syntax === "mysql") return `'${text.replaceAll("\\", "\\\\")}'`;
  if (!/[$\\]/.test(value)) return `'${text}'`;
  return ` E'${text.replaceAll("\\", "\\\\").replaceAll("$", "\\x24")}'`;
}

/** Value as SQL text, for the simple protocol, which has no parameters. */
export function sqlLiteral(value: Value, syntax?: SqlSyntax): string {
  if (value === null) return "NULL";
  if (typeof value === "string") return quotedLiteral(value, syntax);
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

/** A session that runs scripts. Sessions of MySQL hold no statements back. */
type ScriptSession = SqlSession & Partial<Pick<Connection, "hold" | "holdBegin" | "flush" | "dropHeld">>;

/** Number of rows that the last statement returned, or changed without returning them. */
function rowCountOf({ length }: readonly unknown[], session: ScriptSession): number {
  return length > 0 || session.foundNoRow !== false ? length : (session.affectedRows ?? 0);
}

/** True if the step uses columns of the result by their names. */
const usesColumnNames = ({ bindings, columns }: SqlStep): boolean =>
  bindings.length > 0 || columns !== undefined;

export interface ScriptRunOptions {
  /** File of the program, for places in messages. */
  readonly file: string;
  readonly prng: Prng;
  readonly isSimple: boolean;
  /** True if every transaction is a pipeline: `pipeline: true`. */
  readonly isPipelined: boolean;
  readonly transactions: Omit<Transactions, "begin">;
}

/** State of a transaction at its last commit, from which another attempt continues. */
interface CommittedState {
  readonly position: number;
  readonly assigned: Map<string, Value>;
  readonly work: number;
  readonly foundNoRow: boolean;
}

type SqlOperation = Extract<Operation, { readonly kind: "sql" }>;

/** One drawn transaction over all of its attempts. */
export class ScriptRun implements Run {
  private position = 0;
  private isOpen = false;
  /** True within a transaction that the script did not begin itself and that the next Sync of its pipeline commits. */
  private isOpenUntilSync = false;
  /** True if a held statement must return a certain number of rows, which is checked before the commit. */
  private isExpecting = false;
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

  get isPartlyCommitted(): boolean {
    return this.committedState.position > 0;
  }

  hasValue(variable: string): boolean {
    return this.assigned.has(variable) || this.drawnVariables.has(variable);
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

  async attempt(connection: ScriptSession, rest: PauseFor): Promise<true> {
    this.position = this.committedState.position;
    this.assigned = this.committedState.assigned;
    this.work = this.committedState.work;
    this.foundNoRow = this.committedState.foundNoRow;
    this.isOpen = this.isOpenUntilSync = this.isExpecting = false;
    const { operations } = this.compiled;
    try {
      while (this.position < operations.length) {
        const end = this.run(operations[this.position++] as Operation, connection, rest);
        if (end) await end;
      }
      return true;
    } catch (error) {
      if (error instanceof StatementError) this.addPlace(error);
      connection.dropHeld?.();
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
  private run(operation: Operation, connection: ScriptSession, rest: PauseFor): Promise<void> | undefined {
    switch (operation.kind) {
      case "begin":
        return this.begin(connection, operation.texts, operation.isPipelined);
      case "commit":
        return this.commitAndSaveState(connection, operation.text);
      case "rollback":
        return this.rollBackAndSaveState(connection, operation.text);
      case "sql":
        return this.runStatement(operation, connection);
      case "sleep":
        return this.pause(connection, () => rest(Number(this.evaluate(operation.forMs))));
      case "sync":
        return this.sync(connection);
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

  private begin(
    connection: ScriptSession,
    texts: readonly string[],
    isPipelined = this.options.isPipelined,
  ): Promise<void> | undefined {
    if (!isPipelined) return this.beginAlone(connection, texts.join("; "));
    // PostgreSQL, too, makes a pipeline's implicit transaction an explicit one by BEGIN.
    if (!this.isOpenUntilSync) connection.holdBegin?.(texts);
    this.isOpen = true;
    this.isOpenUntilSync = false;
    return undefined;
  }

  private async beginAlone(connection: ScriptSession, text: string): Promise<void> {
    await connection.control("begin", text);
    this.isOpen = true;
  }

  /** Pauses. The statements before the pause are sent first, so that the transaction holds their locks meanwhile. */
  private async pause(connection: ScriptSession, rest: () => Promise<void>): Promise<void> {
    await connection.flush?.();
    await rest();
  }

  /** Ends a part of a pipeline. Outside of BEGIN and COMMIT its statements are one transaction, which is now committed. */
  private async sync(connection: ScriptSession): Promise<void> {
    if (this.isOpenUntilSync) return this.commitAndSaveState(connection, "COMMIT");
    const isCommit = !this.isOpen && !this.transaction.isReadOnly;
    const answer = connection.flush?.() ?? Promise.resolve();
    await (isCommit ? this.options.transactions.asTransaction(answer) : answer);
    if (!this.isOpen) this.saveState();
  }

  private async commitAndSaveState(connection: ScriptSession, text: string): Promise<void> {
    if (this.isExpecting) await connection.flush?.();
    this.isOpen = this.isOpenUntilSync = this.isExpecting = false;
    await this.commit(connection, text);
    this.saveState();
  }

  private async rollBackAndSaveState(connection: ScriptSession, text: string): Promise<void> {
    await connection.flush?.();
    await connection.control("rollback", text);
    this.isOpen = this.isOpenUntilSync = false;
    this.saveState();
  }

  private runStatement(sent: SqlOperation, connection: ScriptSession): Promise<void> | undefined {
    const { isPipelined = this.options.isPipelined, canWait } = sent;
    const frame = this.isOpen ? undefined : this.compiled.frame;
    const isHeld =
      isPipelined && canWait && (this.isOpen || frame !== undefined || sent.isPipelined === true);
    if (!isHeld) return this.runAwaited(sent, connection, frame);
    if (frame !== undefined) {
      connection.holdBegin?.(frame);
      this.isOpen = this.isOpenUntilSync = true;
    }
    const { step, statement } = sent;
    if (step.expect) this.isExpecting = true;
    const first = connection.hold?.(statement, this.valuesFor(step), (rows) =>
      this.take(step, statement.name, rows, connection),
    );
    const isFrameOver = frame !== undefined && sent.isPipelined !== true;
    if (!isFrameOver) return first;
    return (first ?? Promise.resolve()).then(() => this.commitAndSaveState(connection, "COMMIT"));
  }

  private async runAwaited(
    { step, statement }: SqlOperation,
    connection: ScriptSession,
    frame: readonly string[] | undefined,
  ): Promise<void> {
    if (frame !== undefined) await this.begin(connection, frame);
    const rows = await this.send(step, statement, connection);
    this.take(step, statement.name, rows, connection);
    if (step.orEnd && rowCountOf(rows, connection) === 0) return this.end(connection);
    if (frame !== undefined) {
      this.isOpen = false;
      await this.commit(connection, "COMMIT");
    }
    if (!this.isOpen) this.saveState();
  }

  /** Ends the transaction as an empty poll and commits its earlier statements. */
  private async end(connection: ScriptSession): Promise<void> {
    this.work = 0;
    this.position = this.compiled.operations.length;
    if (!this.isOpen) return;
    this.isOpen = this.isOpenUntilSync = false;
    await this.commit(connection, "COMMIT");
  }

  /** Commits. If the transaction only read, the commit is never in doubt. */
  private commit(connection: ScriptSession, text: string): Promise<void> {
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
  private textOf({ quoted: positions, syntax }: SqlStep, name: string, position: number): string {
    const value = this.valueOf(name);
    return positions?.includes(position) ? String(value).replaceAll("'", "''") : sqlLiteral(value, syntax);
  }

  private valuesFor(step: SqlStep): SqlValue[] {
    return step.variables.map((name) => sqlValue(this.valueOf(name)));
  }

  private send(step: SqlStep, prepared: Statement, connection: ScriptSession): Promise<readonly unknown[]> {
    const isSimple = this.options.isSimple || prepared.isText === true;
    const statement = isSimple ? this.substituteValues(step, prepared) : prepared;
    const values = isSimple ? [] : this.valuesFor(step);
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

  private take(step: SqlStep, name: string, rows: readonly unknown[], connection: ScriptSession): void {
    if (connection.foundNoRow !== true) this.foundNoRow = false;
    const count = rowCountOf(rows, connection);
    if (this.compiled.countsRows && step.countsRows) this.work += count;
    const problem = step.expect && rowCountProblem(step.expect, count);
    if (problem !== undefined) throw new UnexpectedRowsError(`${name}: ${problem}`);
    const isEnd = step.orEnd === true && count === 0;
    if (usesColumnNames(step) && !isEnd)
      this.bind(step, name, rows as readonly Readonly<Record<string, unknown>>[]);
  }

  /** Adds the place of the statement that failed, if it is a statement of the script. */
  private addPlace(error: StatementError): void {
    for (const operation of this.compiled.operations)
      if (operation.kind === "sql" && operation.statement.name === error.statement)
        error.place = this.placeText(operation.step);
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
        throw new TrialError(
          `${this.placeText(step)}: the result of ${name} has no column ${column}`,
          `Name one of its columns: ${Object.keys(row).join(", ") || "it has none"}.`,
        );
      this.assign(variable, valueOf(columnValue));
    }
  }
}
