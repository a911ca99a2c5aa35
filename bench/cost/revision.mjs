// Builds the program of another commit in a separate worktree below `.cache/cost/`, once for each commit.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** @param {string} command @param {string[]} args @param {string} [cwd] */
const run = (command, args, cwd = ROOT) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();

/** The short name of a commit. Throws if git knows no such revision. @param {string} revision */
export const commitOf = (revision) =>
  run("git", ["rev-parse", "--short=10", "--verify", `${revision}^{commit}`]);

/** @param {string} directory */
const lockFile = (directory) => readFileSync(join(directory, "package-lock.json"), "utf8");

/** The path of the built command line of a commit, which is built if needed. @param {string} commit */
export function buildRevision(commit) {
  const directory = join(ROOT, ".cache", "cost", commit);
  const main = join(directory, "dist", "cli", "main.js");
  if (existsSync(main)) return main;
  run("git", ["worktree", "prune"]);
  if (!existsSync(directory)) run("git", ["worktree", "add", "--detach", directory, commit]);
  if (lockFile(directory) !== lockFile(ROOT)) run("npm", ["ci", "--ignore-scripts"], directory);
  else if (!existsSync(join(directory, "node_modules")))
    symlinkSync(join(ROOT, "node_modules"), join(directory, "node_modules"));
  run("npm", ["run", "build"], directory);
  return main;
}

/** Costs of a commit's parts, measured by today's `bench/parts.mjs`; undefined if today's bench does not fit its code. */
export function partsOf(commit) {
  const directory = join(ROOT, ".cache", "cost", commit);
  const benchFolder = join(directory, "bench", "today");
  mkdirSync(benchFolder, { recursive: true });
  for (const file of ["parts.mjs", "options.mjs"])
    copyFileSync(join(ROOT, "bench", file), join(benchFolder, file));
  return measuredParts(benchFolder);
}

/** @param {string} [directory] of the bench, which measures the built program beneath the same root */
export function measuredParts(directory = join(ROOT, "bench")) {
  try {
    const json = run(process.execPath, [join(directory, "parts.mjs"), "--json"]);
    return /** @type {Record<string, { ns: number, bytes: number }>} */ (JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** The executable of a major version of Node: the running one if it has that version, otherwise npm's package `node`. */
export function nodeOf(major) {
  if (process.version.startsWith(`v${major}.`)) return process.execPath;
  const asked = ["node", "-p", "process.execPath"];
  return run("npm", ["exec", "--yes", `--package=node@${major}`, "--", ...asked]);
}
