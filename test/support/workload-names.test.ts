// Names that only Train Events has (two of its tables, a role, a column) are in no file outside of its folder.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SRC = join(import.meta.dirname, "../../src");
const OWN = join("workloads", "train-events");
const NAMES = /event_status|events_archive|archiver|authority/i;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith(OWN),
);

function namesIn(among: readonly string[]): string[] {
  return among.flatMap((file) =>
    readFileSync(join(SRC, file), "utf8")
      .split("\n")
      .flatMap((line, i) => (NAMES.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
  );
}

it("a name of Train Events is found in its own folder", () => {
  expect(files.length).toBeGreaterThan(300);
  expect(namesIn([join(OWN, "stores", "tables.ts")])).not.toEqual([]);
});

it("no name of Train Events is in another file of the program", () => {
  expect(namesIn(files)).toEqual([]);
});
