// COPY ... FROM STDIN by the simple protocol, as psql does it, with rows that are framed ahead of time.
import type { Connection as DriverConnection } from "pg";
import { DirectCall, LENGTH_BYTES } from "./direct-call.js";
import { queryMessage } from "./query-message.js";

const COPY_DATA = 0x64;
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, LENGTH_BYTES]);
/** Bytes of text after which a message is full; its last line may exceed them. */
const FULL_MESSAGE_BYTES = 65_536;

/** Rows in COPY's text format, one line each. They can be sent any number of times. */
export class CopyRows {
  readonly messages: Buffer[] = [];
  private lines = "";

  /** Adds one row; `line` is the row without its line end. */
  add(line: string): void {
    this.lines += `${line}\n`;
    if (this.lines.length >= FULL_MESSAGE_BYTES) this.frameMessage();
  }

  end(): this {
    if (this.lines !== "") this.frameMessage();
    this.messages.push(COPY_DONE);
    return this;
  }

  private frameMessage(): void {
    const length = LENGTH_BYTES + Buffer.byteLength(this.lines);
    const message = Buffer.allocUnsafe(1 + length);
    message[0] = COPY_DATA;
    message.writeInt32BE(length, 1);
    message.write(this.lines, 1 + LENGTH_BYTES);
    this.messages.push(message);
    this.lines = "";
  }
}

/** A call of COPY FROM. Its result is the number of rows that the server took. */
export class CopyCall extends DirectCall<number> {
  protected result = 0;

  constructor(
    text: string,
    private readonly rows: { readonly messages: readonly Buffer[] },
    settle: (error: Error | undefined, rows: number) => void,
  ) {
    super(undefined, queryMessage(text), settle);
  }

  override goesOn(): boolean {
    return false;
  }

  /** Takes nothing: the server answers twice for any number of rows, and the driver reads both answers. */
  override take(): number {
    return 0;
  }

  /** Sends the rows; the driver calls it when the server waits for them. */
  handleCopyInResponse({ stream }: DriverConnection): void {
    stream.cork();
    for (const message of this.rows.messages) stream.write(message);
    stream.uncork();
  }

  override handleDataRow(): void {
    // COPY FROM returns no rows.
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.result = Number(text.replace("COPY ", ""));
  }
}
