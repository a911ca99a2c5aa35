// Programs of queues in other languages, built and installed below .cache for `npm run test:queues`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
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

/** Path of a Python that has the requirements of a folder of scenarios/queues. */
export function installPython(folder: string, python = "python3"): string {
  const requirements = queueFile(folder, "requirements.txt");
  const version = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const environment = join(CACHE, `${folder}-${version}`);
  const installed = join(environment, "bin/python");
  const mark = join(environment, "complete");
  if (existsSync(mark)) return installed;
  execFileSync(python, ["-m", "venv", "--clear", environment], { stdio: "pipe" });
  execFileSync(installed, ["-m", "pip", "install", "--quiet", "--requirement", requirements], {
    stdio: "pipe",
  });
  writeFileSync(mark, "");
  return installed;
}
