import { PassThrough } from "node:stream";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { textArray, uuidArray } from "./binary-arrays.js";
import { callMessages, PreparedCall, RowReader } from "./prepared-call.js";
import type { SqlRow, SqlValue } from "./workload.js";

/** The bytes that the driver itself sends for a Bind, an Execute and a Sync. */
function driversMessages(name: string, values: readonly SqlValue[]): Buffer {
  const stream = new PassThrough({ highWaterMark: 1 << 20 });
  const connection = new pg.Connection({ stream } as unknown as pg.ConnectionConfig);
  const mapped = values.map((value) =>
    value === null || Buffer.isBuffer(value)
      ? value
      : value instanceof Date
        ? value.toISOString()
        : String(value),
  );
  connection.bind({ statement: name, values: mapped }, true);
  connection.execute(null, true);
  connection.sync();
  return stream.read() as Buffer;
}

const VALUES: readonly (readonly SqlValue[])[] = [
  [],
  [null],
  [""],
  ["räksmörgås 🚂", "\u0000 and \\ and '"],
  [1, -2.5, true, false, null, "x"],
  [new Date(0)],
  [Buffer.alloc(0), Buffer.from([0, 255])],
  [uuidArray(["01890a5d-ac96-774b-bcce-b302099a8057"]), textArray(["{}", "é"]), 2],
  [Buffer.alloc(70_000, 7), null, 100],
];

describe("the messages of a call", () => {
  it.each(VALUES.map((values) => ({ values })))("are the driver's own, byte by byte: %#", ({ values }) => {
    const name = "process.claim";
    expect(callMessages(name, values).equals(driversMessages(name, values))).toBe(true);
    expect(callMessages("ä", values).equals(driversMessages("ä", values))).toBe(true);
  });
});

const field = (name: string, dataTypeID: number): pg.FieldDef => ({
  ...{ name, dataTypeID, tableID: 0, columnID: 0 },
  ...{ dataTypeSize: -1, dataTypeModifier: -1, format: "text" },
});

describe("a prepared call", () => {
  it("reads rows with the types of the first execution, and settles once the server is ready", () => {
    const settled: (readonly [Error | undefined, SqlRow[]])[] = [];
    const reader = new RowReader([field("id", 2950), field("attempts", 23), field("isOk", 16)]);
    const call = new PreparedCall("x", [], reader, (error, rows) => settled.push([error, rows]));
    call.handleDataRow({ fields: ["01890a5d-ac96-774b-bcce-b302099a8057", "12", "t"] });
    call.handleDataRow({ fields: [null, null, "f"] });
    call.handleCommandComplete();
    expect(settled).toEqual([]);
    call.handleReadyForQuery();
    expect(settled).toEqual([
      [
        undefined,
        [
          { id: "01890a5d-ac96-774b-bcce-b302099a8057", attempts: 12, isOk: true },
          { id: null, attempts: null, isOk: false },
        ],
      ],
    ]);
  });

  it("settles with the server's error", () => {
    const errors: unknown[] = [];
    const call = new PreparedCall("x", [], new RowReader([]), (error) => errors.push(error));
    const error = new Error("deadlock detected");
    call.handleError(error);
    expect(errors).toEqual([error]);
  });
});
