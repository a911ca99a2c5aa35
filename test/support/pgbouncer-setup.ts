// Gets the two PgBouncers that the tests run: one from before prepared statements work in transaction mode (1.18,
// Debian 12's own) and one from after (1.21 or newer, Debian 13's 1.24). One on PATH is taken when its version
// fits; otherwise it is unpacked from Debian's packages. The server's user must be able to execute it, so one below
// a directory that is closed to that user is copied. A version that cannot be had is reported, not skipped.
import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../src/foundation/errors.js";
import { findPgBouncer, isVersionAtLeast } from "../../src/pools/pgbouncer/find-pgbouncer.js";
import { makePrivateDirectory } from "../../src/foundation/process/private-directory.js";
import { debianProgram } from "./debian-program.js";

/** By the version that stands for each kind. */
export type PgBouncerKind = "1.18" | "1.24";

/** Either the path of a program for TRAIN_SIM_PGBOUNCER, or why there is none. */
export type PgBouncerFound = { readonly path: string } | { readonly missing: string };

export type PgBouncersFound = Readonly<Record<PgBouncerKind, PgBouncerFound>>;

const SUITES: Readonly<Record<PgBouncerKind, string>> = { "1.18": "bookworm", "1.24": "trixie" };

export interface PgBouncerSetup {
  readonly found: PgBouncersFound;
  readonly cleanUp: () => Promise<void>;
}

/** Never rejects. */
export async function setUpPgBouncers(): Promise<PgBouncerSetup> {
  const cleanUps: (() => Promise<void>)[] = [];
  const find = async (kind: PgBouncerKind): Promise<PgBouncerFound> => {
    try {
      return { path: await obtain(kind, cleanUps) };
    } catch (error) {
      return { missing: messageOf(error) };
    }
  };
  const [old, recent] = await Promise.all([find("1.18"), find("1.24")]);
  return {
    found: { "1.18": old, "1.24": recent },
    cleanUp: async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}

async function obtain(kind: PgBouncerKind, cleanUps: (() => Promise<void>)[]): Promise<string> {
  const installed = await findPgBouncer({ PATH: process.env["PATH"] ?? "" }).catch(() => undefined);
  if (installed && isVersionAtLeast(installed.version, "1.21") === (kind === "1.24")) return installed.path;
  const wrapper = await debianProgram({
    suite: SUITES[kind],
    packageName: "pgbouncer",
    program: "usr/sbin/pgbouncer",
  });
  if (await isUsable(wrapper)) return wrapper;
  const directory = await makePrivateDirectory("pgbouncer");
  cleanUps.push(() => directory.remove());
  const copy = join(directory.path, "program");
  await cp(dirname(wrapper), copy, { recursive: true, verbatimSymlinks: true });
  if (directory.user) {
    const { uid, gid } = directory.user;
    await promisify(execFile)("chown", ["-R", `${uid}:${gid}`, copy]);
  }
  return join(copy, "run");
}

/** By the user that servers run as. */
async function isUsable(path: string): Promise<boolean> {
  return findPgBouncer({ TRAIN_SIM_PGBOUNCER: path }).then(
    () => true,
    () => false,
  );
}
