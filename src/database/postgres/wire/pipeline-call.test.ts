import { PassThrough } from "node:stream";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { PipelineCall, unnamedCall, withoutSync, type PipelinedAnswer } from "./pipeline-call.js";
import { bindAndExecuteMessages } from "./bind-message.js";
import { RowReader } from "./row-reader.js";

/** A message as the server sends it. */
function message(kind: string, body: Buffer | string = ""): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeInt32BE(4 + bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** A row with one column. */
function dataRow(text: string): Buffer {
  const head = Buffer.alloc(6);
  head.writeInt16BE(1);
  head.writeInt32BE(Buffer.byteLength(text), 2);
  return message("D", Buffer.concat([head, Buffer.from(text)]));
}

const READY = message("Z", "I");
const BEGIN = Buffer.concat([message("1"), message("2"), message("C", "BEGIN\0")]);
const SELECT = Buffer.concat([message("2"), dataRow("räksmörgås"), dataRow("b"), message("C", "SELECT 2\0")]);
const UPDATE = Buffer.concat([message("2"), message("C", "UPDATE 0\0")]);
const ANSWER = Buffer.concat([BEGIN, SELECT, UPDATE, READY]);
const ANSWERS: PipelinedAnswer[] = [
  { command: "BEGIN", rows: [] },
  { command: "SELECT 2", rows: [["räksmörgås"], ["b"]] },
  { command: "UPDATE 0", rows: [] },
];
const column = { name: "name", dataTypeID: 25 };

/** A pipeline of BEGIN, a SELECT and an UPDATE on a driver's connection, and what it settles with. */
function sent() {
  const settled: { readonly error: Error | undefined; readonly answers: readonly PipelinedAnswer[] }[] = [];
  const stream = new PassThrough();
  const connection = new pg.Connection({ stream } as unknown as pg.ConnectionConfig);
  const reader = new RowReader([column]);
  const call = new PipelineCall(
    [
      { name: "begin", message: unnamedCall("BEGIN", []) },
      { name: "select", message: withoutSync(bindAndExecuteMessages("select", [])), reader },
      { name: "update", message: withoutSync(bindAndExecuteMessages("update", [1])), reader },
    ],
    (error, answers) => settled.push({ error, answers: [...answers] }),
  );
  connection.on("readyForQuery", () => call.handleReadyForQuery());
  call.submit(connection);
  return { call, settled, stream, connection };
}

describe("a pipeline of calls", () => {
  it("is one message that ends with one Sync", () => {
    const { stream } = sent();
    const bytes = stream.read() as Buffer;
    expect(bytes.subarray(0, 1).toString()).toBe("P");
    expect(bytes.subarray(-5)).toEqual(Buffer.from([0x53, 0, 0, 0, 4]));
    expect(bytes.subarray(0, -5).includes(Buffer.from([0x53, 0, 0, 0, 4]))).toBe(false);
  });

  it("reads the answers to all calls, with their rows, from one whole answer", () => {
    const { call, settled } = sent();
    expect(call.take(Buffer.from(ANSWER))).toBe(ANSWER.length);
    expect(settled).toEqual([{ error: undefined, answers: ANSWERS }]);
  });

  it("waits for the rest of an answer that is cut at any byte before its end", () => {
    const { call } = sent();
    for (let cut = 1; cut <= ANSWER.length - READY.length; cut++)
      expect(call.goesOn(ANSWER.subarray(0, cut)), `cut at ${cut}`).toBe(true);
    expect(call.goesOn(ANSWER)).toBe(false);
  });

  it.each([
    ["an error behind the first call", [BEGIN, message("E", "SERROR\0C23505\0Mduplicate\0\0")]],
    ["a notice between the calls", [BEGIN, message("N", "SWARNING\0Mcareful\0\0"), SELECT, UPDATE, READY]],
    ["fewer answers than calls", [BEGIN, UPDATE, READY]],
    ["a second answer", [ANSWER, READY]],
  ])("leaves %s to the driver, which reports the answers before it", (_, pieces) => {
    const { call, settled } = sent();
    const answer = Buffer.concat(pieces);
    expect(call.goesOn(answer)).toBe(false);
    expect(call.take(answer)).toBe(0);
    expect(settled).toEqual([]);
  });

  it("leaves an answer of more than 256 kB to the driver", () => {
    const { call } = sent();
    expect(call.goesOn(Buffer.concat([BEGIN, message("2"), dataRow("x".repeat(300_000))]))).toBe(false);
  });

  it("settles with the answers before an error of the server", () => {
    const { call, settled } = sent();
    call.handleCommandComplete({ text: "BEGIN" });
    const error = new Error("deadlock detected");
    call.handleError(error);
    expect(settled).toEqual([{ error, answers: ANSWERS.slice(0, 1) }]);
  });

  it("settles with the same answers if the driver reads them", () => {
    const { call, settled } = sent();
    expect(call.isAtLastCall).toBe(false);
    call.handleCommandComplete({ text: "BEGIN" });
    call.handleDataRow({ fields: ["räksmörgås"] });
    call.handleDataRow({ fields: ["b"] });
    call.handleCommandComplete({ text: "SELECT 2" });
    expect(call.isAtLastCall).toBe(true);
    call.handleCommandComplete({ text: "UPDATE 0" });
    call.handleReadyForQuery();
    expect(settled).toEqual([{ error: undefined, answers: ANSWERS }]);
  });
});
