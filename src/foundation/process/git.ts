// Reads commits and old versions of files through git. It never changes the working tree, the index or a branch.
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, UsageError } from "../errors.js";
import { passwordlessEnvironment } from "./run-command.js";

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

export interface Commit {
  readonly hash: string;
  readonly subject: string;
  readonly author: string;
  /** Author date, such as 2026-11-27. */
  readonly date: string;
}

/** Paths are no patterns, no hook runs, and a check-out has all files. */
const SETTINGS = [
  "--literal-pathspecs",
  ...["-c", "core.hooksPath=/dev/null"],
  ...["-c", "core.sparseCheckout=false"],
];

interface RunOptions {
  readonly directory?: string;
  readonly input?: string;
  readonly index?: string;
}

/** Separator of the fields in a line of git's output. */
const UNIT_SEPARATOR = "\u001F";

export class Repository {
  readonly root: string;

  /** Opens the repository of a directory; throws a UsageError if the directory is in no repository. */
  constructor(private readonly directory: string) {
    const root = this.run(["rev-parse", "--show-toplevel"]);
    if (root === undefined)
      throw new UsageError(
        `${directory} is in no git repository`,
        "Name a scenario that is under version control with its files.",
      );
    this.root = root.trimEnd();
  }

  /** The commit of that name; throws a UsageError if it does not exist. */
  commit(named: string): Commit {
    const hash = this.run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${named}^{commit}`]);
    if (hash === undefined)
      throw new UsageError(
        `${named} is no revision of ${this.root}`,
        "Name a commit, a tag or a branch; git log --oneline shows them. A checkout in CI often holds one commit of one " +
          "branch: fetch the whole history, in GitHub Actions with fetch-depth: 0, in GitLab with GIT_DEPTH: 0.",
      );
    return this.commits(["-1", hash.trim()])[0] as Commit;
  }

  isAncestor(one: Commit, of: Commit): boolean {
    return this.run(["merge-base", "--is-ancestor", one.hash, of.hash]) !== undefined;
  }

  /** The newest commit that both are or descend from; undefined if they share none. */
  mergeBase(one: Commit, other: Commit): Commit | undefined {
    const hash = this.run(["merge-base", one.hash, other.hash])?.trim();
    return hash === undefined ? undefined : this.commits(["-1", hash])[0];
  }

  /** Commits after `from` up to and including `to`, oldest first, along first parents. */
  commitsBetween(from: Commit, to: Commit): Commit[] {
    return this.commits(["--first-parent", "--reverse", `${from.hash}..${to.hash}`]);
  }

  /** Contents of a file in a commit; undefined if the commit lacks it. `path` is relative to the root, with slashes. */
  fileAt({ hash }: Commit, path: string): string | undefined {
    return this.run(["cat-file", "blob", `${hash}:${path}`]);
  }

  /** Ids of the contents of the commit's regular files at or below `paths`, by path. An empty path is the root. */
  contentsAt({ hash }: Commit, paths: readonly string[]): Map<string, string> {
    const named = paths.filter((path) => path !== "");
    const only = named.length === paths.length ? ["--", ...named] : [];
    const lines = (this.run(["ls-tree", "-r", "-z", "--full-tree", hash, ...only]) ?? "").split("\0");
    return new Map(
      lines.flatMap((line): [string, string][] => {
        const [, id = "", path = ""] = /^100\d+ blob (\w+)\t(.*)$/s.exec(line) ?? [];
        return path === "" ? [] : [[path, id]];
      }),
    );
  }

  /** The same of the working tree, with files that are not yet under version control and without ignored ones. */
  contentsOnDisk(paths: readonly string[]): Map<string, string> {
    const places = paths.map((path) => path || ".");
    const listed = this.run(["ls-files", "-z", "-co", "--exclude-standard", "--", ...places], {
      directory: this.root,
    });
    const files = [...new Set((listed ?? "").split("\0"))].filter(
      (path) =>
        path !== "" &&
        !path.includes("\n") &&
        lstatSync(join(this.root, path), { throwIfNoEntry: false })?.isFile() === true,
    );
    const hashed = this.run(["hash-object", "--stdin-paths"], {
      directory: this.root,
      input: files.join("\n"),
    });
    const ids = (hashed ?? "").split("\n");
    return new Map(files.map((path, i) => [path, ids[i] ?? ""]));
  }

  /** Writes all files of a commit into a new directory. Git's index is not touched: a temporary one lies next to the directory. */
  checkOut({ hash }: Pick<Commit, "hash">, directory: string): void {
    mkdirSync(directory);
    const options = { directory: this.root, index: `${directory}.index` };
    const isDone =
      this.run(["read-tree", hash], options) !== undefined &&
      this.run(["checkout-index", "--all", `--prefix=${directory}/`], options) !== undefined;
    if (!isDone)
      throw new UsageError(
        `git could not check out ${hash} of ${this.root}`,
        `Try it: git -C ${this.root} worktree add --detach DIRECTORY ${hash}.`,
      );
  }

  private commits(args: readonly string[]): Commit[] {
    const format = `--format=%H${UNIT_SEPARATOR}%s${UNIT_SEPARATOR}%an${UNIT_SEPARATOR}%as`;
    const lines = (this.run(["log", "--no-show-signature", format, ...args, "--"]) ?? "").split("\n");
    return lines.filter(Boolean).map((line) => {
      const [hash = "", subject = "", author = "", date = ""] = line.split(UNIT_SEPARATOR);
      return { hash, subject, author, date };
    });
  }

  /** Output of git; undefined if it failed. */
  private run(
    args: readonly string[],
    { directory = this.directory, input = "", index }: RunOptions = {},
  ): string | undefined {
    const { status, stdout, error } = spawnSync("git", ["-C", directory, ...SETTINGS, ...args], {
      encoding: "utf8",
      maxBuffer: OUTPUT_MAX_BYTES,
      input,
      stdio: ["pipe", "pipe", "ignore"],
      // Git gets the environment without passwords.
      env: {
        ...passwordlessEnvironment(),
        LC_ALL: "C",
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
      },
    });
    if (codeOf(error) === "ENOENT")
      throw new UsageError("git was not found", "Install git, or put it on PATH.");
    if (error) throw error;
    return status === 0 ? stdout : undefined;
  }
}
