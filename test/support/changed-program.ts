// Builds a copy of the program with changed source.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "./train-sim.js";

const ROOT = join(import.meta.dirname, "../..");
const COPIED = [
  ...["src", "dist", "schema", "package.json", "esbuild.config.mjs", "tsconfig.page.json", "tsconfig.json"],
];

/** Copies the program, changes the copy and builds it. Returns the path of its command line. */
export function changedProgram(change: (directory: string) => void): string {
  const directory = scratchDirectory();
  for (const name of COPIED) cpSync(join(ROOT, name), join(directory, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  change(directory);
  execFileSync(process.execPath, [join(directory, "esbuild.config.mjs"), join(directory, "dist"), "program"]);
  return join(directory, "dist/cli/main.js");
}

/** Replaces the first occurrence of a text in a file. Throws if there is none. */
export function replaceIn(file: string, text: string, by: string): void {
  const before = readFileSync(file, "utf8");
  if (!before.includes(text)) throw new Error(`${file} has no "${text}"`);
  writeFileSync(
    file,
    before.replace(text, () => by),
  );
}
