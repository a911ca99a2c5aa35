// Two revisions of a repository whose tables are made by a migration tool: the second one adds an index. Both run in one
// run, each with the migrations of its revision, and the repository stays as it is.
import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { ComparisonDocument } from "../../src/analysis/comparison/run-comparison.js";
import { TestRepository } from "../support/repository.js";
import { onlyResultIn, scratchDirectory, trainSim, type Ended } from "../support/train-sim.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SQL = `-- workload: shop
-- preload
INSERT INTO item SELECT g, g % 20000 FROM generate_series(1, 100000) AS g;
-- name: find
-- readonly
-- param: owner = uniform(1, 19999)
SELECT id FROM item WHERE owner = :owner;
-- name: add
-- weight: 0.1
-- param: id = uuid()
INSERT INTO added (id) VALUES (:id);
-- invariant: what was added is there
-- acknowledged: add.id
SELECT id FROM added;
`;
const YAML = `
name: migrated
workload:
  file: ./load.sql
  migrate:
    command: [node, tool/migrate.mjs]
    directory: ..
    files: [../migrations, ../tool]
actors: { clients: { load: { clients: 2, thinkTime: 2ms } } }
trial: { warmUp: 200ms, duration: 1s, drain: false }
trials: 6
diagnosis: { ceiling: false }
target: { kind: embedded }
`;
const FIRST = `CREATE TABLE item (id int PRIMARY KEY, owner int NOT NULL);
CREATE TABLE added (id uuid PRIMARY KEY);
`;
const TOOL = readFileSync(join(ROOT, "test/support/migrations/migrate.mjs"), "utf8");

it("compares the migrations of two revisions in one run, and finds the effect of an index", async () => {
  const repository = new TestRepository();
  repository.commit("Start", {
    ".gitignore": "node_modules\n",
    "bench/load.yaml": YAML,
    "bench/load.sql": SQL,
    "tool/migrate.mjs": TOOL,
    "migrations/1.sql": FIRST,
  });
  symlinkSync(join(ROOT, "node_modules"), join(repository.path, "node_modules"));
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.commit("Say what it is", { "README.md": "a shop\n" });
  const out = scratchDirectory();
  const compare = (...args: string[]): Promise<Ended> =>
    trainSim([
      ...["compare", join(repository.path, "bench/load.yaml"), "--base-ref", "main", "--quiet", "--out", out],
      // Load of other programs would leave the run unjudged.
      ...["--allow-differences", "--json", ...args],
    ]);
  const same = await compare();
  expect([same.exitCode, JSON.parse(same.stdout)], same.stderr).toMatchObject([0, { runs: [] }]);

  repository.write({ "migrations/2.sql": "CREATE INDEX item_owner ON item (owner);\n" });
  const before = repository.git("status", "--porcelain");
  const { exitCode, stdout, stderr } = await compare();
  expect(exitCode, stderr).toBe(0);
  const { runs, baseline } = JSON.parse(stdout) as ComparisonDocument;
  expect(baseline).toMatch(/^[0-9a-f]{10} \(Start\)$/);
  const mean = runs[0]?.findings.find(({ operation, metric }) => operation === "find" && metric === "mean");
  expect(mean?.ratio).toBeLessThan(0.7);
  const { result, directory } = onlyResultIn(out);
  expect(result.treatments.map(({ levels }) => levels["workload"])).toEqual(["base", "head"]);
  for (const { levels, trials } of result.treatments)
    for (const { number, integrity } of trials) {
      expect(integrity).toMatchObject({ verdict: "ok", lost: 0 });
      const prefix = `${String(number).padStart(3, "0")}-`;
      const name = readdirSync(join(directory, "trials")).find((each) => each.startsWith(prefix)) ?? "";
      const applied = levels["workload"] === "base" ? ["1.sql"] : ["1.sql", "2.sql"];
      expect(readFileSync(join(directory, "trials", name, "migrate.log"), "utf8")).toBe(
        applied.map((file) => `applying ${file}\n`).join(""),
      );
    }
  expect(repository.git("status", "--porcelain")).toBe(before);
  expect(readdirSync(repository.path).sort()).toEqual(
    [".git", ".gitignore", "README.md", "bench", "migrations", "node_modules", "tool"].sort(),
  );

  repository.write({ "migrations/3.sql": "CREATE TABLE public.stray (id int);\n" });
  const strays = await compare();
  expect([strays.exitCode, strays.stderr]).toEqual([
    104,
    expect.stringContaining('made objects outside of schema "train_sim": table public.stray'),
  ]);
});
