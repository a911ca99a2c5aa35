// The driver's client, made safe for a whole trial: no socket error reaches the process.
import pg from "pg";
import { monotonicMs, systemClock } from "../../foundation/clock.js";
import { codeOf } from "../../foundation/errors.js";
import type { LoadSession, SessionOptions } from "../contract.js";
import type { Endpoint } from "../endpoint.js";
import { bindMessageOf, valuesOf } from "./wire/bind-message.js";
import { connectFailure, READ_ONLY_SQLSTATE } from "./connect-failure.js";
import { ControlCall } from "./wire/control-call.js";
import { CopyCall } from "./wire/copy-call.js";
import { DescribeCall } from "./wire/describe-call.js";
import type { DirectCall } from "./wire/direct-call.js";
import { StatementError } from "../errors.js";
import { pgConfig } from "./pg-config.js";
import { HeldCalls } from "./wire/held-calls.js";
import { PlainSocket } from "./wire/plain-socket.js";
import { PreparedCall } from "./wire/prepared-call.js";
import { RowReader } from "./wire/row-reader.js";
import { forgetPassword } from "../password-command.js";
import { classifyFailure, isExpiredToken } from "./sqlstates.js";
import type { CallObserver } from "../session.js";
import type { Connection, SqlRow, SqlValue, Statement, StatementRow, StatementValues } from "../sql.js";

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

interface ReadyForQuery {
  readonly status: string;
}

const IDLE_STATUS = "I";
/** Transaction status of a session whose transaction has failed: the server accepts only the end of the transaction. */
const ABORTED_STATUS = "E";
const FAILED_TRANSACTION_SQLSTATE = "25P02";

/**
 * Parameters by which a server from PostgreSQL 14 on reports at log-in that it takes no writes; libpq reads them for
 * `target_session_attrs`.
 */
const READ_ONLY_SETTINGS: ReadonlySet<string> = new Set(["in_hot_standby", "default_transaction_read_only"]);

/** First characters of a warning's SQLSTATE, which do not depend on the server's language. */
const WARNING_SQLSTATE_CLASS = "01";

const PING_STATEMENT: Statement = { name: "ping", text: "SELECT 1" };

/** Milliseconds that an orderly close may take before the socket is cut. */
const CLOSE_TIMEOUT_MS = 1_000;

export class PgConnection extends pg.Client implements Connection, LoadSession {
  readonly endpoint: Endpoint;
  private readonly applicationName: string;
  private readonly prepared: boolean;
  private readonly report: SessionOptions["report"];
  private readonly onTransaction: SessionOptions["onTransaction"];
  private observer: CallObserver | undefined;
  /** Statements that this session has run, each with the reader of its rows; with `prepared`, they are prepared by name. */
  private readonly rowReaders = new Map<Statement, RowReader>();
  private readonly heldCalls = new HeldCalls({
    isPrepared: (statement) => this.isPrepared(statement),
    readerOf: (statement) => this.rowReaders.get(statement),
    describe: (statement) => this.describe(statement),
    query: (call) => this.query(call),
    startCall: (name) => this.startCall(name),
    onAnswer: (command) => void (this.foundNoRow = command.endsWith(" 0")),
    isOfServer: (error) => error === this.refusal,
    failure: (name, cause) => this.failure(name, cause),
  });
  private state: "new" | "connecting" | "open" | "broken" = "new";
  private closingDone: Promise<void> | undefined;
  lossError: Error | undefined;
  warnedCommits = 0;
  foundNoRow = false;
  private isCommitUnderWay = false;
  abortedBy: StatementError | undefined;
  private refusal: Error | undefined;
  /** Names in `READ_ONLY_SETTINGS` whose parameters were on at log-in: the server is a standby, or takes no writes by default. */
  private readonly readOnly = new Set<string>();

  constructor(options: SessionOptions) {
    super(pgConfig(options.endpoint, options.applicationName, options.connectTimeoutMs));
    this.endpoint = options.endpoint;
    this.applicationName = options.applicationName;
    this.prepared = options.prepared;
    this.report = options.report;
    this.onTransaction = options.onTransaction;
    // Without a listener, an 'error' event would end the process. The statement under way gets the error as well.
    this.on("error", (error) => {
      this.lossError ??= error;
      this.markBroken();
    });
    this.on("end", () => this.markBroken());
    this.on("notice", ({ code }) => {
      const isAboutCommit = this.isCommitUnderWay && this.heldCalls.isAtLastCall;
      if (isAboutCommit && code?.startsWith(WARNING_SQLSTATE_CLASS)) this.warnedCommits++;
    });
  }

  get isBroken(): boolean {
    return this.state === "broken";
  }

  /** Parameters of the start-up message, only such as PgBouncer accepts: so PGOPTIONS of the environment has no effect. */
  getStartupConf(): Record<string, string> {
    const { user, database, searchPath } = this.endpoint;
    return {
      user,
      database,
      application_name: this.applicationName,
      ...(searchPath !== undefined && { search_path: searchPath }),
    };
  }

  /**
   * Opens the session. Rejects with a TargetError that names the place, the observation and the way out; its cause is the
   * driver's error.
   */
  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error) => (error ? reject(error) : resolve(this)));
      });
    }
    this.state = "connecting";
    this.connection.on(
      "parameterStatus",
      ({ parameterName: name, parameterValue: value }: ParameterStatus) => {
        if (READ_ONLY_SETTINGS.has(name) && value === "on") this.readOnly.add(name);
      },
    );
    // The first readyForQuery ends the log-in and is no transaction: the state is not open yet.
    this.connection.on("readyForQuery", ({ status }: ReadyForQuery) => {
      if (status === IDLE_STATUS && this.state === "open") this.onTransaction?.();
      if (status !== ABORTED_STATUS) this.refusal = this.abortedBy = undefined;
    });
    this.connection.on("errorMessage", (error: Error) => {
      this.refusal ??= error;
    });
    super.connect((outcome: Error | null) => {
      const error = outcome ?? (this.isRefusedAsReadOnly() ? readOnlyServerError() : null);
      const failure = error && connectFailure(this.endpoint, error);
      const { passwordCommand } = this.endpoint;
      if (passwordCommand && isExpiredToken(error)) forgetPassword(passwordCommand);
      // After a refused login, the socket could stay open until the server's own time-out.
      if (error) this.cut(error);
      else this.state = "open";
      if (!failure) this.report?.("connected");
      else if (!this.closingDone) this.report?.("refused", failure);
      callback(failure);
    });
    return undefined;
  }

  private isRefusedAsReadOnly(): boolean {
    return this.endpoint.takesWrites === true && this.readOnly.size > 0;
  }

  observe(observer: CallObserver | undefined): void {
    this.observer = observer;
  }

  async ping(): Promise<void> {
    await this.execute(PING_STATEMENT, []);
  }

  execute(statement: Statement, values: StatementValues): Promise<StatementRow[]> {
    if (!this.heldCalls.isEmpty)
      return statement.isText === true
        ? this.flush().then(() => this.executeAlone(statement, values))
        : this.heldCalls.execute(statement, values);
    const reader = this.rowReaders.get(statement);
    return reader && this.isPrepared(statement)
      ? this.callPrepared(statement, values, reader)
      : this.executeAlone(statement, values);
  }

  hold(...call: Parameters<HeldCalls["hold"]>): Promise<void> | undefined {
    return this.heldCalls.hold(...call);
  }

  holdBegin(texts: readonly string[]): void {
    this.heldCalls.holdBegin(texts);
  }

  flush(): Promise<void> {
    return this.heldCalls.flush();
  }

  dropHeld(): void {
    this.heldCalls.drop();
  }

  private async describe(statement: Statement): Promise<RowReader> {
    const { name, text } = statement;
    const preparedName = this.isPrepared(statement) ? name : "";
    const fields = await this.ask<readonly pg.FieldDef[]>(
      name,
      monotonicMs(),
      (settle) => new DescribeCall(preparedName, text, settle),
    );
    const reader = new RowReader(fields);
    this.rowReaders.set(statement, reader);
    return reader;
  }

  /**
   * Arrival of the last answer in monotonic milliseconds, so that later work of the driver does not count as part of the
   * call.
   */
  private lastAnswerMs(): number {
    const { stream } = this.connection;
    return stream instanceof PlainSocket ? stream.arrivedMs : monotonicMs();
  }

  async executeNamed(statement: Statement, values: readonly SqlValue[]): Promise<SqlRow[]> {
    if (statement.isText === true) {
      await this.flush();
      const { name, text } = statement;
      return this.takeLastResult(await this.timeCall(name, () => this.query<SqlRow>(text))).rows;
    }
    const rows = await this.execute(statement, values);
    const reader = this.rowReaders.get(statement) as RowReader;
    return rows.map((row) => reader.named(row));
  }

  /** Executes a statement by the driver, which describes its rows. */
  private async executeAlone(statement: Statement, values: StatementValues): Promise<StatementRow[]> {
    const { name, text } = statement;
    const query = { text, values: valuesOf(values), rowMode: "array" } as const;
    const isPrepared = this.isPrepared(statement);
    const answer = await this.timeCall(name, () =>
      this.query<unknown[]>(isPrepared ? { name, ...query } : query),
    );
    const { rows, fields } = this.takeLastResult(answer);
    if (statement.isText !== true) this.rowReaders.set(statement, new RowReader(fields));
    return rows;
  }

  /**
   * The last result of an answer, after setting `foundNoRow`: several statements in one message found no row if none of
   * them found a row.
   */
  private takeLastResult<T extends { readonly rowCount: number | null }>(answer: T | readonly T[]): T {
    const results: readonly T[] = Array.isArray(answer) ? answer : [answer as T];
    this.foundNoRow = results.every(({ rowCount }) => rowCount === 0);
    return results.at(-1) as T;
  }

  private isPrepared({ isText }: Statement): boolean {
    return this.prepared && isText !== true;
  }

  private startCall(name: string): (error: Error | undefined) => void {
    const { observer } = this;
    const startMs = monotonicMs();
    return (error) => observer?.onCall(name, startMs, error ? monotonicMs() : this.lastAnswerMs());
  }

  private async timeCall<T>(name: string, call: () => Promise<T>): Promise<T> {
    const end = this.startCall(name);
    try {
      const result = await call();
      end(undefined);
      return result;
    } catch (error) {
      end(error as Error);
      throw this.failure(name, error);
    }
  }

  private callPrepared(
    statement: Statement,
    values: StatementValues,
    reader: RowReader,
  ): Promise<StatementRow[]> {
    const { name } = statement;
    const startMs = monotonicMs();
    const message = bindMessageOf(statement, values);
    return this.ask(name, startMs, (settle) => new PreparedCall(name, message, reader, settle));
  }

  async copyIn({ name, text }: Statement, rows: { readonly messages: readonly Buffer[] }): Promise<number> {
    if (!this.heldCalls.isEmpty) await this.flush();
    return this.ask(name, monotonicMs(), (settle) => new CopyCall(text, rows, settle));
  }

  control(name: "begin" | "commit" | "rollback", text: string): Promise<void> {
    const { abortedBy } = this;
    this.isCommitUnderWay = name === "commit";
    return this.askControl(name, text).then(
      (command) => {
        this.isCommitUnderWay = false;
        // After a failed statement the server answers COMMIT with ROLLBACK, without an error.
        if (name === "commit" && command === "ROLLBACK")
          throw abortedBy ?? this.failure(name, unexpectedRollbackError());
      },
      async (error: unknown) => {
        this.isCommitUnderWay = false;
        await this.leaveTransaction();
        throw error;
      },
    );
  }

  /** Rolls back after a failed BEGIN, COMMIT or ROLLBACK, so that the session's next transaction starts clean. */
  private async leaveTransaction(): Promise<void> {
    if (this.isBroken || !this.abortedBy) return;
    await this.askControl("rollback", "ROLLBACK").catch(() => this.end());
  }

  private askControl(name: "begin" | "commit" | "rollback", text: string): Promise<string> {
    // A rollback undoes what is held: it need not be sent.
    if (name === "rollback") this.heldCalls.drop();
    if (!this.heldCalls.isEmpty) return this.heldCalls.control(name, text);
    return this.ask(name, monotonicMs(), (settle) => new ControlCall(text, settle));
  }

  private ask<T>(
    name: string,
    startMs: number,
    makeCall: (settle: (error: Error | undefined, result: T) => void) => DirectCall<T>,
  ): Promise<T> {
    const { observer } = this;
    return new Promise((resolve, reject) => {
      const call = makeCall((error, result) => {
        observer?.onCall(name, startMs, error ? monotonicMs() : this.lastAnswerMs());
        this.foundNoRow = call.foundNoRow;
        if (error) reject(this.failure(name, error));
        else resolve(result);
      });
      this.query(call);
    });
  }

  /** Closes the connection within a second, even during a call. Never rejects; may be called twice. */
  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    this.closingDone ??= this.close();
    if (!callback) return this.closingDone;
    void this.closingDone.then(callback);
    return undefined;
  }

  private async close(): Promise<void> {
    if (this.state === "new") return;
    // The driver would wait for a login that may never come, and `connect` would never settle.
    if (this.state === "connecting") {
      this.cut(new Error("Connection closed while it was being opened"));
      return;
    }
    this.state = "broken";
    const settled = new AbortController();
    const orderlyEnd = super.end().finally(() => settled.abort());
    await Promise.race([orderlyEnd, systemClock.sleep(CLOSE_TIMEOUT_MS, settled.signal)]);
    if (!settled.signal.aborted) this.connection.stream.destroy();
  }

  /** Destroys the socket; a pending `connect` rejects with `reason`. */
  private cut(reason: Error): void {
    this.state = "broken";
    this.connection.stream.destroy(reason);
  }

  private markBroken(): void {
    const wasOpen = this.state === "open";
    this.state = "broken";
    if (!wasOpen) return;
    this.onTransaction?.();
    this.report?.("lost", this.lossError);
  }

  private failure(name: string, error: unknown): StatementError {
    // The driver reports only "not queryable" for a session that ended during an app delay; `lossError` has the cause.
    const cause = codeOf(error) === undefined ? (this.lossError ?? error) : error;
    const { kind, sqlstate } = classifyFailure(cause);
    // The server closes the connection after such an error, but the end of the socket arrives a moment later.
    if (kind === "reconnect") this.markBroken();
    if (sqlstate === FAILED_TRANSACTION_SQLSTATE && this.abortedBy) return this.abortedBy;
    const failure = new StatementError(name, cause, sqlstate);
    if (cause === this.refusal) this.abortedBy = failure;
    return failure;
  }
}

function readOnlyServerError(): Error {
  return Object.assign(new Error("the server takes no writes: it is a standby, or read-only"), {
    code: READ_ONLY_SQLSTATE,
  });
}

function unexpectedRollbackError(): Error {
  const message = "the server rolled back instead of committing";
  return Object.assign(new Error(message), { code: FAILED_TRANSACTION_SQLSTATE });
}
