// Bind, Execute and Sync as one buffer, written ahead of time: each copy of a batch goes through cold memory.
import { COMMAND_COMPLETE, DirectCall, LENGTH_BYTES } from "./direct-call.js";
import { queryMessage } from "./query-message.js";

/** A call of BEGIN, COMMIT or ROLLBACK. Its result is the command that the server executed, which may be another one. */
export class ControlCall extends DirectCall<string> {
  protected result = "";

  constructor(text: string, settle: (error: Error | undefined, command: string) => void) {
    super(undefined, queryMessage(text), settle);
  }

  /** Always false: an answer is a few bytes, which arrive together. The driver reads an answer that is split. */
  override goesOn(): boolean {
    return false;
  }

  /** Takes an answer if it is whole and holds no notice or error; leaves any other to the driver. */
  override take(arrived: Buffer): number {
    const from = 1 + LENGTH_BYTES;
    if (arrived[0] === COMMAND_COMPLETE)
      this.result = arrived.toString("latin1", from, arrived.indexOf(0, from));
    return this.reportReady(arrived, 0) ? arrived.length : 0;
  }

  override handleDataRow(): void {
    // A control statement returns no rows.
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.result = text;
  }
}
