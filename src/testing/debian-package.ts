// Programs out of Debian packages for tests, without installing anything and without being root: a package and the
// libraries it needs are downloaded with apt (private lists and cache, the mirror that this machine already uses),
// unpacked into `.cache/debian`, and started through their own dynamic linker. So a newer release's program runs
// on an older machine. Refuses to guess: what cannot be had is an error that says what to install.
import { execFile } from "node:child_process";
import { existsSync, rmSync, statSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { messageOf } from "../foundation/errors.js";

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL("../../.cache/debian/", import.meta.url));
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

export interface DebianProgram {
  /** The package; the libraries it depends on come with it. */
  readonly packageName: string;
  /** Path of the program inside the package, as `usr/sbin/haproxy`. */
  readonly program: string;
  /** Release to take it from, as `trixie`; this machine's own when left out. */
  readonly suite?: string;
}

/**
 * Path of a script that starts the program and can be executed by every user. The first call downloads a few
 * megabytes; later ones find them. Rejects with one clear message where that is not possible.
 */
export async function unpackDebianProgram(wanted: DebianProgram): Promise<string> {
  const name = `${wanted.packageName}${wanted.suite ? ` (Debian ${wanted.suite})` : ""}`;
  try {
    const suite = wanted.suite ?? (await ownSuite());
    const root = path.join(CACHE, `${suite}-${process.arch}-${wanted.packageName}`);
    if (!existsSync(root)) await unpack(wanted.packageName, suite, root);
    return await writeStarter(await reachable(root), wanted.program);
  } catch (error) {
    throw new Error(
      `tests need ${name}, and it cannot be unpacked from Debian's packages: ${messageOf(error)}. ` +
        `Install it (Debian: apt-get install ${wanted.packageName}) or run the tests where apt-get reaches a mirror.`,
      { cause: error },
    );
  }
}

/** The program on PATH or where administration programs are, else unpacked. */
export async function findOrUnpack(wanted: DebianProgram): Promise<string> {
  const directories = (process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean);
  const installed = [...directories, "/usr/sbin", "/usr/local/sbin"]
    .map((directory) => path.join(directory, path.basename(wanted.program)))
    .find((file) => existsSync(file));
  return installed ?? unpackDebianProgram(wanted);
}

async function ownSuite(): Promise<string> {
  const release = await readFile("/etc/os-release", "utf8");
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(release)?.[1];
  if (!/^ID=debian$/m.test(release) || suite === undefined) throw new Error("this is not Debian");
  return suite;
}

/** The mirror that this machine's own apt sources name first, one that holds Debian's main archive. */
async function mirror(): Promise<string> {
  const folder = "/etc/apt/sources.list.d";
  const files = existsSync(folder) ? (await readdir(folder)).map((file) => path.join(folder, file)) : [];
  for (const file of ["/etc/apt/sources.list", ...files].filter((each) => existsSync(each))) {
    const text = await readFile(file, "utf8");
    const uri = /^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s+)?)(\S+\/debian)\/?(?:\s|$)/m.exec(text)?.[1];
    if (uri !== undefined) return uri;
  }
  throw new Error("no Debian mirror in /etc/apt/sources.list or /etc/apt/sources.list.d");
}

/** Makes `root`, all or nothing: two test files may want it at the same moment. */
async function unpack(packageName: string, suite: string, root: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(`${root}.`);
  try {
    const apt = await aptOptions(work, suite);
    await run("apt-get", [...apt, "update"]);
    const downloads = path.join(work, "downloads");
    await mkdir(downloads);
    await run("apt-get", [...apt, "download", ...(await withLibraries(packageName, apt))], {
      cwd: downloads,
    });
    const tree = path.join(work, "tree");
    for (const file of await readdir(downloads)) await run("dpkg", ["-x", path.join(downloads, file), tree]);
    await rename(tree, root).catch((error: unknown) => {
      if (!existsSync(root)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** An apt of its own: nothing of the machine's state is read, locked or written. */
async function aptOptions(work: string, suite: string): Promise<string[]> {
  const sources = path.join(work, "sources.list");
  await writeFile(sources, `deb [signed-by=${KEYRING}] ${await mirror()} ${suite} main\n`);
  await writeFile(path.join(work, "status"), "");
  for (const folder of ["state/lists/partial", "cache/archives/partial"])
    await mkdir(path.join(work, folder), { recursive: true });
  const options = {
    "Dir::Etc::SourceList": sources,
    "Dir::Etc::SourceParts": "-",
    "Dir::State": path.join(work, "state"),
    "Dir::State::Status": path.join(work, "status"),
    "Dir::Cache": path.join(work, "cache"),
    "Acquire::Languages": "none",
    "APT::Sandbox::User": process.getuid?.() === 0 ? "root" : "",
  };
  return ["-qq", ...Object.entries(options).map(([key, value]) => `-o${key}=${value}`)];
}

/** The package and, level by level, the libraries that it and they depend on. */
async function withLibraries(packageName: string, apt: readonly string[]): Promise<string[]> {
  const found = new Set([packageName]);
  for (let level = [packageName]; level.length > 0;) {
    const { stdout } = await run("apt-cache", [...apt, "depends", "--important", ...level]);
    level = [...stdout.matchAll(/^ *\|?(?:Pre)?Depends: (lib[\w.+-]+|zlib1g)$/gm)]
      .map((match) => match[1] as string)
      .filter((library) => !found.has(library));
    for (const library of level) found.add(library);
  }
  return [...found];
}

/** `root`, or a copy of it where every user gets to: servers do not run as root. Copies go with this process. */
async function reachable(root: string): Promise<string> {
  const isOpen = (directory: string): boolean =>
    (statSync(directory).mode & 0o001) !== 0 &&
    (directory === path.dirname(directory) || isOpen(path.dirname(directory)));
  if (process.getuid?.() !== 0 || isOpen(root)) return root;
  const copy = await mkdtemp(path.join(tmpdir(), "train-sim-program-"));
  process.once("exit", () => rmSync(copy, { recursive: true, force: true }));
  await chmod(copy, 0o755);
  await cp(root, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** A script that starts the program with the linker and the libraries of its own release. */
async function writeStarter(root: string, program: string): Promise<string> {
  const files = await readdir(root, { recursive: true });
  const linker = files.find((file) => /(^|\/)ld-linux[^/]*\.so\.\d+$/.test(file));
  if (linker === undefined) throw new Error(`no dynamic linker among the packages in ${root}`);
  const folders = new Set(files.filter((file) => /\.so(\.|$)/.test(file)).map((file) => path.dirname(file)));
  const libraries = [...folders].map((folder) => path.join(root, folder)).join(":");
  const starter = path.join(root, path.basename(program));
  const text = `#!/bin/sh\nexec "${path.join(root, linker)}" --library-path "${libraries}" "${path.join(root, program)}" "$@"\n`;
  const current = existsSync(starter) ? await readFile(starter, "utf8") : "";
  if (current === text) return starter;
  const fresh = `${starter}.${process.pid}`;
  await writeFile(fresh, text, { mode: 0o755 });
  await rename(fresh, starter);
  return starter;
}
