// A cluster right after `initdb`, without a password, cached as one file. No failure here fails a run.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { homedir, platform, arch } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import * as z from "zod";
import { generateSecret } from "../../foundation/prng.js";
import type { ServerUser } from "../../foundation/process/private-directory.js";
import { guardDirectory } from "../../foundation/process/reaper.js";

const TEMPLATE_SUFFIX = ".cluster";
const DIGEST_CHARACTERS = 64;
/** Largest index of a template in bytes that is read; PostgreSQL 18 has about a thousand files. */
const INDEX_BYTES_MAX = 1 << 20;

/** Relative path below the data directory. `..` is refused. */
const Path = z.string().regex(/^(?!.*\.\.)\w[\w./-]*$/);
/**
 * Index of a template: directories, parents first, and files with their sizes, in the order in which their contents follow.
 */
const Index = z.object({
  directories: z.array(Path),
  files: z.array(z.object({ path: Path, bytes: z.number().int().min(0) })),
});
type Index = z.infer<typeof Index>;

/** Directory of the cache: `$XDG_CACHE_HOME/train-sim` or `~/.cache/train-sim`. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CACHE_HOME: cacheHome = "" } = environment;
  return join(isAbsolute(cacheHome) ? cacheHome : join(homedir(), ".cache"), "train-sim");
}

export class ClusterTemplate {
  private readonly file: string;

  /** Chooses the template's file by PostgreSQL version, `initdb` arguments and platform. */
  constructor(
    private readonly version: string,
    initdbArguments: readonly string[],
    private readonly cache = cacheDirectory(),
  ) {
    const of = createHash("sha256").update(initdbArguments.join("\n")).digest("hex").slice(0, 12);
    this.file = join(cache, `postgres-${version}-${platform()}-${arch()}-${of}${TEMPLATE_SUFFIX}`);
  }

  /** Makes `dataDirectory` from the template. Returns false, and leaves no directory, if there is no usable template. */
  restore(dataDirectory: string, user: ServerUser | undefined): boolean {
    try {
      if (!isOurs(this.cache) || !isOurs(this.file)) return false;
      unpack(this.file, dataDirectory, user);
      return true;
    } catch {
      fs.rmSync(dataDirectory, { recursive: true, force: true });
      return false;
    }
  }

  /** Stores the stopped cluster as the template and removes templates of other minor versions. Never rejects. */
  async save(dataDirectory: string): Promise<void> {
    const unfinishedFile = `${this.file}.${process.pid}-${generateSecret(4)}`;
    let release: (() => void) | undefined;
    try {
      fs.mkdirSync(this.cache, { recursive: true, mode: 0o700 });
      if (!isOurs(this.cache)) return;
      // The guard makes the reaper remove the unfinished file if train-sim dies.
      release = await guardDirectory(unfinishedFile);
      pack(dataDirectory, unfinishedFile);
      fs.renameSync(unfinishedFile, this.file);
      for (const name of fs.readdirSync(this.cache))
        if (this.isOfOtherMinorVersion(name)) fs.rmSync(join(this.cache, name), { force: true });
    } catch {
      if (release) fs.rmSync(unfinishedFile, { force: true });
    } finally {
      release?.();
    }
  }

  private isOfOtherMinorVersion(name: string): boolean {
    const version = name.endsWith(TEMPLATE_SUFFIX) && /^postgres-([^-]+)-/.exec(name)?.[1];
    if (!version || version === this.version) return false;
    return Number.parseInt(version, 10) === Number.parseInt(this.version, 10);
  }
}

/**
 * True if the path is this user's and closed to other users: a server must not run from data that others could have
 * changed.
 */
function isOurs(path: string): boolean {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats || stats.isSymbolicLink()) return false;
  const isPrivate = platform() === "win32" || (stats.mode & 0o077) === 0;
  return isPrivate && stats.uid === (process.getuid?.() ?? stats.uid);
}

/** Writes a template: the digest of everything after it, the index in one line, the files' contents. */
function pack(dataDirectory: string, file: string): void {
  const index = templateIndexOf(dataDirectory);
  const digest = createHash("sha256");
  const output = fs.openSync(file, "wx", 0o600);
  try {
    fs.writeSync(output, " ".repeat(DIGEST_CHARACTERS));
    const add = (bytes: Buffer): void => {
      digest.update(bytes);
      fs.writeFileSync(output, bytes);
    };
    add(Buffer.from(`${JSON.stringify(index)}\n`));
    for (const { path } of index.files) add(fs.readFileSync(join(dataDirectory, path)));
    fs.writeSync(output, digest.digest("hex"), 0);
    fs.fsyncSync(output);
  } finally {
    fs.closeSync(output);
  }
}

function templateIndexOf(dataDirectory: string): Index {
  const index: Index = { directories: [], files: [] };
  for (const entry of fs.readdirSync(dataDirectory, { withFileTypes: true, recursive: true })) {
    const full = join(entry.parentPath, entry.name);
    const path = relative(dataDirectory, full).split(sep).join("/");
    if (entry.isDirectory()) index.directories.push(path);
    else if (entry.isFile()) index.files.push({ path, bytes: fs.statSync(full).size });
    else throw new Error(`${path} is neither a file nor a directory`);
  }
  index.directories.sort();
  return index;
}

/** Makes the data directory from a template. Throws if the file is damaged, and then leaves a part of the directory. */
function unpack(file: string, dataDirectory: string, user: ServerUser | undefined): void {
  const input = fs.openSync(file, "r");
  try {
    const head = Buffer.alloc(DIGEST_CHARACTERS + INDEX_BYTES_MAX);
    const line = head.subarray(DIGEST_CHARACTERS, fs.readSync(input, head, 0, head.length, 0));
    const indexBytes = line.indexOf("\n") + 1;
    const index = Index.parse(JSON.parse(line.toString("utf8", 0, indexBytes)));
    const digest = createHash("sha256").update(line.subarray(0, indexBytes));
    let at = DIGEST_CHARACTERS + indexBytes;
    for (const path of ["", ...index.directories]) makeDirectory(join(dataDirectory, path), user);
    for (const { path, bytes } of index.files) {
      const content = Buffer.allocUnsafe(bytes);
      if (fs.readSync(input, content, 0, bytes, at) < bytes) throw new Error(`${file} ends too early`);
      at += bytes;
      digest.update(content);
      writeFile(join(dataDirectory, path), content, user);
    }
    const isWhole = digest.digest("hex") === head.toString("latin1", 0, DIGEST_CHARACTERS);
    if (!isWhole) throw new Error(`${file} is damaged`);
  } finally {
    fs.closeSync(input);
  }
}

function makeDirectory(path: string, user: ServerUser | undefined): void {
  fs.mkdirSync(path, { mode: 0o700 });
  if (user) fs.chownSync(path, user.uid, user.gid);
}

function writeFile(path: string, content: Buffer, user: ServerUser | undefined): void {
  const output = fs.openSync(path, "wx", 0o600);
  try {
    fs.writeFileSync(output, content);
    if (user) fs.fchownSync(output, user.uid, user.gid);
  } finally {
    fs.closeSync(output);
  }
}
