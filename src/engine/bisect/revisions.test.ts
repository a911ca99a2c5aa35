// Revisions that change the meaning of a scenario, from a real repository that stays unchanged.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../../test/support/repository.js";
import { scratchDirectory } from "../../../test/support/scratch.js";
import { UsageError } from "../../foundation/errors.js";
import { revisionPair, revisionsOf, type Candidate } from "./revisions.js";

const SQL = `-- workload: load
-- setting: rows = 10
-- schema
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL);
-- preload
INSERT INTO item SELECT g, 0 FROM generate_series(1, :rows) g;
-- name: bump
-- param: id = uniform(1, :rows)
UPDATE item SET n = n + 1 WHERE id = :id;
`;
const YAML = "name: load\nworkload: ../sql/load.sql\nactors: { clients: { load: { clients: 2 } } }\n";

let repository: TestRepository;
let scenario: string;
const commits: Record<string, string> = {};

beforeAll(() => {
  repository = new TestRepository();
  scenario = join(repository.path, "bench", "load.yaml");
  const add = (subject: string, files: Readonly<Record<string, string>>): void => {
    commits[subject] = repository.commit(subject, files);
  };
  add("nothing", { "README.md": "load\n" });
  add("start", { "bench/load.yaml": YAML, "sql/load.sql": SQL });
  add("page", { "README.md": "a load\n" });
  add("more trials", { "bench/load.yaml": `${YAML}trials: 9\n` });
  add("index", { "sql/load.sql": SQL.replace("-- preload", "CREATE INDEX ON item (n);\n-- preload") });
  add("broken", { "bench/load.yaml": `${YAML}poool: direct\n` });
  add("clients", { "bench/load.yaml": YAML.replace("clients: 2", "clients: 3") });
  // The file is renamed here.
  repository.git("mv", "sql/load.sql", "sql/other.sql");
  add("renamed", { "bench/load.yaml": YAML.replace("load.sql", "other.sql") });
});

const askRevisions = (more: Partial<Parameters<typeof revisionsOf>[0]> = {}): Candidate[] =>
  revisionsOf({ scenario, good: commits["start"] ?? "", bad: undefined, set: [], ...more });
const subjects = (candidates: readonly Candidate[]): string[] =>
  candidates.map(({ revision }) => revision.subject);

describe("a pair of revisions", () => {
  const pairOf = (base: string, head?: string) => revisionPair({ scenario, base, head, set: [] });

  it("begins at the merge base, and names the tip that is not read", () => {
    const [index, clients] = [commits["index"] ?? "", commits["clients"] ?? ""];
    const { before, after, ...tip } = pairOf(index, clients);
    expect([before.revision.id, after.revision.id]).toEqual([index, clients]);
    expect(tip).toEqual({ unreadTip: undefined, isHeadInBase: false });
    const swapped = pairOf(clients, index);
    expect([swapped.before.revision.id, swapped.after.revision.id]).toEqual([index, index]);
    expect(swapped).toMatchObject({ unreadTip: { id: clients, subject: "clients" }, isHeadInBase: true });
  });

  it("is refused for a revision that is not there, with the usual cause in CI", () => {
    const hint = expect.stringContaining("fetch-depth: 0") as string;
    expect(() => pairOf("origin/main")).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("origin/main is no revision") as string,
        hint,
      }) as Error,
    );
  });
});

describe("the revisions of a scenario", () => {
  it("are the good revision and all that change its meaning, with author, date and files", () => {
    const candidates = askRevisions();
    expect(subjects(candidates)).toEqual(["start", "index", "broken", "clients", "renamed"]);
    expect(candidates[1]?.revision).toEqual({
      id: commits["index"],
      subject: "index",
      author: "Ann Example",
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      files: ["sql/load.sql"],
    });
    expect(candidates[2]).toMatchObject({ problem: expect.stringMatching(/poool/) as string });
    expect(candidates.at(-1)?.revision.files.toSorted()).toEqual([
      "bench/load.yaml",
      "sql/load.sql",
      "sql/other.sql",
    ]);
    const [, index, , clients] = candidates;
    const sql = (one: Candidate | undefined): unknown =>
      one && "treatments" in one && one.treatments[0]?.scenario["workload"];
    expect(sql(index)).toEqual(sql(clients));
    expect(sql(index)).toMatchObject({ sql: expect.stringContaining("CREATE INDEX") as string });
  });

  it("end at --bad, and take --set at each revision", () => {
    expect(subjects(askRevisions({ bad: commits["clients"] }))).toEqual([
      "start",
      "index",
      "broken",
      "clients",
    ]);
    const set = ["actors.clients.load.clients=5", "rows=20"];
    expect(subjects(askRevisions({ bad: commits["clients"], set }))).toEqual(
      ["start", "index", "broken", "clients"].slice(0, 3).concat("clients"),
    );
    expect(subjects(askRevisions({ good: commits["page"] ?? "", bad: commits["index"], set }))).toEqual([
      "page",
      "index",
    ]);
  });

  it("end with uncommitted changes, and leave the working tree unchanged", () => {
    repository.write({ "sql/other.sql": SQL });
    try {
      const before = repository.git("status", "--porcelain");
      const last = askRevisions().at(-1);
      expect(last?.revision).toMatchObject({ id: "working tree", files: ["sql/other.sql"] });
      expect(repository.git("status", "--porcelain")).toBe(before);
      expect(repository.git("branch", "--show-current")).toBe("main");
    } finally {
      repository.git("checkout", "--quiet", "--", "sql/other.sql");
    }
  });

  it.each([
    ["an unknown revision", { good: "v0" }, /^v0 is no revision of .*/],
    ["an option in place of a revision", { good: "--all" }, /^--all is no revision/],
    ["a newer good revision", { good: "main", bad: "main~3" }, /^main is no ancestor of main~3$/],
    [
      "a range without a change of meaning",
      { good: "main~6", bad: "main~4" },
      /no commit between main~6 and main~4 changes the meaning/,
    ],
    ["the same revision twice", { good: "main", bad: "main" }, /no commit between main and main changes/],
    ["a good revision without the file", { good: "main~7" }, /bench\/load.yaml is not there at [0-9a-f]{10}/],
    ["a bad revision that does not load", { bad: "main~2" }, /^at [0-9a-f]{10}: .*\n.*poool/],
    [
      "several treatments",
      { set: ["factors.rows=[1, 2]"] },
      /2 treatments, and bisect compares revisions of a single treatment/,
    ],
    ["a module", { set: [] as string[], scenario: "module" }, /load.mjs is a module/],
  ])("are refused for %s", (_, more: Partial<Parameters<typeof revisionsOf>[0]>, message) => {
    const other = join(repository.path, "module.yaml");
    const isModule = more.scenario === "module";
    if (isModule)
      repository.commit("module", { "module.yaml": "name: m\nworkload: ./load.mjs\n", "load.mjs": "" });
    try {
      const given = isModule ? { scenario: other, good: "main" } : more;
      expect(() => askRevisions(given)).toThrow(UsageError);
      expect(() => askRevisions(given)).toThrow(message);
    } finally {
      if (isModule) repository.git("reset", "--quiet", "--hard", "HEAD~1");
    }
  });

  it("are refused for a directory outside any git repository", () => {
    const alone = scratchDirectory();
    expect(existsSync(join(alone, ".git"))).toBe(false);
    expect(() => askRevisions({ scenario: join(alone, "load.yaml") })).toThrow(/is in no git repository/);
    rmSync(alone, { recursive: true });
  });
});
