// Several calls as one message, which one Sync ends. The server answers them in order; behind an error it skips the rest.
import type { StatementRow } from "../../sql.js";
import { bindAndExecuteMessages, parseMessage, SYNC_MESSAGE } from "./bind-message.js";
import {
  BIND_COMPLETE,
  COMMAND_COMPLETE,
  DirectCall,
  LENGTH_BYTES,
  READY_FOR_QUERY,
  WHOLE_ANSWER_BYTES_MAX,
} from "./direct-call.js";
import { DATA_ROW, type RowReader } from "./row-reader.js";

const PARSE_COMPLETE = 0x31;
const ANSWER_KINDS: ReadonlySet<number> = new Set([
  PARSE_COMPLETE,
  BIND_COMPLETE,
  DATA_ROW,
  COMMAND_COMPLETE,
]);

export interface PipelinedCall {
  /** Name of the statement, or begin, commit, rollback. */
  readonly name: string;
  /** Messages of the call, up to and without Sync. */
  readonly message: Buffer;
  /** Reader of the rows; undefined if the statement returns none. */
  readonly reader?: RowReader;
  readonly onRows?: (rows: readonly StatementRow[]) => void;
}

/** Answer to one call of a pipeline. */
export interface PipelinedAnswer {
  readonly rows: StatementRow[];
  /** Command tag, such as `UPDATE 1` or `COMMIT`. */
  readonly command: string;
}

/** Bind, Execute and Sync without the Sync. */
export function withoutSync(messages: Buffer): Buffer {
  return messages.subarray(0, messages.length - SYNC_MESSAGE.length);
}

/** Messages that parse and run an unnamed statement, without Sync. */
export function unnamedCall(text: string, values: Parameters<typeof bindAndExecuteMessages>[1]): Buffer {
  return Buffer.concat([parseMessage("", text), withoutSync(bindAndExecuteMessages("", values))]);
}

/** Offset of the message behind the one at `at`; beyond the end if that is not complete. */
function nextMessageAt(bytes: Buffer, at: number): number {
  return at + 1 + LENGTH_BYTES > bytes.length
    ? Infinity
    : at + 1 + Math.max(LENGTH_BYTES, bytes.readInt32BE(at + 1));
}

export class PipelineCall extends DirectCall<PipelinedAnswer[]> {
  protected readonly result: PipelinedAnswer[] = [];
  private rows: StatementRow[] = [];

  constructor(
    private readonly calls: readonly PipelinedCall[],
    settle: (error: Error | undefined, answers: PipelinedAnswer[]) => void,
  ) {
    super(undefined, Buffer.concat([...calls.map(({ message }) => message), SYNC_MESSAGE]), settle);
  }

  /** True if every call but the last one is answered. */
  get isAtLastCall(): boolean {
    return this.result.length === this.calls.length - 1;
  }

  /** True while the answer consists of answers to calls without an end: it holds no error, no notice, no ReadyForQuery. */
  override goesOn(arrived: Buffer): boolean {
    if (arrived.length > WHOLE_ANSWER_BYTES_MAX) return false;
    let at = 0;
    while (at < arrived.length && ANSWER_KINDS.has(arrived[at] as number)) at = nextMessageAt(arrived, at);
    return at >= arrived.length;
  }

  /** Takes an answer that is whole and without error or notice; leaves any other to the driver. */
  override take(arrived: Buffer): number {
    const lastAt = this.lastCommandAt(arrived);
    if (lastAt === undefined) return 0;
    for (let at = 0; at < arrived.length && arrived[at] !== READY_FOR_QUERY;) {
      if (arrived[at] === DATA_ROW) at = this.reader.take(arrived, at, this.rows);
      else {
        const next = nextMessageAt(arrived, at);
        if (arrived[at] === COMMAND_COMPLETE)
          this.handleCommandComplete({ text: arrived.toString("latin1", at + 1 + LENGTH_BYTES, next - 1) });
        at = next;
      }
    }
    return this.reportReady(arrived, lastAt) ? arrived.length : 0;
  }

  /** Offset of the last CommandComplete, if the bytes are answers to all calls and the end; otherwise undefined. */
  private lastCommandAt(arrived: Buffer): number | undefined {
    let lastAt: number | undefined;
    let commands = 0;
    let at = 0;
    while (at < arrived.length && ANSWER_KINDS.has(arrived[at] as number)) {
      if (arrived[at] === COMMAND_COMPLETE) {
        lastAt = at;
        commands++;
      }
      at = nextMessageAt(arrived, at);
    }
    const isWhole = arrived[at] === READY_FOR_QUERY && nextMessageAt(arrived, at) === arrived.length;
    return isWhole && commands === this.calls.length ? lastAt : undefined;
  }

  private get reader(): RowReader {
    const reader = this.calls[this.result.length]?.reader;
    if (!reader) throw new Error("the server sent rows for a statement that returns none");
    return reader;
  }

  override handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.rows.push(this.reader.read(fields));
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.result.push({ rows: this.rows, command: text });
    this.rows = [];
  }
}
