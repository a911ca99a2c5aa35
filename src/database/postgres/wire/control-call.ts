// `BEGIN ...`, `COMMIT` and `ROLLBACK` by the simple protocol, without the driver's Query and Result, whose cost would show in
// every transaction of several statements.
import { COMMAND_COMPLETE, DirectCall, LENGTH_BYTES } from "./direct-call.js";
import { queryMessage } from "./query-message.js";

/** Results in what the server did (`BEGIN`, `COMMIT`, `ROLLBACK`), which need not be what it was asked for. */
export class ControlCall extends DirectCall<string> {
  protected result = "";

  constructor(text: string, settle: (error: Error | undefined, command: string) => void) {
    super(undefined, queryMessage(text), settle);
  }

  /** A few bytes, which come at once; else they are the driver's. */
  override goesOn(): boolean {
    return false;
  }

  /** All of an answer without notices or errors. */
  override take(arrived: Buffer): number {
    const from = 1 + LENGTH_BYTES;
    if (arrived[0] === COMMAND_COMPLETE)
      this.result = arrived.toString("latin1", from, arrived.indexOf(0, from));
    return this.tellReady(arrived, 0) ? arrived.length : 0;
  }

  override handleDataRow(): void {
    // Such a statement has none.
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.result = text;
  }
}
