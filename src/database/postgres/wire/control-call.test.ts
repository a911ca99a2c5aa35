import { PassThrough } from "node:stream";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { ControlCall } from "./control-call.js";

/** A submitted call, the driver's events so far, and the value that the call settled with. */
function submitCall(text = "COMMIT") {
  const stream = new PassThrough();
  const connection = new pg.Connection({ stream } as unknown as pg.ConnectionConfig);
  const heard: unknown[] = [];
  const settled: (readonly [Error | undefined, string])[] = [];
  const call = new ControlCall(text, (error, command) => settled.push([error, command]));
  connection.on("readyForQuery", (message) => {
    heard.push(message);
    call.handleReadyForQuery();
  });
  call.submit(connection);
  return { call, heard, settled, sent: stream.read() as Buffer };
}

const ANSWER = "C\0\0\0\u000bCOMMIT\0Z\0\0\0\u0005I";

describe("a statement of transaction control", () => {
  it.each(["COMMIT", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", "räksmörgås"])(
    "is sent as the driver sends it: %s",
    (text) => {
      const stream = new PassThrough();
      new pg.Connection({ stream } as unknown as pg.ConnectionConfig).query(text);
      const drivers = stream.read() as Buffer;
      expect(submitCall(text).sent.equals(drivers)).toBe(true);
      expect(submitCall(text).sent.equals(drivers)).toBe(true);
    },
  );

  it("reads a complete answer, and reports its end and the server's command", () => {
    const { call, heard, settled } = submitCall();
    const answer = Buffer.from(ANSWER);
    expect(call.take(answer)).toBe(answer.length);
    expect(heard).toEqual([{ name: "readyForQuery", length: 5, status: "I" }]);
    expect(settled).toEqual([[undefined, "COMMIT"]]);
  });

  it.each([
    ["a notice before its end", `N\0\0\0\u0009Mhm\0\0${ANSWER}`],
    ["a notice after its end", `${ANSWER}N\0\0\0\u0009Mhm\0\0`],
    ["two commands", `C\0\0\0\u000aBEGIN\0${ANSWER}`],
    ["an error", "E\0\0\0\u0008S40P"],
    ["only the end of a message that the driver began to read", "ommit\0\0Z\0\0\0\u0005I"],
    ...Array.from({ length: ANSWER.length }, (_, cut): [string, string] => [
      `its first ${cut} bytes`,
      ANSWER.slice(0, cut),
    ]),
  ])("leaves an answer to the driver if it is or has %s", (_, answer) => {
    const { call, heard } = submitCall();
    expect(call.goesOn()).toBe(false);
    expect(call.take(Buffer.from(answer))).toBe(0);
    expect(heard).toEqual([]);
  });

  it("settles with the command that the driver read, or with the server's error", () => {
    const read = submitCall();
    read.call.handleCommandComplete({ text: "ROLLBACK" });
    read.call.handleReadyForQuery();
    expect(read.settled).toEqual([[undefined, "ROLLBACK"]]);
    const refused = submitCall();
    const error = new Error("could not serialize access");
    refused.call.handleError(error);
    expect(refused.settled.map(([reason]) => reason)).toEqual([error]);
  });
});
