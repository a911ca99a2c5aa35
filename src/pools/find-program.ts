// Finds a pooler's program by an environment variable, PATH, or the directories of packages. The program is asked for its
// version as the user that it will run as, which proves that it can run.
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { messageOf, TargetError } from "../foundation/errors.js";
import { serverUser } from "../foundation/process/private-directory.js";
import { serverEnvironment } from "../foundation/process/server-process.js";
import type { PoolerProgram } from "./strategy.js";

const run = promisify(execFile);

/** Directories searched besides PATH: poolers are often in sbin, which the PATH of a normal user leaves out. */
const FURTHER_PROGRAM_DIRECTORIES = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

export interface ProgramRequirement {
  readonly product: string;
  readonly command: string;
  readonly variable: string;
  /** Pattern of the output of `--version`; its first group is the version. */
  readonly versionIn: RegExp;
  /** Ways to install the program. */
  readonly hint: string;
}

/** Finds the program and its version. Throws a TargetError that says how to install it if it is missing or cannot be run. */
export async function findProgram(
  wanted: ProgramRequirement,
  env: NodeJS.ProcessEnv = process.env,
): Promise<PoolerProgram> {
  const { command, variable, product, hint } = wanted;
  const chosen = env[variable];
  if (chosen) return { path: chosen, version: await versionOf(wanted, chosen, `${variable} names it`) };
  const places = [...(env["PATH"] ?? "").split(delimiter).filter(Boolean), ...FURTHER_PROGRAM_DIRECTORIES];
  for (const place of new Set(places)) {
    const path = join(place, command);
    if (await isExecutable(path)) return { path, version: await versionOf(wanted, path, "found there") };
  }
  throw new TargetError(`no ${product} on this machine`, hint);
}

/** True if `version` is at least `wanted`, compared number by number: 1.9 is before 1.21. */
export function isVersionAtLeast(version: string, wanted: string): boolean {
  const [versionNumbers, need] = [version, wanted].map((text) => text.split(".").map(Number));
  for (const [index, number] of (need ?? []).entries()) {
    const difference = (versionNumbers?.[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(wanted: ProgramRequirement, path: string, how: string): Promise<string> {
  const { product, variable, versionIn, hint } = wanted;
  const user = await serverUser();
  let output: string;
  try {
    const { stdout, stderr } = await run(path, ["--version"], {
      cwd: "/",
      env: serverEnvironment(),
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    // Pgpool-II writes its version to stderr.
    output = `${stdout}${stderr}`;
  } catch (error) {
    const as = user ? ` as user ${user.name}` : "";
    throw new TargetError(
      `the ${product} ${path} (${how}) cannot be run${as}: ${messageOf(error).trim()}`,
      `Point ${variable} at a ${product} program that this user can execute, or unset it.`,
      { cause: error },
    );
  }
  const version = versionIn.exec(output)?.[1];
  if (version === undefined) {
    throw new TargetError(
      `${path} (${how}) is not a ${product}: asked for its version it said ${JSON.stringify(output.slice(0, 80))}`,
      hint,
    );
  }
  return version;
}
