import { describe, expect, test } from "vitest";
import { DocumentGenerator } from "../../../workloads/train-events/model/document-generator.js";
import { BatchMaker } from "../../../workloads/train-events/model/event-batch.js";
import { bufferOf, elementHeadBytes, stringArray, textBytesArray, uuidArray } from "./binary-arrays.js";

const GOOD = "0198c5a0-0000-7000-8000-0000000000ff";

describe("uuidArray", () => {
  test.each([
    ["too short", GOOD.slice(1)],
    ["too long", `${GOOD}0`],
    ["a letter that is no digit", `g${GOOD.slice(1)}`],
    ["a last letter that is no digit", `${GOOD.slice(0, -1)}x`],
    ["a dash out of place", "0198c5a00-000-7000-8000-0000000000ff"],
    ["no dashes", "0198c5a0000070008000".padEnd(36, "0")],
    ["a character beyond ASCII", `Ā${GOOD.slice(1)}`],
    ["empty", ""],
  ])("refuses %s as a UUID", (_, id) => {
    expect(() => uuidArray([GOOD, id])).toThrow(RangeError);
  });

  test("writes header, length and bytes in the wire format", () => {
    expect(uuidArray([GOOD]).toString("hex")).toBe(
      ["00000001", "00000000", "00000b86", "00000001", "00000001", "00000010", GOOD.replaceAll("-", "")].join(
        "",
      ),
    );
  });
});

describe.each(["text", "jsonb"] as const)("the array type %s[] of a batch's documents", (type) => {
  const documents = new DocumentGenerator(1, "producers/0");
  const texts = Array.from({ length: 5 }, (_, index) => documents.at(index).json);
  const expected = bufferOf(stringArray(type, texts));

  test.each([0, 3, elementHeadBytes(type), 9])(
    "equals the array of its texts, with %i bytes of room before each",
    (room) => {
      const keys = Buffer.alloc(5 * 16);
      const batch = new BatchMaker("uuidv7", room).make(keys, documents, 0);
      expect(bufferOf(textBytesArray(type, batch.documents)).equals(expected)).toBe(true);
    },
  );
});
