import { PipelineCall, unnamedCall, type PipelinedAnswer, type PipelinedCall } from "./pipeline-call.js";

export interface PipelineSession {
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
export function controlCall(name: "begin" | "commit" | "rollback", text: string): PipelinedCall {
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

  get hasBegin(): boolean {
    return this.calls.some(({ name }) => name === "begin");
  }

  /** False while calls of a pipeline other than the last one are unanswered. */
  get isAtLastCall(): boolean {
    return this.underWay?.isAtLastCall ?? true;
  }

  add(call: PipelinedCall): void {
    this.calls.push(call);
  }

  drop(): void {
    this.calls = [];
  }

  async flush(): Promise<void> {
    const last = this.calls.pop();
    if (last) await this.send(last);
  }

  /** Sends the held calls and `last`; resolves to the answer to `last`. */
  send(last: PipelinedCall): Promise<PipelinedAnswer> {
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
