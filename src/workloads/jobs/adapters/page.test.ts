// docs/reference/queue-adapters.md is all that the author of an adapter has: it names each member of the protocol, and its
// adapter is the file that the tests run.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const PAGE = read("docs/reference/queue-adapters.md");
const LINES_MAX = 60;

test("the page has the whole text of its adapter, which is short", () => {
  const [, code = ""] = /```js\n([^]*?)```/.exec(PAGE) ?? [];
  expect(code).toBe(read("scenarios/queues/tiny.mjs"));
  expect(code.split("\n").length - 1).toBeLessThanOrEqual(LINES_MAX);
});

test("the page names each member and each event of the protocol", () => {
  const protocol = read("src/workloads/jobs/adapters/protocol.ts").replace(/\/\*\*[^]*?\*\//g, "");
  const members = [...protocol.matchAll(/readonly (\w+)\??:/g)].map(([, name = ""]) => name);
  const values = [...protocol.matchAll(/"([\w-]+)"/g)].map(([, value = ""]) => value);
  const named = new Set(
    [...PAGE.replace(/```[^]*?```/g, "").matchAll(/`([^`\n]+)`/g)].flatMap(([, code = ""]) =>
      code.split(/[^\w-]+/),
    ),
  );
  expect(members).toContain("acknowledges");
  expect([...members, ...values].filter((word) => !named.has(word))).toEqual([]);
});
