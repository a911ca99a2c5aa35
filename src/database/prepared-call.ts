// One execution of a statement that its connection has prepared and described before: the shortest way over the wire and
// back. Its message is there as one buffer, the row's description is not asked for again, and rows are read without
// the driver's Query and Result in between, on a plain socket even from the bytes as they come. Errors, the order of answers
// and whatever is not simply rows stay the driver's. It knows nothing of first executions: those are the driver's own, and
// what they learned is handed in.
import { isAscii } from "node:buffer";
import type { Connection as DriverConnection, FieldDef, Submittable } from "pg";
import { int32At } from "../foundation/bytes.js";
import { parserOf } from "./pg-config.js";
import { PlainSocket, type FirstReader } from "./plain-socket.js";
import type { StatementRow } from "./workload.js";

type ColumnParser = (text: string) => unknown;

/** What one execution told about the columns of a statement's rows. */
export class RowReader {
  /** Undefined where a column's value is its text. */
  private readonly parsers: readonly (ColumnParser | undefined)[];

  constructor(fields: readonly FieldDef[]) {
    this.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  read(texts: readonly (string | null)[]): StatementRow {
    return texts.map((text, column) => (text === null ? null : this.value(column, text)));
  }

  /** The row of a DataRow message whose columns begin at `at`, without a NULL; `text` is the same bytes, all ASCII. */
  readAt(bytes: Buffer, text: string, at: number): StatementRow {
    const columns = this.parsers.length;
    // An array that grows takes room for sixteen values with the first.
    const row = new Array<unknown>(columns);
    let from = at;
    for (let column = 0; column < columns; column++) {
      const start = from + LENGTH_BYTES;
      from = start + int32At(bytes, from);
      row[column] = this.value(column, text.substring(start, from));
    }
    return row;
  }

  private value(column: number, text: string): unknown {
    const parser = this.parsers[column];
    return parser ? parser(text) : text;
  }
}

const DATA_ROW = 0x44;
const COMMAND_COMPLETE = 0x43;
const READY_FOR_QUERY = 0x5a;
/** Kind, length and the state of the transaction. */
const READY_BYTES = 6;
/** What an answer begins with, unless it is an error: this kind, and its own length and nothing more. */
const BIND_COMPLETE = 0x32;
const BIND_COMPLETE_BYTES = 5;
const LENGTH_BYTES = 4;
/** Kind and length of a message, and a DataRow's number of columns. */
const ROW_HEAD_BYTES = 1 + LENGTH_BYTES + 2;
/** The longest answer that is kept until it is whole; a longer one is read as it comes. */
const WHOLE_ANSWER_BYTES_MAX = 262_144;

/**
 * Whether these bytes are an answer from its beginning. The end of a notice whose beginning the driver has cannot be taken
 * for one, since text has no such zeros.
 */
function isAnswer(arrived: Buffer): boolean {
  if (arrived.length < BIND_COMPLETE_BYTES || arrived[0] !== BIND_COMPLETE) return false;
  return arrived.readInt32BE(1) === LENGTH_BYTES;
}

/** Handed to the driver's `query`; calls back once, when the server is ready for the next statement or on an error. */
export class PreparedCall implements Submittable, FirstReader {
  private readonly rows: StatementRow[] = [];
  private connection: DriverConnection | undefined;

  constructor(
    /** The driver looks at the name when the server sends an error. */
    readonly name: string,
    private readonly message: Buffer,
    private readonly reader: RowReader,
    private readonly settle: (error: Error | undefined, rows: StatementRow[]) => void,
  ) {}

  submit(connection: DriverConnection): void {
    const { stream } = connection;
    this.connection = connection;
    // Sessions are asked one thing at a time, so what comes next on this socket is this answer.
    if (stream instanceof PlainSocket) stream.readFirst(this);
    stream.write(this.message);
  }

  /** Rows without an end, so far: nothing but them, and no word of an error or of being ready. */
  goesOn(arrived: Buffer): boolean {
    if (!isAnswer(arrived) || arrived.length > WHOLE_ANSWER_BYTES_MAX) return false;
    let at = BIND_COMPLETE_BYTES;
    while (at < arrived.length) {
      if (arrived[at] !== DATA_ROW && arrived[at] !== COMMAND_COMPLETE) return false;
      if (at + 1 + LENGTH_BYTES > arrived.length) return true;
      at += 1 + Math.max(LENGTH_BYTES, arrived.readInt32BE(at + 1));
    }
    return true;
  }

  /**
   * Short rows at the beginning of the answer, and its end, of which the driver is told what it would have read. Where a byte
   * is not ASCII all are left to the driver: it may belong to another letter, to a NULL (length -1) or to the length of a
   * long text.
   */
  take(arrived: Buffer): number {
    if (!isAnswer(arrived) || !isAscii(arrived)) return 0;
    const text = arrived.toString("latin1");
    let at = BIND_COMPLETE_BYTES;
    while (at + ROW_HEAD_BYTES <= arrived.length && arrived[at] === DATA_ROW) {
      const end = at + 1 + arrived.readInt32BE(at + 1);
      if (end > arrived.length) break;
      this.rows.push(this.reader.readAt(arrived, text, at + ROW_HEAD_BYTES));
      at = end;
    }
    return this.tellReady(arrived, at) ? arrived.length : at;
  }

  /** Tells the driver that the server is ready where from `at` on the answer is whole and nothing more; returns whether it is. */
  private tellReady(arrived: Buffer, at: number): boolean {
    const { connection } = this;
    const ready = arrived.length - READY_BYTES;
    if (!connection || at + 1 + LENGTH_BYTES > ready || arrived[at] !== COMMAND_COMPLETE) return false;
    if (at + 1 + arrived.readInt32BE(at + 1) !== ready || arrived[ready] !== READY_FOR_QUERY) return false;
    const status = String.fromCharCode(arrived[arrived.length - 1] as number);
    connection.emit("readyForQuery", { name: "readyForQuery", length: 5, status });
    return true;
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.rows.push(this.reader.read(fields));
  }

  handleCommandComplete(): void {
    // How many rows it was is known; what counts is that the server is ready again.
  }

  handleReadyForQuery(): void {
    this.settle(undefined, this.rows);
  }

  handleError(error: Error): void {
    this.settle(error, this.rows);
  }
}
