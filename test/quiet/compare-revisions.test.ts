// Two revisions of a file of SQL, and of the scenario's treatments, in one interleaved run on a real server: the slower one is
// a regression in text, JSON, JUnit and Markdown, and the repository stays as it is.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ComparisonDocument } from "../../src/analysis/comparison/run-comparison.js";
import { TestRepository } from "../support/repository.js";
import { onSuiteServer } from "../support/suite-server.js";
import { onlyResultIn, scratchDirectory, trainSim, type Ended } from "../support/train-sim.js";

const SQL = `-- workload: load
-- schema
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL);
-- preload
INSERT INTO item SELECT g, 0 FROM generate_series(1, 100) g;
-- name: bump
-- param: id = uniform(1, 100)
UPDATE item SET n = n + 1 WHERE id = :id;
`;
const SLEEPS = SQL.replace("UPDATE item", "SELECT pg_sleep(0.03);\nUPDATE item");

const YAML = `
name: planted
workload: ./load.sql
factors: { actors.clients.load.clients: [1, 3] }
actors: { clients: { load: { thinkTime: 5ms } } }
trial: { warmUp: 0, duration: 1s, drain: false }
trials: 6
diagnosis: { ceiling: false }
thresholds: { "bump{actors.clients.load.clients:3}": ["p(99)<1000"] }
${onSuiteServer("revisions")}`;

it("a slower statement is a regression against the revision at which the branch began", async () => {
  const repository = new TestRepository();
  repository.commit("Start", { "load.yaml": YAML, "load.sql": SQL });
  repository.git("checkout", "--quiet", "-b", "feature");
  repository.commit("Sleep", { "load.sql": SLEEPS });
  repository.git("checkout", "--quiet", "main");
  repository.commit("Go on", { "load.yaml": "name: another" });
  repository.git("checkout", "--quiet", "feature");
  const directory = scratchDirectory();
  const [out, junit, markdown] = ["results", "out.xml", "out.md"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  const compare = (...args: string[]): Promise<Ended> =>
    trainSim([
      ...["compare", join(repository.path, "load.yaml"), "--base-ref", "main", "--quiet", "--out", out],
      ...["--junit", junit, "--markdown", markdown, "--max-regression", "20%"],
      // Load of other programs would leave the run unjudged.
      ...["--allow-differences", ...args],
    ]);
  const before = repository.git("status", "--porcelain");
  const { exitCode, stdout, stderr } = await compare("--json");
  expect(exitCode, stderr).toBe(99);
  const { runs, regressions, baseline, caveats } = JSON.parse(stdout) as ComparisonDocument;
  expect(baseline).toMatch(/^[0-9a-f]{10} \(Start\)$/);
  expect(caveats).toEqual([
    expect.stringMatching(
      /^the base is .* \(Start\), the merge base of main and HEAD; the tip of main, .* \(Go on\), was not/,
    ),
    expect.stringMatching(/^1 threshold of the scenario is not judged by --base-ref/),
  ]);
  expect(regressions).toBeGreaterThanOrEqual(4);
  const mean = runs[0]?.findings.filter(({ metric }) => metric === "mean") ?? [];
  expect(mean.map(({ treatment, isRegression }) => [treatment, isRegression])).toEqual([
    ["clients-1", true],
    ["clients-3", true],
  ]);
  expect(mean[0]?.ratio).toBeGreaterThan(3);
  const { result } = onlyResultIn(out);
  expect(result.treatments.map(({ levels }) => levels["workload"])).toEqual(["base", "head", "base", "head"]);
  expect(readFileSync(junit, "utf8")).toMatch(/<failure message="REGRESSION: clients-1 bump mean/);
  expect(readFileSync(markdown, "utf8")).toMatch(/\*\*\d+ of \d+ metrics are worse by more than 20 %/);
  expect(repository.git("status", "--porcelain")).toBe(before);
  const again = await trainSim(["compare", runs[0]?.results ?? "", "--json", "--allow-differences"]);
  expect(again.exitCode, again.stderr).toBe(99);
  expect((JSON.parse(again.stdout) as ComparisonDocument).runs[0]?.findings.length).toBe(
    runs[0]?.findings.length,
  );
});

it("two revisions that mean the same run nothing, and a missing one is refused", async () => {
  const repository = new TestRepository();
  repository.commit("Start", { "load.yaml": YAML, "load.sql": SQL });
  repository.commit("Comment", { "load.yaml": `# a comment\n${YAML}` });
  const out = scratchDirectory();
  const scenario = join(repository.path, "load.yaml");
  const same = await trainSim(["compare", scenario, "--base-ref", "HEAD~1", "--out", out]);
  expect(same.exitCode, same.stderr).toBe(0);
  expect(same.stdout).toMatch(/^Nothing was run: .* mean the same as at [0-9a-f]{10} \(Start\)\.$/m);
  expect(readdirSync(out)).toEqual([]);
  const missing = await trainSim(["compare", scenario, "--base-ref", "v9"]);
  expect([missing.exitCode, missing.stderr]).toEqual([104, expect.stringContaining("v9 is no revision")]);
  const alone = await trainSim(["compare", scenario, "--trials", "3"]);
  expect([alone.exitCode, alone.stderr]).toEqual([
    104,
    expect.stringContaining("--trials belongs to --base-ref"),
  ]);
});
