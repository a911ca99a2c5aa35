// Programs of queues in other languages, built and installed below .cache for `npm run test:queues`.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const CACHE = join(ROOT, ".cache/queues");

export const queueFile = (...path: string[]): string => join(ROOT, "scenarios/queues", ...path);

/** Path of the program that Go builds of a folder of scenarios/queues. Its cache makes a second build quick. */
export function buildGo(folder: string): string {
  const program = join(CACHE, folder);
  execFileSync("go", ["build", "-o", program, "."], { cwd: queueFile(folder), stdio: "pipe" });
  return program;
}

/** A Python of at least that version: the one that PYTHON names, on PATH, or of pyenv. */
function findPython(version: string): string {
  const pyenv = join(homedir(), ".pyenv/versions");
  const candidates = [
    process.env["PYTHON"] ?? "python3",
    ...["3.14", "3.13", "3.12", "3.11"].map((found) => `python${found}`),
    ...(existsSync(pyenv) ? readdirSync(pyenv).map((name) => join(pyenv, name, "bin/python3")) : []),
  ];
  const check = `import sys; sys.exit(sys.version_info < (${version.replace(".", ", ")}))`;
  const found = candidates.find((python) => spawnSync(python, ["-c", check]).status === 0);
  if (found === undefined) throw new Error(`no Python ${version} or later; name one by PYTHON`);
  return found;
}

/** Path of a Python that has the requirements of a folder of scenarios/queues. */
export function installPython(folder: string, version = "3.11"): string {
  const requirements = queueFile(folder, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const environment = join(CACHE, `${folder}-${digest}`);
  const installed = join(environment, "bin/python");
  const mark = join(environment, "complete");
  if (existsSync(mark)) return installed;
  execFileSync(findPython(version), ["-m", "venv", "--clear", environment], { stdio: "pipe" });
  execFileSync(installed, ["-m", "pip", "install", "--quiet", "--requirement", requirements], {
    stdio: "pipe",
  });
  writeFileSync(mark, "");
  return installed;
}
