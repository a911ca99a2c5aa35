// Bind, Execute and Sync as one buffer, written ahead of time: each copy of a batch goes through cold memory.
import { COMMAND_COMPLETE, DirectCall, LENGTH_BYTES } from "./direct-call.js";
import { queryMessage } from "./query-message.js";

/** A call that results in the command that the server executed, which may differ from the request. */
export class ControlCall extends DirectCall<string> {
  protected result = "";

  constructor(text: string, settle: (error: Error | undefined, command: string) => void) {
    super(undefined, queryMessage(text), settle);
  }

  /** False: an answer is a few bytes, which arrive together; otherwise the driver reads them. */
  override goesOn(): boolean {
    return false;
  }

  /** Takes a whole answer without notices or errors. */
  override take(arrived: Buffer): number {
    const from = 1 + LENGTH_BYTES;
    if (arrived[0] === COMMAND_COMPLETE)
      this.result = arrived.toString("latin1", from, arrived.indexOf(0, from));
    return this.tellReady(arrived, 0) ? arrived.length : 0;
  }

  override handleDataRow(): void {
    // A control statement returns no rows.
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.result = text;
  }
}
