import { expect, test } from "vitest";
import { elided, withoutControls } from "./shown.js";

test("short text is shown as it is; of a long one both ends, and how much is missing", () => {
  expect(elided("abcdefghij", 10)).toBe("abcdefghij");
  expect(elided(`abcdefg${"x".repeat(90)}hij`, 10)).toBe("abcdefg[... 90 characters ...]hij");
});

test("what a terminal would obey is written out; lines stay lines", () => {
  expect(withoutControls("a\u001b[31mb\u0000\r\nc\u009bd")).toBe("a\\u001b[31mb\\u0000\\u000d\nc\\u009bd");
});
