import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { translatePgbenchScripts } from "./own.js";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "train-sim-own-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

it.each([
  ["a command that no scenario takes", "\\setshell x echo 1\nSELECT 1;\n", false],
  ["a condition, which a file of SQL lacks", "\\if true\nSELECT 1;\n\\endif\n", true],
])(
  "an imported pgbench script with %s states whether a scenario can run it unchanged",
  (_, script, canRun) => {
    writeFileSync(join(directory, "x.sql"), script);
    const imported = translatePgbenchScripts(["x.sql"], { define: {}, scale: 1 }, directory);
    expect(imported).toMatchObject({ canRun, problems: [expect.anything()] });
  },
);
