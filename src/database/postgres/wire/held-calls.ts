// Calls that a session holds back. It parses new statements ahead, and sends all in one message.
import type { Statement, StatementRow, StatementValues } from "../../sql.js";
import { bindMessageOf, valuesOf } from "./bind-message.js";
import {
  PipelineCall,
  unnamedCall,
  withoutSync,
  type PipelinedAnswer,
  type PipelinedCall,
} from "./pipeline-call.js";
import type { RowReader } from "./row-reader.js";

export interface PipelineSession {
  /** True if the session runs the statement under its name. */
  isPrepared(statement: Statement): boolean;
  /** Reader of the statement's rows; undefined if the session has not parsed the statement. */
  readerOf(statement: Statement): RowReader | undefined;
  /** Parses the statement without running it; resolves to the reader of its rows. */
  describe(statement: Statement): Promise<RowReader>;
  /** Submits the pipeline to the driver. */
  query(call: PipelineCall): unknown;
  /** Starts the time of a call; returns a function that ends it. */
  startCall(name: string): (error: Error | undefined) => void;
  /** Called with the command tag of each answer, before its rows are read. */
  onAnswer(command: string): void;
  /** True if the server sent the error, rather than a lost connection caused it. */
  isOfServer(error: Error): boolean;
  /** The error of the named call, with its cause. */
  failure(name: string, cause: Error): Error;
}

/** A call of a statement without parameters, such as BEGIN. */
function controlCall(name: "begin" | "commit" | "rollback", text: string): PipelinedCall {
  return { name, message: unnamedCall(text, []) };
}

/** The calls that a session holds back, to send them in one message with the next call. */
export class HeldCalls {
  private calls: PipelinedCall[] = [];
  private underWay: PipelineCall | undefined;

  constructor(private readonly session: PipelineSession) {}

  get isEmpty(): boolean {
    return this.calls.length === 0;
  }

  /** False while calls of a pipeline other than the last one are unanswered. */
  get isAtLastCall(): boolean {
    return this.underWay?.isAtLastCall ?? true;
  }

  /** See `Connection.hold`. */
  hold(
    statement: Statement,
    values: StatementValues,
    onRows?: (rows: readonly StatementRow[]) => void,
  ): Promise<void> | undefined {
    const add = (reader: RowReader): void => {
      this.calls.push({ ...this.callOf(statement, values, reader), ...(onRows && { onRows }) });
    };
    const reader = this.session.readerOf(statement);
    if (!reader) return this.describe(statement).then(add);
    add(reader);
    return undefined;
  }

  holdBegin(texts: readonly string[]): void {
    for (const text of texts) this.calls.push(controlCall("begin", text));
  }

  /** Sends the held calls and the statement; resolves to its rows. */
  async execute(statement: Statement, values: StatementValues): Promise<StatementRow[]> {
    const reader = this.session.readerOf(statement) ?? (await this.describe(statement));
    const { rows } = await this.send(this.callOf(statement, values, reader));
    return rows;
  }

  /** Sends the held calls and a word of transaction control; resolves to the command that the server executed. */
  async control(name: "begin" | "commit" | "rollback", text: string): Promise<string> {
    const { command } = await this.send(controlCall(name, text));
    return command;
  }

  private async describe(statement: Statement): Promise<RowReader> {
    // A held BEGIN may come with the search path by which the statement finds its tables.
    if (this.calls.some(({ name }) => name === "begin")) await this.flush();
    return this.session.describe(statement);
  }

  private callOf(statement: Statement, values: StatementValues, reader: RowReader): PipelinedCall {
    const { name, text } = statement;
    const message = this.session.isPrepared(statement)
      ? withoutSync(bindMessageOf(statement, values))
      : unnamedCall(text, valuesOf(values));
    return { name, message, reader };
  }

  drop(): void {
    this.calls = [];
  }

  async flush(): Promise<void> {
    const last = this.calls.pop();
    if (last) await this.send(last);
  }

  /** Sends the held calls and `last`; resolves to the answer to `last`. */
  private send(last: PipelinedCall): Promise<PipelinedAnswer> {
    const calls = [...this.calls, last];
    this.calls = [];
    const { session } = this;
    const end = session.startCall(calls.length === 1 ? last.name : `pipeline to ${last.name}`);
    return new Promise((resolve, reject) => {
      this.underWay = new PipelineCall(calls, (error, answers) => {
        this.underWay = undefined;
        end(error);
        // An error of the server is the next call's. If the connection was lost, the last call may have been executed.
        const failed = error && session.isOfServer(error) ? calls[answers.length] : last;
        let failure = error && session.failure((failed ?? last).name, error);
        try {
          for (const [i, { rows, command }] of answers.entries()) {
            session.onAnswer(command);
            calls[i]?.onRows?.(rows);
          }
        } catch (refusal) {
          failure = refusal as Error;
        }
        if (failure) reject(failure);
        else resolve(answers.at(-1) as PipelinedAnswer);
      });
      session.query(this.underWay);
    });
  }
}
