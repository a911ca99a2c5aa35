// Finds the poolers of the tests, among them a PgBouncer from before prepared statements work in transaction mode (1.18,
// Debian 12's). One on PATH is used if its version fits; otherwise Debian's package is unpacked. The server's user must be
// able to execute it, so a program below a directory that is closed to that user is copied. A missing pooler is reported,
// not skipped.
import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../../src/foundation/errors.js";
import { isVersionAtLeast } from "../../src/pools/find-program.js";
import { pgbouncerKind } from "../../src/pools/pgbouncer/pgbouncer.js";
import { odysseyKind } from "../../src/pools/odyssey/odyssey.js";
import { pgpoolKind } from "../../src/pools/pgpool/pgpool.js";
import type { PoolerKind } from "../../src/pools/strategy.js";
import { makePrivateDirectory } from "../../src/foundation/process/private-directory.js";
import { debianProgram, type DebianProgram } from "./debian-program.js";

interface Wanted extends DebianProgram {
  readonly kind: Pick<PoolerKind<never>, "find" | "product" | "variable">;
  /** Returns true if an installed pooler of that version can be used. */
  readonly fits: (version: string) => boolean;
  /** True for a program that only tests of the lane `full` use. */
  readonly isForFullOnly?: true;
}

const PGBOUNCER = { packageName: "pgbouncer", program: "usr/sbin/pgbouncer", kind: pgbouncerKind };

/** Poolers by the names that tests use. */
export const POOLERS = {
  "1.18": { ...PGBOUNCER, suite: "bookworm", fits: (version) => !isVersionAtLeast(version, "1.21") },
  "1.24": {
    ...{ ...PGBOUNCER, suite: "trixie", isForFullOnly: true },
    fits: (version) => version.startsWith("1.24."),
  },
  "1.26": { ...PGBOUNCER, suite: "sid", fits: (version) => isVersionAtLeast(version, "1.26") },
  pgpool: {
    kind: pgpoolKind,
    ...{ packageName: "pgpool2", program: "usr/sbin/pgpool", suite: "bookworm" },
    fits: (version) => isVersionAtLeast(version, "4.3"),
  },
  odyssey: {
    kind: odysseyKind,
    ...{ packageName: "odyssey", program: "usr/bin/odyssey", suite: "sid" },
    fits: (version) => isVersionAtLeast(version, "1.5"),
  },
} as const satisfies Record<string, Wanted>;

export type PoolerName = keyof typeof POOLERS;

/** Path of a pooler's program, or the reason why there is none. */
export type PoolerFound = { readonly path: string } | { readonly missing: string };

export type PoolersFound = Readonly<Record<PoolerName, PoolerFound>>;

export interface PoolerSetup {
  readonly found: PoolersFound;
  readonly cleanUp: () => Promise<void>;
}

/** Finds or unpacks the poolers of a lane. Never rejects. */
export async function setUpPoolers(isFull: boolean): Promise<PoolerSetup> {
  const cleanUps: (() => Promise<void>)[] = [];
  const found = await Promise.all(
    Object.entries<Wanted>(POOLERS).map(async ([name, wanted]): Promise<[string, PoolerFound]> => {
      if (wanted.isForFullOnly && !isFull) return [name, { missing: "only the lane full has it" }];
      try {
        return [name, { path: await obtain(wanted, cleanUps) }];
      } catch (error) {
        return [name, { missing: messageOf(error) }];
      }
    }),
  );
  return {
    found: Object.fromEntries(found) as PoolersFound,
    cleanUp: async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}

async function obtain(wanted: Wanted, cleanUps: (() => Promise<void>)[]): Promise<string> {
  const { kind, packageName } = wanted;
  const installed = await kind.find({ PATH: process.env["PATH"] ?? "" }).catch(() => undefined);
  if (installed && wanted.fits(installed.version)) return installed.path;
  const wrapper = await debianProgram(wanted);
  if (await isUsable(wanted, wrapper)) return wrapper;
  const directory = await makePrivateDirectory(packageName.replaceAll(/\d/g, ""));
  cleanUps.push(() => directory.remove());
  const copy = join(directory.path, "program");
  await cp(dirname(wrapper), copy, { recursive: true, verbatimSymlinks: true });
  if (directory.user) {
    const { uid, gid } = directory.user;
    await promisify(execFile)("chown", ["-R", `${uid}:${gid}`, copy]);
  }
  return join(copy, "run");
}

/** True if the user of the servers can run the program. */
async function isUsable({ kind }: Wanted, path: string): Promise<boolean> {
  return kind.find({ [kind.variable]: path }).then(
    () => true,
    () => false,
  );
}
