// The example queue of docs/reference/queue-adapters.md as it is, or with changes planted.
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { scratchDirectory } from "./train-sim.js";

const ROOT = join(import.meta.dirname, "../..");
export const TINY = join(ROOT, "scenarios/queues/tiny.mjs");

/** Directory with the program `tiny.mjs`, changed by the replacements, and the packages that it imports. */
export function tinyQueue(...replacements: readonly (readonly [text: string, by: string])[]): string {
  const directory = scratchDirectory();
  symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  const source = replacements.reduce(
    (text, [from, by]) => {
      expect(text, `the example has ${from}`).toContain(from);
      return text.replace(from, by);
    },
    readFileSync(TINY, "utf8"),
  );
  writeFileSync(join(directory, "tiny.mjs"), source);
  return directory;
}

/** Lines of a scenario that runs the program in the directory as its queue. */
export const tinyKeys = (directory: string): string => `workload: jobs
commands: { tiny: [node, tiny.mjs] }
queue: tiny
libraries: ${directory}
pool: { strategy: own, size: 12 }`;
