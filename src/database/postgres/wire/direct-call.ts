// One message and one answer as bytes on a plain socket. The driver keeps the order and handles errors and notices.
import type { Connection as DriverConnection, Submittable } from "pg";
import { PlainSocket, type FirstReader } from "./plain-socket.js";

export const COMMAND_COMPLETE = 0x43;
export const LENGTH_BYTES = 4;
/** Kind of the message BindComplete, with which an answer without errors begins; it has a kind and a length only. */
export const BIND_COMPLETE = 0x32;
/** Maximum bytes of an answer that is kept until it is complete; the driver reads a longer answer in pieces. */
export const WHOLE_ANSWER_BYTES_MAX = 262_144;
export const READY_FOR_QUERY = 0x5a;
/** End of a command tag that counts no row, such as `UPDATE 0`, with the zero byte that ends the tag. */
const NO_ROW_TAG_END = Buffer.from(" 0\0");
/** Length of ReadyForQuery in bytes: kind, length and the state of the transaction. */
const READY_MESSAGE_BYTES = 6;

export abstract class DirectCall<T> implements Submittable, FirstReader {
  protected abstract readonly result: T;
  /** True if the command tag of the answer counts no row. */
  foundNoRow = false;
  private connection: DriverConnection | undefined;

  constructor(
    /** Name of a prepared statement, which the driver reads if the server sends an error. */
    readonly name: string | undefined,
    private readonly message: Buffer,
    private readonly settle: (error: Error | undefined, result: T) => void,
  ) {}

  submit(connection: DriverConnection): void {
    const { stream } = connection;
    this.connection = connection;
    // A session has one call at a time, so the next bytes on this socket are this call's answer.
    if (stream instanceof PlainSocket) stream.readFirst(this);
    stream.write(this.message);
  }

  abstract goesOn(arrived: Buffer): boolean;
  abstract take(arrived: Buffer): number;
  abstract handleDataRow(row: { fields: readonly (string | null)[] }): void;
  abstract handleCommandComplete(complete: { text: string }): void;

  /** Reports "ready" to the driver if the bytes from `at` on are exactly the end of the answer; returns whether they are. */
  protected reportReady(arrived: Buffer, at: number): boolean {
    const { connection } = this;
    const readyOffset = arrived.length - READY_MESSAGE_BYTES;
    if (!connection || at + 1 + LENGTH_BYTES > readyOffset || arrived[at] !== COMMAND_COMPLETE) return false;
    if (at + 1 + arrived.readInt32BE(at + 1) !== readyOffset || arrived[readyOffset] !== READY_FOR_QUERY)
      return false;
    this.foundNoRow = NO_ROW_TAG_END.compare(arrived, readyOffset - NO_ROW_TAG_END.length, readyOffset) === 0;
    const status = String.fromCharCode(arrived[arrived.length - 1] as number);
    connection.emit("readyForQuery", { name: "readyForQuery", length: 5, status });
    return true;
  }

  handleReadyForQuery(): void {
    this.settle(undefined, this.result);
  }

  handleError(error: Error): void {
    this.settle(error, this.result);
  }
}
