import { PassThrough } from "node:stream";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { bindAhead, bindAndExecuteMessages } from "./bind-message.js";
import { bufferOf, textArray, textBytesArray, uuidArray, uuidBytesArray } from "./binary-arrays.js";
import { PreparedCall } from "./prepared-call.js";
import { RowReader } from "./row-reader.js";
import type { StatementRow, SqlValue } from "../../sql.js";
import type { TextColumn } from "../../../foundation/bytes.js";

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
  const chunks: Buffer[] = [];
  for (let chunk: unknown; (chunk = stream.read()) !== null;) chunks.push(chunk as Buffer); // one at a time from Node 26 on
  return Buffer.concat(chunks);
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

describe("the messages of a prepared call", () => {
  it.each(VALUES.map((values) => ({ values })))(
    "equal the driver's messages, byte by byte: %#",
    ({ values }) => {
      const name = "process.claim";
      expect(bindAndExecuteMessages(name, values).equals(driversMessages(name, values))).toBe(true);
      expect(bindAndExecuteMessages("ä", values).equals(driversMessages("ä", values))).toBe(true);
    },
  );
});

describe("a batch that is bound in advance", () => {
  const texts = (...each: string[]): TextColumn => {
    let end = 0;
    const ends = each.map((text) => (end += Buffer.byteLength(text)));
    return { bytes: Buffer.from(each.join("")), ends, room: 0 };
  };
  it.each([
    { keys: Buffer.alloc(0), documents: texts() },
    { keys: Buffer.alloc(48, 7), documents: texts("{}", "é".repeat(400), "") },
  ])("equals the message of its values, byte by byte, and contains the values: %#", ({ keys, documents }) => {
    const parameters = [
      uuidBytesArray(keys),
      textBytesArray("jsonb", documents),
      textBytesArray("text", documents),
    ];
    const alone = parameters.map(bufferOf);
    const bound = bindAhead({ name: "add", text: "" }, parameters);
    expect(bound.message.equals(driversMessages("add", alone))).toBe(true);
    expect(bound.values).toEqual(alone);
    expect((bound.values[1] as Buffer).buffer).toBe(bound.message.buffer);
  });

  it("keeps the other values of the call", () => {
    const keys = uuidBytesArray(Buffer.alloc(32, 9));
    const values = ["räksmörgås", null, keys, 7, "x".repeat(100)];
    const bound = bindAhead({ name: "read", text: "" }, values);
    const alone = values.map((value) => (value === keys ? bufferOf(keys) : (value as SqlValue)));
    expect(bound.message.equals(driversMessages("read", alone))).toBe(true);
    expect(bound.values).toEqual(alone);
  });
});

const field = (name: string, dataTypeID: number): pg.FieldDef => ({
  name,
  dataTypeID,
  tableID: 0,
  columnID: 0,
  dataTypeSize: -1,
  dataTypeModifier: -1,
  format: "text",
});

describe("a prepared call", () => {
  it("reads rows with the types of the first execution, and settles once the server is ready", () => {
    const settled: (readonly [Error | undefined, StatementRow[]])[] = [];
    const reader = new RowReader([field("id", 2950), field("attempts", 23), field("isOk", 16)]);
    const call = new PreparedCall("x", Buffer.alloc(0), reader, (error, rows) => settled.push([error, rows]));
    call.handleDataRow({ fields: ["01890a5d-ac96-774b-bcce-b302099a8057", "12", "t"] });
    call.handleDataRow({ fields: [null, null, "f"] });
    call.handleCommandComplete({ text: "SELECT 1" });
    expect(settled).toEqual([]);
    call.handleReadyForQuery();
    expect(settled).toEqual([
      [
        undefined,
        [
          ["01890a5d-ac96-774b-bcce-b302099a8057", 12, true],
          [null, null, false],
        ],
      ],
    ]);
  });

  /** A DataRow message as the server sends it. */
  function dataRow(...texts: readonly (string | null)[]): Buffer {
    const columns = texts.flatMap((text) => {
      const bytes = Buffer.from(text ?? "");
      const length = Buffer.alloc(4);
      length.writeInt32BE(text === null ? -1 : bytes.length);
      return [length, bytes];
    });
    const body = Buffer.concat(columns);
    const head = Buffer.alloc(7);
    head.write("D");
    head.writeInt32BE(6 + body.length, 1);
    head.writeInt16BE(texts.length, 5);
    return Buffer.concat([head, body]);
  }
  const bound = Buffer.from([0x32, 0, 0, 0, 4]);
  const done = Buffer.from("C\0\0\0\rSELECT 2\0Z\0\0\0\u0005I");

  /** The number of bytes that the call takes of an answer, and the rows that it then settles with. */
  function take(answer: Buffer): { taken: number; rows: StatementRow[] } {
    let rows: StatementRow[] = [];
    const reader = new RowReader([field("id", 25), field("attempts", 23)]);
    const call = new PreparedCall("x", Buffer.alloc(0), reader, (_, all) => (rows = all));
    const taken = call.take(answer);
    call.handleReadyForQuery();
    return { taken, rows };
  }

  /** The driver's events for an answer that the call takes, and the number of bytes taken. */
  function outcome(answer: Buffer): { taken: number; messages: unknown[] } {
    const messages: unknown[] = [];
    const stream = new PassThrough();
    const connection = new pg.Connection({ stream } as unknown as pg.ConnectionConfig);
    connection.on("readyForQuery", (message) => messages.push(message));
    const call = new PreparedCall("x", Buffer.alloc(0), new RowReader([field("id", 25)]), () => undefined);
    call.submit(connection);
    return { taken: call.take(Buffer.from(answer)), messages };
  }

  it.each([
    ["rows", Buffer.concat([bound, dataRow("a"), dataRow("b"), done])],
    ["no rows", Buffer.concat([bound, done])],
  ])("reads a complete answer with %s, and reports to the driver that the server is ready", (_, answer) => {
    const ready = { name: "readyForQuery", length: 5, status: "I" };
    expect(outcome(answer)).toEqual({ taken: answer.length, messages: [ready] });
    const inBlock = Buffer.from(answer);
    inBlock.write("T", answer.length - 1);
    expect(outcome(inBlock).messages).toEqual([{ ...ready, status: "T" }]);
  });

  it("leaves the end of an answer to the driver if it is cut or followed by more", () => {
    const rows = Buffer.concat([bound, dataRow("a")]);
    const whole = Buffer.concat([rows, done]);
    const notice = Buffer.from("N\0\0\0\u0009Mhm\0\0");
    const longer = [Buffer.concat([whole, notice]), Buffer.concat([rows, notice, done])];
    const shorter = Array.from({ length: done.length }, (_, cut) => whole.subarray(0, rows.length + cut));
    for (const answer of [...longer, ...shorter])
      expect(outcome(answer)).toEqual({ taken: rows.length, messages: [] });
  });

  it("reads complete rows at the beginning of an answer, and leaves the rest to the driver", () => {
    const rows = Buffer.concat([dataRow("a", "12"), dataRow("", "-3")]);
    expect(take(Buffer.concat([bound, rows, done]))).toEqual({
      taken: bound.length + rows.length,
      rows: [
        ["a", 12],
        ["", -3],
      ],
    });
  });

  it.each([
    ["other letters", ["Malmö 🚂", "1"]],
    ["a NULL", [null, "1"]],
    ["NULLs alone", [null, null]],
    ["long text", ["x".repeat(200), "1"]],
    ["long text of other letters", ["é".repeat(40_000), null]],
  ])("reads rows with %s, and the rows before and after", (_, texts) => {
    const rows = [["a".repeat(130), "12"], texts, ["", "-3"]].map((row) => dataRow(...row));
    const read = ([id, attempts]: (string | null)[]): StatementRow => [
      id,
      attempts ? Number(attempts) : null,
    ];
    expect(take(Buffer.concat([bound, ...rows, done]))).toEqual({
      taken: bound.length + Buffer.concat(rows).length,
      rows: [["a".repeat(130), 12], read(texts), ["", -3]],
    });
  });

  it("leaves the bytes after the rows that it read unchanged", () => {
    const cut = Buffer.concat([
      dataRow("x".repeat(300), null),
      dataRow("y".repeat(300), "2").subarray(0, 40),
    ]);
    const answer = Buffer.concat([bound, cut]);
    const { taken } = take(answer);
    expect(answer.subarray(taken).equals(cut.subarray(taken - bound.length))).toBe(true);
    expect(answer.length - taken).toBe(40);
  });

  it.each([1, 6, 8, 14])("leaves a row with only %i of its bytes to the driver", (bytes) => {
    const first = dataRow("first", "1");
    const cut = Buffer.concat([bound, first, dataRow("second", "2").subarray(0, bytes)]);
    expect(take(cut)).toEqual({
      taken: bound.length + first.length,
      rows: [["first", 1]],
    });
  });

  it.each([
    ["an error", Buffer.from("E\0\0\0\u0008S40P")],
    ["rows without the beginning of the answer", dataRow("a", "1")],
    ["the end of a message that the driver began to read", Buffer.from("2 of 2\0\0Z\0\0\0\u0005I")],
    ["a few bytes", bound.subarray(0, 3)],
  ])("leaves %s to the driver", (_, answer) => {
    expect(take(answer)).toEqual({ taken: 0, rows: [] });
  });

  const goesOn = (answer: Buffer): boolean =>
    new PreparedCall("x", Buffer.alloc(0), new RowReader([]), () => undefined).goesOn(answer);

  it("waits for the rest of a cut answer, and not for data after its end", () => {
    const rows = Buffer.concat([bound, dataRow("a", "12"), dataRow("Malmö", null), dataRow("", "-3")]);
    const answer = Buffer.concat([rows, done]);
    const readyAt = answer.length - "Z\0\0\0\u0005I".length;
    const cuts = Array.from({ length: answer.length + 1 }, (_, bytes) => bytes);
    const expected = cuts.filter((bytes) => bytes >= bound.length && bytes <= readyAt);
    expect(cuts.filter((bytes) => goesOn(answer.subarray(0, bytes)))).toEqual(expected);
    expect(goesOn(Buffer.concat([answer, Buffer.from("S\0\0\0\u0009a\0b\0\0")]))).toBe(false);
  });

  it.each([
    ["an error", Buffer.from("E\0\0\0\u0008S40P")],
    ["an error after rows", Buffer.concat([bound, dataRow("a", "1"), Buffer.from("E\0\0")])],
    ["the end of a message that the driver began to read", Buffer.from("2 of 2\0\0Z\0\0\0\u0005I")],
    [
      "more bytes than it keeps",
      Buffer.concat([bound, dataRow("x".repeat(300_000), "1").subarray(0, 290_000)]),
    ],
  ])("does not wait after %s", (_, answer) => {
    expect(goesOn(answer)).toBe(false);
  });

  it("settles with the server's error", () => {
    const errors: unknown[] = [];
    const call = new PreparedCall("x", Buffer.alloc(0), new RowReader([]), (error) => errors.push(error));
    const error = new Error("deadlock detected");
    call.handleError(error);
    expect(errors).toEqual([error]);
  });
});
