// Later versions of Node, from npm's package `node`: each runs the unit tests and the quickstart.
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { MAIN, onlyResultIn, scratchDirectory } from "../support/train-sim.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VITEST = path.join(ROOT, "node_modules/vitest/vitest.mjs");

/** The path of the executable. */
function nodeOf(major: number): string {
  const asked = ["node", "-p", "process.execPath"];
  const args = ["exec", "--yes", `--package=node@${major}`, "--", ...asked];
  return execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" }).trim();
}

it.each([22, 24, 26])("train-sim passes its unit tests and runs the quickstart on Node %i", (major) => {
  const node = nodeOf(major);
  // This version comes first in PATH, so that a program that is started as "node" gets it, too.
  const { HOME, PATH } = process.env;
  const env = { HOME, PATH: `${path.dirname(node)}${path.delimiter}${PATH ?? ""}` };
  const run = (...args: string[]): string => execFileSync(node, args, { cwd: ROOT, encoding: "utf8", env });
  const out = scratchDirectory();
  const short = ["--trials", "1", "--duration", "1s", "--quiet", "--out", out];
  run(MAIN, "run", path.join(ROOT, "scenarios/quickstart.yaml"), ...short);
  const { result } = onlyResultIn(out);
  expect(result.environment.versions["node"] ?? "").toMatch(new RegExp(`^v${major}\\.`));
  expect(result.treatments.map(({ trials }) => trials[0]?.integrity?.verdict)).not.toContain("failed");

  run(VITEST, "run", "--project", "unit", "--reporter=dot");
});
