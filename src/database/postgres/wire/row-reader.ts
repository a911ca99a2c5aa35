// The whole answer becomes one text whose parts are the values: a claim may return a hundred documents.
import { isAscii } from "node:buffer";
import type { FieldDef } from "pg";
import { int32At } from "../../../foundation/bytes.js";
import { LENGTH_BYTES } from "./direct-call.js";
import { parserOf } from "../pg-config.js";
import type { SqlRow, StatementRow } from "../../sql.js";

type ColumnParser = (text: string) => unknown;

export const DATA_ROW = 0x44;
/** Length of the head of a DataRow message in bytes: kind, length and number of columns. */
const ROW_HEAD_BYTES = 1 + LENGTH_BYTES + 2;

function readAndClearLength(bytes: Buffer, at: number): number {
  const length = int32At(bytes, at);
  bytes[at] = bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0;
  return length;
}

/** Reads rows of a statement by the columns that its first execution described. */
export class RowReader {
  /** Parser of each column; undefined for a column whose value stays text. */
  private readonly parsers: readonly (ColumnParser | undefined)[];

  constructor(private readonly fields: readonly Pick<FieldDef, "name" | "dataTypeID">[]) {
    this.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  read(texts: readonly (string | null)[]): StatementRow {
    return texts.map((text, column) => (text === null ? null : this.value(column, text)));
  }

  /** The row with its values by column; of columns with one name, the last. */
  named(row: StatementRow): SqlRow {
    return Object.fromEntries(this.fields.map(({ name }, column) => [name, row[column]]));
  }

  /**
   * Appends the complete DataRow messages from `from` on to `rows`. Returns the offset of their end; the bytes before it
   * are overwritten.
   */
  take(bytes: Buffer, from: number, rows: StatementRow[]): number {
    const lengths: number[] = [];
    const end = this.readAndClearLengths(bytes, from, lengths);
    if (end === from) return end;
    const text = isAscii(bytes.subarray(from, end)) ? bytes.toString("latin1", 0, end) : undefined;
    const columns = this.parsers.length;
    let next = 0;
    for (let at = from; at < end;) {
      at += ROW_HEAD_BYTES;
      // The array is made at full size: an array that grows would reserve room for sixteen values at first.
      const row = new Array<unknown>(columns);
      for (let column = 0; column < columns; column++) {
        const start = at + LENGTH_BYTES;
        const length = lengths[next++] as number;
        at = start + Math.max(0, length);
        const value = text?.substring(start, at) ?? bytes.toString("utf8", start, at);
        row[column] = length < 0 ? null : this.value(column, value);
      }
      rows.push(row);
    }
    return end;
  }

  /** Appends the length of each value in those rows to `lengths`, -1 for NULL. Returns the offset of the rows' end. */
  private readAndClearLengths(bytes: Buffer, from: number, lengths: number[]): number {
    let at = from;
    while (at + ROW_HEAD_BYTES <= bytes.length && bytes[at] === DATA_ROW) {
      const end = at + 1 + int32At(bytes, at + 1);
      if (end > bytes.length) break;
      readAndClearLength(bytes, at + 1);
      at += ROW_HEAD_BYTES;
      while (at < end) {
        const length = readAndClearLength(bytes, at);
        lengths.push(length);
        at += LENGTH_BYTES + Math.max(0, length);
      }
    }
    return at;
  }

  private value(column: number, text: string): unknown {
    const parser = this.parsers[column];
    return parser ? parser(text) : text;
  }
}
