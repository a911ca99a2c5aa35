// A statement that is parsed and described without being run, so that its first run can be part of a pipeline.
import type { FieldDef } from "pg";
import { parseMessage, SYNC_MESSAGE } from "./bind-message.js";
import { DirectCall, LENGTH_BYTES } from "./direct-call.js";

const DESCRIBE_MESSAGE_TYPE = 0x44;
const STATEMENT_KIND = 0x53;

function describeMessage(name: string): Buffer {
  const bytes = LENGTH_BYTES + 1 + Buffer.byteLength(name) + 1;
  const message = Buffer.alloc(1 + bytes);
  message[0] = DESCRIBE_MESSAGE_TYPE;
  message.writeInt32BE(bytes, 1);
  message[1 + LENGTH_BYTES] = STATEMENT_KIND;
  message.write(name, 1 + LENGTH_BYTES + 1);
  return message;
}

/** Its result is the columns of the statement's rows, none if it returns no rows. The driver reads the whole answer. */
export class DescribeCall extends DirectCall<readonly FieldDef[]> {
  protected result: readonly FieldDef[] = [];

  constructor(
    name: string,
    /** Text of the statement, which the driver keeps with the name. */
    readonly text: string,
    settle: (error: Error | undefined, fields: readonly FieldDef[]) => void,
  ) {
    super(name, Buffer.concat([parseMessage(name, text), describeMessage(name), SYNC_MESSAGE]), settle);
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.result = fields;
  }

  override goesOn(): boolean {
    return false;
  }

  override take(): number {
    return 0;
  }

  override handleDataRow(): void {
    // A statement that is not run returns no rows.
  }

  override handleCommandComplete(): void {
    // A statement that is not run has no command tag.
  }
}
