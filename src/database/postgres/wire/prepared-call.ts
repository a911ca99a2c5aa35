// First executions, errors and everything that is not simply rows stay the driver's.
import {
  BIND_COMPLETE,
  COMMAND_COMPLETE,
  DirectCall,
  LENGTH_BYTES,
  WHOLE_ANSWER_BYTES_MAX,
} from "./direct-call.js";
import { DATA_ROW, type RowReader } from "./row-reader.js";
import type { StatementRow } from "../../sql.js";

const BIND_COMPLETE_BYTES = 5;

/**
 * True if the bytes are an answer from its beginning. The end of a notice has no such zeros, so it cannot be mistaken for
 * one.
 */
function isAnswerStart(arrived: Buffer): boolean {
  if (arrived.length < BIND_COMPLETE_BYTES || arrived[0] !== BIND_COMPLETE) return false;
  return arrived.readInt32BE(1) === LENGTH_BYTES;
}

export class PreparedCall extends DirectCall<StatementRow[]> {
  protected readonly result: StatementRow[] = [];

  constructor(
    name: string,
    message: Buffer,
    private readonly reader: RowReader,
    settle: (error: Error | undefined, rows: StatementRow[]) => void,
  ) {
    super(name, message, settle);
  }

  /** True while the answer consists of rows without an end: it holds no error and no ReadyForQuery. */
  override goesOn(arrived: Buffer): boolean {
    if (!isAnswerStart(arrived) || arrived.length > WHOLE_ANSWER_BYTES_MAX) return false;
    let at = BIND_COMPLETE_BYTES;
    while (at < arrived.length) {
      if (arrived[at] !== DATA_ROW && arrived[at] !== COMMAND_COMPLETE) return false;
      if (at + 1 + LENGTH_BYTES > arrived.length) return true;
      at += 1 + Math.max(LENGTH_BYTES, arrived.readInt32BE(at + 1));
    }
    return true;
  }

  /** Takes the rows and the end of an answer. The driver gets the same events as if it had read the answer itself. */
  override take(arrived: Buffer): number {
    if (!isAnswerStart(arrived)) return 0;
    const at = this.reader.take(arrived, BIND_COMPLETE_BYTES, this.result);
    return this.reportReady(arrived, at) ? arrived.length : at;
  }

  override handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.result.push(this.reader.read(fields));
  }

  override handleCommandComplete({ text }: { text: string }): void {
    this.foundNoRow = text.endsWith(" 0");
  }
}
