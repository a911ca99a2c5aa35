import { expect, test } from "vitest";
import { elidedText, escapeControlCharacters } from "./shown.js";

test("short text is shown completely, and long text by both ends with the number of missing characters", () => {
  expect(elidedText("abcdefghij", 10)).toBe("abcdefghij");
  expect(elidedText(`abcdefg${"x".repeat(90)}hij`, 10)).toBe("abcdefg[... 90 characters ...]hij");
});

test("control characters are written as escapes, and line breaks stay", () => {
  expect(escapeControlCharacters("a\u001b[31mb\u0000\r\nc\u009bd")).toBe(
    "a\\u001b[31mb\\u0000\\u000d\nc\\u009bd",
  );
});
