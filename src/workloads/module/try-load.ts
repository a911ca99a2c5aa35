// Loads a module in another process first: a module that throws, does not end or imports a missing file becomes one sentence.
import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";
import { passwordlessEnvironment } from "../../foundation/process/run-command.js";

const LOAD_TIMEOUT_MS = 10_000;

/** Reason why a module cannot be loaded; undefined if it can be. */
export function loadProblem(file: string): string | undefined {
  const code = `import(${JSON.stringify(pathToFileURL(file).href)}).then(
    () => process.exit(0),
    (error) => { process.stderr.write(String(error?.message ?? error)); process.exit(1); },
  )`;
  const { status, error, stderr } = spawnSync(process.execPath, ["-e", code], {
    encoding: "utf8",
    env: passwordlessEnvironment(),
    timeout: LOAD_TIMEOUT_MS,
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (status === 0) return undefined;
  if (error) return `does not load within ${LOAD_TIMEOUT_MS / 1000} s`;
  return stderr.trim().split("\n")[0] ?? "cannot be loaded";
}
