// A bisection on a real server: among commits of a file of SQL and its scenario, the culprit sleeps before its update. The
// command names it with its subject and file, skips a commit whose SQL the server refuses, and leaves the repository
// unchanged.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Bisection } from "../../src/engine/bisect/bisect.js";
import { TestRepository } from "../support/repository.js";
import { onSuiteServer } from "../support/suite-server.js";
import { scratchDirectory, trainSim } from "../support/train-sim.js";

const SQL = `-- workload: load
-- schema
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL);
-- preload
INSERT INTO item SELECT g, 0 FROM generate_series(1, 100) g;
-- name: bump
-- param: id = uniform(1, 100)
UPDATE item SET n = n + 1 WHERE id = :id;
`;
const SLEEPS = SQL.replace("UPDATE item", "SELECT pg_sleep(0.05);\nUPDATE item");
const LOOKS = "-- name: look\n-- weight: 0.1\n-- readonly\nSELECT n FROM item WHERE id = 1;\n";

const yamlOf = (clients: number): string => `
name: planted
workload: ./load.sql
actors: { clients: { load: { clients: ${clients}, thinkTime: 10ms } } }
trial: { warmUp: 0, duration: 1s, drain: false }
diagnosis: { ceiling: false }
${onSuiteServer("bisect")}`;

it("bisect names the planted commit, and skips a commit whose SQL the server refuses", async () => {
  const repository = new TestRepository();
  repository.commit("Start", { "load.yaml": yamlOf(2), "load.sql": SQL });
  repository.git("tag", "start");
  repository.commit("Say what it is", { "README.md": "load\n" });
  repository.commit("One client more", { "load.yaml": yamlOf(3) });
  repository.commit("Two clients more", { "load.yaml": yamlOf(4) });
  const misspelt = repository.commit("Misspell", { "load.sql": SQL.replace("n + 1", "m + 1") });
  const corrected = repository.commit("Correct it", { "load.sql": SQL });
  const culprit = repository.commit("Sleep before the update", { "load.sql": SLEEPS });
  repository.write({ "load.sql": SLEEPS + LOOKS });
  const before = repository.git("status", "--porcelain");

  const out = join(scratchDirectory(), "results");
  const { exitCode, stdout, stderr } = await trainSim([
    ...["bisect", join(repository.path, "load.yaml"), "--good", "start", "--quiet", "--out", out],
    ...["--objective", "maximise bump.events/s", "--trials", "12"],
  ]);
  expect(exitCode, stderr).toBe(99);
  expect(stdout).toMatch(/^Worse since [0-9a-f]{10} Sleep before the update \(Ann Example, /);
  const [made = ""] = readdirSync(out);
  const read = (name: string): string => readFileSync(join(out, made, name), "utf8");
  const document = JSON.parse(read("bisect.json")) as Bisection;
  expect(stdout).toContain(read("bisect.txt"));
  expect(document).toMatchObject({
    ...{ outcome: "found", bad: { id: "working tree" } },
    firstWorse: { id: culprit, files: ["load.sql"] },
    lastGood: { id: corrected },
    skipped: [{ revision: misspelt, problem: expect.stringMatching(/load\.sql:8.*"m"/) as string }],
  });
  const last = document.steps.at(-1);
  expect(last).toMatchObject({ purpose: "confirmation", revision: culprit, standing: "worse" });
  expect(last?.ciHigh).toBeLessThan(0.6);
  for (const { standing, directory = "" } of document.steps)
    if (standing !== "skipped") expect(readdirSync(directory)).toContain("report.html");
  expect(repository.git("status", "--porcelain")).toBe(before);
});

it("bisect reports no regression if throughput only rose, and refuses an unknown objective", async () => {
  const repository = new TestRepository();
  repository.commit("Start", { "load.yaml": yamlOf(1), "load.sql": SQL });
  repository.commit("More clients", { "load.yaml": yamlOf(4) });
  const out = join(scratchDirectory(), "results");
  const bisectArguments = (objective: string): string[] => [
    ...["bisect", join(repository.path, "load.yaml"), "--good", "HEAD~1", "--bad", "HEAD", "--quiet"],
    ...["--out", out, "--json", "--objective", objective],
  ];
  const refused = await trainSim(bisectArguments("maximise pay.events/s"));
  expect(refused.exitCode).toBe(104);
  expect(refused.stderr).toMatch(/no metric pay/);
  const { exitCode, stdout, stderr } = await trainSim(bisectArguments("maximise bump.events/s"));
  expect(exitCode, stderr).toBe(0);
  expect((JSON.parse(stdout) as Bisection).outcome).toBe("no-regression");
});
