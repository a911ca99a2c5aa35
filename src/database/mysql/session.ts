import type { Socket } from "node:net";
import type { Connection as DriverConnection, QueryError, QueryOptions } from "mysql2";
import { monotonicMs, systemClock } from "../../foundation/clock.js";
import type { LoadSession, SessionOptions } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { StatementError } from "../errors.js";
import type { CallObserver } from "../session.js";
import type { SqlRow, SqlSession, SqlValue, Statement, StatementRow } from "../sql.js";
import { connectFailure } from "./connect-failure.js";
import { connectionOptions, openSocket } from "./connection-options.js";
import { loadDriver } from "./driver.js";
import { classifyFailure, failureCodeOf } from "./error-codes.js";

/** Answer to a statement that returns no rows. */
interface ChangeCount {
  readonly affectedRows: number;
  readonly insertId: number;
}

type Result = readonly unknown[] | ChangeCount;

interface Answer {
  readonly results: unknown;
  /** True if `results` is an array of results: the message had several statements, or called a procedure. */
  readonly hasSeveral: boolean;
}

/** Milliseconds that an orderly close may take before the socket is cut. */
const CLOSE_TIMEOUT_MS = 1_000;

const PING_STATEMENT: Statement = { name: "ping", text: "SELECT 1", isText: true };
const NO_ROWS: readonly never[] = [];

/**
 * A session of the driver, made safe for a whole trial: no socket error reaches the process. Integers that a JavaScript
 * number cannot hold, decimals, times and JSON are text, as the server sends them.
 */
export class MySqlSession implements SqlSession, LoadSession {
  readonly endpoint: Endpoint;
  private driver: DriverConnection | undefined;
  private socket: Socket | undefined;
  private observer: CallObserver | undefined;
  private state: "new" | "connecting" | "open" | "broken" = "new";
  private closingDone: Promise<void> | undefined;
  private isInTransaction = false;
  lossError: Error | undefined;
  abortedBy: StatementError | undefined;
  foundNoRow = false;
  /** Number of rows that the last statement without result rows found to change, changed or not. */
  affectedRows = 0;
  /** Last value of AUTO_INCREMENT or of LAST_INSERT_ID(...) in the last statement without result rows. */
  insertId = 0;

  constructor(private readonly options: SessionOptions) {
    this.endpoint = options.endpoint;
  }

  get isBroken(): boolean {
    return this.state === "broken";
  }

  /** Number of the session at the server. */
  get processId(): number | undefined {
    return this.driver?.threadId;
  }

  async connect(): Promise<this> {
    this.state = "connecting";
    try {
      await this.open();
      this.options.report?.("connected");
      return this;
    } catch (error) {
      this.state = "broken";
      this.socket?.destroy();
      const failure = connectFailure(this.endpoint, error);
      if (!this.closingDone) this.options.report?.("refused", failure);
      throw failure;
    }
  }

  private async open(): Promise<void> {
    const { createConnection } = loadDriver();
    const socket = (this.socket = openSocket(this.endpoint));
    const driver = createConnection(await connectionOptions(this.options, socket));
    this.driver = driver;
    // Without a listener, an 'error' event would end the process. The statement under way gets the error as well.
    driver.on("error", (error: Error) => {
      this.lossError ??= error;
      this.markBroken();
    });
    await new Promise<void>((resolve, reject) => {
      driver.connect((error: QueryError | null) => (error ? reject(error) : resolve()));
    });
    this.state = "open";
  }

  observe(observer: CallObserver | undefined): void {
    this.observer = observer;
  }

  async ping(): Promise<void> {
    await this.execute(PING_STATEMENT, []);
  }

  async execute(statement: Statement, values: readonly SqlValue[]): Promise<StatementRow[]> {
    return (await this.run(statement, values, true)) as StatementRow[];
  }

  async executeNamed(statement: Statement, values: readonly SqlValue[]): Promise<SqlRow[]> {
    return (await this.run(statement, values, false)) as SqlRow[];
  }

  /** Runs one statement; several, if it is text, of which the last one's rows are the result. */
  private async run(
    { name, text, isText }: Statement,
    values: readonly SqlValue[],
    rowsAsArray: boolean,
  ): Promise<readonly unknown[]> {
    if (this.abortedBy) throw this.abortedBy;
    const options = { sql: text, values: values as unknown[], rowsAsArray };
    const isPrepared = this.options.prepared && isText !== true;
    return this.takeRows(await this.ask(name, options, isPrepared));
  }

  /** Yields the rows of a query. The server waits while the reader does, so that a large table fits into memory. */
  async *rows(text: string): AsyncGenerator<SqlRow> {
    const { driver } = this;
    try {
      if (!driver || this.isBroken) throw connectionLostError("the connection was lost");
      for await (const row of driver.query(text).stream()) yield row as SqlRow;
    } catch (error) {
      throw this.failure("rows", error as Error);
    }
  }

  /** Rows of the last result; several statements in one message found no row if none of them found a row. */
  private takeRows({ results, hasSeveral }: Answer): readonly unknown[] {
    const all = hasSeveral ? (results as readonly Result[]) : [results as Result];
    let rows: readonly unknown[] = NO_ROWS;
    this.foundNoRow = true;
    for (const result of all) {
      if ("affectedRows" in result) ({ affectedRows: this.affectedRows, insertId: this.insertId } = result);
      else rows = result;
      if (("affectedRows" in result ? result.affectedRows : result.length) > 0) this.foundNoRow = false;
    }
    return rows;
  }

  /**
   * Runs transaction control, which may be several statements in one message. A transaction that the server has rolled
   * back is not committed: the commit then rejects with the failure that ended it.
   */
  async control(name: "begin" | "commit" | "rollback", text: string): Promise<void> {
    const { abortedBy } = this;
    this.abortedBy = undefined;
    if (name === "commit" && abortedBy) {
      await this.leaveTransaction();
      throw abortedBy;
    }
    this.isInTransaction = name === "begin";
    try {
      await this.ask(name, { sql: text }, false);
    } catch (error) {
      if (!this.isBroken) await this.leaveTransaction();
      throw error;
    }
  }

  /** Rolls back after a failed BEGIN, COMMIT or ROLLBACK, so that the session's next transaction starts clean. */
  private async leaveTransaction(): Promise<void> {
    this.isInTransaction = false;
    this.abortedBy = undefined;
    await this.ask("rollback", { sql: "ROLLBACK" }, false).catch(() => this.end());
  }

  private ask(name: string, options: QueryOptions, isPrepared: boolean): Promise<Answer> {
    const { driver, observer } = this;
    if (!driver || this.isBroken)
      return Promise.reject(
        this.failure(name, this.lossError ?? connectionLostError("the connection was lost")),
      );
    const startMs = monotonicMs();
    return new Promise((resolve, reject) => {
      const settle = (error: QueryError | null, results?: unknown, fields?: readonly unknown[]): void => {
        observer?.onCall(name, startMs, monotonicMs());
        if (error) {
          reject(this.failure(name, error));
          return;
        }
        if (!this.isInTransaction) this.options.onTransaction?.();
        // The driver gives a list of columns for each of several results, and none for a count.
        const hasSeveral = fields?.some((field) => field === undefined || Array.isArray(field)) ?? false;
        resolve({ results, hasSeveral });
      };
      // A statement that the driver cannot send, such as one with a value that is undefined, makes it throw.
      try {
        if (isPrepared) driver.execute(options, settle);
        else driver.query(options, settle);
      } catch (error) {
        settle(error as QueryError);
      }
    });
  }

  private failure(name: string, error: Error): StatementError {
    // The driver says only "closed state" of a session that ended during an app delay; `lossError` has the cause.
    const cause = failureCodeOf(error) === undefined ? (this.lossError ?? error) : error;
    const { kind, sqlstate } = classifyFailure(cause);
    const failure = new StatementError(name, cause, sqlstate);
    if (kind === "reconnect") {
      this.lossError ??= cause;
      this.markBroken();
    } else if (!this.isInTransaction) this.options.onTransaction?.();
    else if (kind === "retry") this.abortedBy = failure;
    return failure;
  }

  /** Closes the connection within a second, even during a call. Never rejects; may be called twice. */
  end(): Promise<void> {
    this.closingDone ??= this.close();
    return this.closingDone;
  }

  private async close(): Promise<void> {
    const { driver, socket, state } = this;
    this.state = "broken";
    if (!socket || socket.destroyed) return;
    if (driver && state === "open") {
      const closed = new AbortController();
      socket.once("close", () => closed.abort());
      driver.end();
      await systemClock.sleep(CLOSE_TIMEOUT_MS, closed.signal);
    }
    // The call under way, or the login, rejects with the error.
    socket.destroy(connectionLostError("the connection was closed"));
  }

  private markBroken(): void {
    const wasOpen = this.state === "open";
    this.state = "broken";
    if (!wasOpen) return;
    this.options.onTransaction?.();
    this.options.report?.("lost", this.lossError);
  }
}

function connectionLostError(message: string): Error {
  return Object.assign(new Error(message), { code: "PROTOCOL_CONNECTION_LOST" });
}
