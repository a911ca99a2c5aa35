// Finds the PgBouncer that train-sim runs: the one that TRAIN_SIM_PGBOUNCER names, else the first on PATH or in
// the places where packages put it. It asks it for its version, as the user it will run as, since that decides
// about prepared statements and proves that the program can be executed. Nothing is downloaded or installed here.
import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { messageOf, TargetError } from "../../foundation/errors.js";
import { serverUser } from "../../foundation/process/private-directory.js";
import { serverEnvironment } from "../../foundation/process/server-process.js";

const run = promisify(execFile);

/** PgBouncer lives in sbin, which PATH of a normal user often leaves out. */
const FURTHER_PLACES = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

const INSTALL_HINT =
  'Only a pool "pgbouncer" without urls needs one: install it (Debian, Ubuntu: sudo apt-get install pgbouncer; macOS: brew install pgbouncer; Docker: apk add or apt-get install pgbouncer in the image), ' +
  "or set TRAIN_SIM_PGBOUNCER to its path, or list running ones as pool.urls.";

export interface PgBouncerProgram {
  readonly path: string;
  /** As `1.24.1`. */
  readonly version: string;
}

/** TargetError with the ways to get one when there is none, or when it cannot be run. */
export async function findPgBouncer(env: NodeJS.ProcessEnv = process.env): Promise<PgBouncerProgram> {
  const chosen = env["TRAIN_SIM_PGBOUNCER"];
  if (chosen) return { path: chosen, version: await versionOf(chosen, "TRAIN_SIM_PGBOUNCER names it") };
  const places = [...(env["PATH"] ?? "").split(delimiter).filter(Boolean), ...FURTHER_PLACES];
  for (const place of new Set(places)) {
    const path = join(place, "pgbouncer");
    if (await isExecutable(path)) return { path, version: await versionOf(path, "found there") };
  }
  throw new TargetError("no PgBouncer on this machine", INSTALL_HINT);
}

/** True when `version` is at least `wanted`, by its numbers: 1.9 is before 1.21. */
export function isVersionAtLeast(version: string, wanted: string): boolean {
  const [have, need] = [version, wanted].map((text) => text.split(".").map(Number));
  for (const [index, number] of (need ?? []).entries()) {
    const difference = (have?.[index] ?? 0) - number;
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

async function versionOf(path: string, how: string): Promise<string> {
  const user = await serverUser();
  let output: string;
  try {
    const { stdout } = await run(path, ["--version"], {
      cwd: "/",
      env: serverEnvironment(),
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    output = stdout;
  } catch (error) {
    const as = user ? ` as user ${user.name}` : "";
    throw new TargetError(
      `the PgBouncer ${path} (${how}) cannot be run${as}: ${messageOf(error).trim()}`,
      "Point TRAIN_SIM_PGBOUNCER at a PgBouncer program that this user can execute, or unset it.",
      { cause: error },
    );
  }
  const version = /PgBouncer (?:version )?(\d+(?:\.\d+)+)/i.exec(output)?.[1];
  if (version === undefined) {
    throw new TargetError(
      `${path} (${how}) is not a PgBouncer: asked for its version it said ${JSON.stringify(output.slice(0, 80))}`,
      INSTALL_HINT,
    );
  }
  return version;
}
