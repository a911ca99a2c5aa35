// Unpacks real programs for tests from Debian's packages, without installation and without root: apt downloads the package
// and its libraries with separate lists and caches, dpkg unpacks them below `.cache/`, and a wrapper runs the program with
// its own libraries and loader, so another release of Debian works too. Mirror and keys come from the machine's /etc/apt. A
// program that is not available is an error with the reason, never a skipped test.
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { wallClockMs } from "../../src/foundation/clock.js";
import { messageOf } from "../../src/foundation/errors.js";
import { oneAtATime } from "./one-at-a-time.js";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "..", "..", ".cache", "debian");
const APT_PATIENCE_MS = 300_000;
/** Age at which lists of packages are fetched again: a mirror may have removed the packages that they name. */
const LISTS_MAX_AGE_MS = 3_600_000;

export interface DebianProgram {
  /** Release that the package is taken from. Example: `trixie`. */
  readonly suite: string;
  readonly packageName: string;
  /** Path inside the package. Example: `usr/sbin/pgbouncer`. */
  readonly program: string;
}

/** Resolves to the path of an executable that runs the program, from the cache if an earlier test unpacked it. */
export async function debianProgram(wanted: DebianProgram): Promise<string> {
  const title = `${wanted.packageName} of Debian ${wanted.suite}`;
  try {
    const architecture = (await run("dpkg", ["--print-architecture"])).stdout.trim();
    const release = join(CACHE, `${wanted.suite}-${architecture}`);
    const home = join(release, wanted.packageName);
    const wrapper = join(home, "run");
    if (await isThere(wrapper)) return wrapper;
    await mkdir(release, { recursive: true });
    await oneAtATime(`${release}.lock`, async () => {
      if (await isThere(wrapper)) return;
      await unpackInto(home, wanted, await privateApt(wanted.suite, `${release}.apt`));
    });
    return wrapper;
  } catch (error) {
    throw new Error(
      `tests need ${title}, and it cannot be had: ${messageOf(error)} (this needs a Debian machine whose /etc/apt names a reachable mirror)`,
      { cause: error },
    );
  }
}

async function unpackInto(home: string, wanted: DebianProgram, apt: Apt): Promise<void> {
  const draft = await mkdtemp(`${home}.draft-`);
  try {
    await unpack(wanted.packageName, draft, apt);
    await writeWrapper(wanted.program, draft);
    await rename(draft, home);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const modifiedMs = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

const isThere = async (path: string): Promise<boolean> => (await modifiedMs(path)) !== undefined;

async function unpack(packageName: string, directory: string, apt: Apt): Promise<void> {
  const packages = [packageName, ...(await librariesOf(packageName, apt))];
  const downloads = join(directory, "downloads");
  await mkdir(downloads);
  await apt("apt-get", ["download", ...packages], downloads);
  for (const file of await readdir(downloads))
    await run("dpkg", ["-x", join(downloads, file), join(directory, "root")]);
  await rm(downloads, { recursive: true });
}

type Apt = (command: "apt-get" | "apt-cache", args: string[], cwd?: string) => Promise<string>;

/**
 * An apt with one suite, which shares only mirror, keys and proxy with the machine's apt. All packages of the suite share
 * its lists, whose update takes more processor time than all else.
 */
async function privateApt(suite: string, directory: string): Promise<Apt> {
  for (const name of ["lists/partial", "cache/archives/partial", "log"])
    await mkdir(join(directory, name), { recursive: true });
  await writeFile(join(directory, "status"), "");
  // Packages of experimental take their libraries from sid.
  const suites = suite === "experimental" ? ["sid", suite] : [suite];
  const sources = await machineSources();
  await writeFile(join(directory, "sources.list"), suites.map((each) => sourcesLine(each, sources)).join(""));
  const options = {
    "Dir::Etc::sourcelist": join(directory, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
    "Dir::State": directory,
    "Dir::State::lists": join(directory, "lists"),
    "Dir::State::status": join(directory, "status"),
    "Dir::Cache": join(directory, "cache"),
    // Images of Debian switch these files off, and each command would then read all lists for a second.
    "Dir::Cache::pkgcache": "pkgcache.bin",
    "Dir::Cache::srcpkgcache": "srcpkgcache.bin",
    "Dir::Log": join(directory, "log"),
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
    "Acquire::Retries": "3",
    // Without this option apt-get update ends with 0 although it fetched nothing.
    "APT::Update::Error-Mode": "any",
  };
  const flags = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const apt: Apt = async (command, args, cwd = directory) => {
    try {
      const env = { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" };
      return (await run(command, ["-q", ...flags, ...args], { cwd, env, timeout: APT_PATIENCE_MS })).stdout;
    } catch (error) {
      const stderr = typeof error === "object" && error !== null && "stderr" in error ? error.stderr : "";
      const lastLines = String(stderr).trim().split("\n").slice(-4).join("; ");
      throw new Error(`${command} ${args[0] ?? ""} failed: ${lastLines || messageOf(error)}`, {
        cause: error,
      });
    }
  };
  const updateMark = join(directory, "updated");
  const ageMs = wallClockMs() - ((await modifiedMs(updateMark)) ?? 0);
  if (ageMs > LISTS_MAX_AGE_MS) {
    await apt("apt-get", ["update"]);
    await writeFile(updateMark, "");
  }
  return apt;
}

interface AptSource {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly signedBy?: string;
}

/** Package sources of the machine, in both notations. */
async function machineSources(): Promise<AptSource[]> {
  const parts = "/etc/apt/sources.list.d";
  const files = ["/etc/apt/sources.list"];
  for (const name of await readdir(parts).catch(() => [])) files.push(join(parts, name));
  const sources: AptSource[] = [];
  for (const file of files.filter((name) => /\.(list|sources)$/.test(name))) {
    const text = await readFile(file, "utf8").catch(() => "");
    sources.push(...(file.endsWith(".list") ? parseOneLineSources(text) : parseDeb822Sources(text)));
  }
  return sources;
}

/** Sources from lines such as `deb [signed-by=/key] http://mirror/debian bookworm main`. */
export function parseOneLineSources(text: string): AptSource[] {
  return text.split("\n").flatMap((line) => {
    const match = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s/.exec(`${line.trim()} `);
    if (!match) return [];
    const [, options = "", uri = "", suite = ""] = match;
    const signedBy = /signed-by=(\S+)/.exec(options)?.[1];
    return [{ uri, suites: [suite], ...(signedBy !== undefined && { signedBy }) }];
  });
}

/** Sources from stanzas of `Types:`, `URIs:`, `Suites:`, `Signed-By:`. Inline keys are left to apt's own. */
export function parseDeb822Sources(text: string): AptSource[] {
  return text.split(/\n\s*\n/).flatMap((stanza) => {
    const field = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(stanza)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? [];
    const [uri] = field("URIs");
    const [signedBy] = field("Signed-By");
    if (uri === undefined || !field("Types").includes("deb") || field("Enabled")[0] === "no") return [];
    return [{ uri, suites: field("Suites"), ...(signedBy?.startsWith("/") && { signedBy }) }];
  });
}

const DEBIAN_SUITES = /^(buster|bullseye|bookworm|trixie|forky|sid|(old)*stable|testing|unstable)$/;

/** A sources.list of one line: `suite` from the mirror of the machine's own Debian packages. */
export function sourcesLine(suite: string, sources: readonly AptSource[]): string {
  const debian = sources.find(({ suites }) => suites.some((name) => DEBIAN_SUITES.test(name)));
  if (!debian) throw new Error("/etc/apt names no Debian mirror");
  const options = debian.signedBy === undefined ? "" : `[signed-by=${debian.signedBy}] `;
  return `deb ${options}${debian.uri} ${suite} main\n`;
}

/** Shared libraries that a package needs, directly or through another library. */
async function librariesOf(packageName: string, apt: Apt): Promise<string[]> {
  const found = new Set<string>();
  let next = [packageName];
  while (next.length > 0) {
    const output = await apt("apt-cache", ["depends", "--important", ...next]);
    const needed = [...output.matchAll(/^ [ |](?:Pre)?Depends: (\S+)$/gm)].map(([, name = ""]) => name);
    next = [...new Set(needed)].filter((name) => /^(lib|zlib)/.test(name) && !found.has(name));
    for (const name of next) found.add(name);
  }
  return [...found];
}

/** Writes a wrapper script. `exec` keeps the process id, so that signals reach the program itself. */
async function writeWrapper(program: string, directory: string): Promise<void> {
  const root = join(directory, "root");
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const loader = files.find((file) => file.isFile() && /^ld-linux.*\.so\.\d+$/.test(file.name));
  if (!loader) throw new Error("its libraries hold no dynamic loader");
  const libraries = new Set(
    files.filter((file) => file.name.includes(".so")).map((file) => relative(directory, file.parentPath)),
  );
  const path = [...libraries].map((name) => `$here/${name}`).join(":");
  const script = [
    "#!/bin/sh",
    'here=$(dirname "$(readlink -f "$0")")',
    `exec "$here/${relative(directory, join(loader.parentPath, loader.name))}" --library-path "${path}" "$here/root/${program}" "$@"`,
    "",
  ].join("\n");
  await writeFile(join(directory, "run"), script);
  await chmod(join(directory, "run"), 0o755);
  await chmod(directory, 0o755);
}
