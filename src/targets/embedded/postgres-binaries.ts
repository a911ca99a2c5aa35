// `npm ci --ignore-scripts` skips the package's symbolic links: they are restored here.
import { execFile } from "node:child_process";
import { cp, lchown, readdir, readFile, symlink, lstat } from "node:fs/promises";
import { platform } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { codeOf, messageOf, TargetError } from "../../foundation/errors.js";
import { findPostgresPackage } from "./postgres-packages.js";
import type { PrivateDirectory, ServerUser } from "../../foundation/process/private-directory.js";
import { serverEnvironment } from "../../foundation/process/server-process.js";

const run = promisify(execFile);
const SymbolicLinks = z.array(z.object({ source: z.string(), target: z.string() }));

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
  /** False for another build, of which a version says too little to start from a stored cluster. */
  readonly isPackage: boolean;
  /** Names of the modules that the server can load, such as `pg_stat_statements`. */
  readonly modules: ReadonlySet<string>;
}

/** The choice of a server's programs: a version of npm's packages, or the directory of another build. */
export interface ProgramChoice {
  readonly version?: number;
  readonly binaries?: string;
  /** Directory of the scenario, from which packages are looked for as well. */
  readonly scenarioDirectory?: string;
}

/** The directory with `bin` and `lib`. Throws a TargetError if the version is not installed. */
export function rootOf({ version, binaries, scenarioDirectory }: ProgramChoice): string {
  return binaries ?? join(findPostgresPackage(version, scenarioDirectory), "native");
}

export function programIn(root: string, name: "initdb" | "postgres"): string {
  return join(root, "bin", platform() === "win32" ? `${name}.exe` : name);
}

/** Finds programs that the user of `directory` can run; copies them there if needed. */
export async function preparePostgresBinaries(
  directory: PrivateDirectory,
  choice: ProgramChoice = {},
): Promise<PostgresBinaries> {
  const root = rootOf(choice);
  const isPackage = choice.binaries === undefined;
  const where = choice.binaries ?? "the npm package";
  try {
    await restoreSymbolicLinks(root);
    return { ...(await describe(root, directory.user)), isPackage };
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) throw cannotRunError(where, error);
  }
  const programs = join(directory.path, "programs");
  const copy = join(programs, "native");
  try {
    await cp(root, copy, { recursive: true, verbatimSymlinks: true });
    await restoreSymbolicLinks(copy);
    if (directory.user) await changeOwner(programs, directory.user);
  } catch (error) {
    throw new TargetError(
      `the PostgreSQL programs of ${where} cannot be copied to ${copy}, where their user reaches them: ${messageOf(error)}`,
      "Free some space, or set TMPDIR to a directory with more; or install train-sim where every user can read it.",
      { cause: error },
    );
  }
  try {
    return { ...(await describe(copy, directory.user)), isPackage };
  } catch (error) {
    throw cannotRunError(where, error);
  }
}

/** Makes the relative symbolic links that the package's script `scripts/hydrate-symlinks.js` makes. Existing links stay. */
async function restoreSymbolicLinks(root: string): Promise<void> {
  const packageDirectory = dirname(root);
  let listed: string;
  try {
    listed = await readFile(join(root, "pg-symlinks.json"), "utf8");
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

async function describe(
  root: string,
  user: ServerUser | undefined,
): Promise<Omit<PostgresBinaries, "isPackage">> {
  const postgres = programIn(root, "postgres");
  const modules = await readdir(join(root, "lib", "postgresql")).catch(() => readdir(join(root, "lib")));
  return {
    initdb: programIn(root, "initdb"),
    postgres,
    version: await versionOf(postgres, user),
    modules: new Set(modules.map((file) => file.replace(/\.(so|dylib|dll)$/, ""))),
  };
}

/** The version that the program states, such as `18.4` or `19rc1`. */
export async function versionOf(postgres: string, user?: ServerUser): Promise<string> {
  const { stdout } = await run(postgres, ["--version"], {
    cwd: "/",
    env: serverEnvironment(),
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  return /\d+(\.\d+)*((beta|rc)\d+|devel)?/.exec(stdout)?.[0] ?? stdout.trim();
}

async function changeOwner(path: string, user: ServerUser): Promise<void> {
  await lchown(path, user.uid, user.gid);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
}

function cannotRunError(where: string, error: unknown): TargetError {
  return new TargetError(
    `the PostgreSQL programs of ${where} cannot be run: ${messageOf(error).trim()}`,
    "They need a glibc Linux, macOS or Windows and a temporary directory that allows execution; otherwise use target.kind url or container.",
    { cause: error },
  );
}
