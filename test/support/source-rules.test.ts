// Rules of the source that no linter here knows: no comment switches a rule off, and zod is imported whole, because a
// bundle then holds only its used parts.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "..", "..");
/** Texts that switch a rule off, in two parts, so that this file does not break its own rule. */
const SWITCHES = ["lint-disable", "ts-ignore", "ts-nocheck", "ts-expect-error"].map(
  (word) => new RegExp(`(//|/\\*).*${word.replace("-", "[-]")}`),
);
const ZOD = /import (?!(type )?\* as z from).*from ["]zod"/;

const files = ["src", "test", "bench"].flatMap((root) =>
  readdirSync(join(REPOSITORY, root), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|mjs|js)$/.test(file))
    .map((file) => join(root, file)),
);

function linesWith(pattern: RegExp): string[] {
  return files.flatMap((file) =>
    readFileSync(join(REPOSITORY, file), "utf8")
      .split("\n")
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim()}`] : [])),
  );
}

test.each(SWITCHES)("no comment disables a rule: %s", (pattern) => {
  expect(files.length).toBeGreaterThan(1000);
  expect(linesWith(pattern)).toEqual([]);
});

test("zod is imported as a namespace", () => {
  expect(linesWith(ZOD)).toEqual([]);
});
