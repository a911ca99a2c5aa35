// A git repository in a scratch directory, with commits of files.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "./train-sim.js";

const WHO = ["-c", "user.name=Ann Example", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"];

export class TestRepository {
  readonly path = scratchDirectory();

  constructor() {
    this.git("init", "--quiet", "--initial-branch=main");
  }

  git(...args: string[]): string {
    return execFileSync("git", ["-C", this.path, ...WHO, ...args], { encoding: "utf8" }).trim();
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  /** Makes a commit. Returns its id, abbreviated as `bisect` abbreviates it. */
  commit(subject: string, files: Readonly<Record<string, string>> = {}): string {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", subject);
    return this.git("rev-parse", "HEAD").slice(0, 10);
  }
}
