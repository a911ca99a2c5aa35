// Trials on every version that a scenario can name, and on PostgreSQL 19 by its directory: work is audited, evidence is
// complete but for the sources that a version lacks, and every statement has a plan.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { ResultDocument, TrialResult } from "../../src/results/result-schema.js";
import { installCommand, VERSIONS } from "../../src/targets/embedded/postgres-packages.js";
import { postgres19 } from "../support/postgres-19.js";
import { onlyResultIn, scratchDirectory, trainSim } from "../support/train-sim.js";

/** A project of a user, kept so that npm installs the packages once. */
const PROJECT = join(import.meta.dirname, "..", "..", ".cache", "postgres-versions");

beforeAll(() => {
  mkdirSync(PROJECT, { recursive: true });
  writeFileSync(join(PROJECT, "package.json"), '{ "private": true }\n');
  execFileSync("sh", ["-c", installCommand(VERSIONS)], { cwd: PROJECT, stdio: "pipe" });
});

const LOADS = {
  "train-events":
    "actors: { producers: { clients: 1 }, consumers: { clients: 1 }, archivers: { clients: 1 } }",
  documents: "workload: documents\nmix: A\ndocuments: 200\nindex: gin\nclients: 2",
  accounts: "workload: accounts\nclients: 2",
  calls: "workload: calls\nclients: 1",
};

/** Runs the scenario in the project, on all versions. */
async function runOnAll(name: string, keys: string): Promise<ResultDocument> {
  const file = join(PROJECT, `${name}.yaml`);
  const levels = [...VERSIONS.map((version) => ({ version })), { binaries: await postgres19() }];
  writeFileSync(
    file,
    `name: ${name}
seed: 1
${keys}
factors: { target: ${JSON.stringify(levels)} }
trial: { warmUp: 0, duration: 2s }
trials: 1
diagnosis: { ceiling: false }
`,
  );
  const out = scratchDirectory();
  const ended = await trainSim(["run", file, "--quiet", "--out", out]);
  expect([0, 107], ended.stderr).toContain(ended.exitCode);
  return onlyResultIn(out).result;
}

const onlyTrial = ({ trials }: ResultDocument["treatments"][number]): TrialResult => {
  const [trial, ...more] = trials;
  if (!trial || more.length > 0) throw new Error("a treatment has one trial");
  return trial;
};

describe.each(Object.entries(LOADS))("workload %s on PostgreSQL 14 to 19", (name, keys) => {
  let result: ResultDocument;
  beforeAll(async () => {
    result = await runOnAll(name, keys);
  });

  it("runs on a server of each version", () => {
    const versions = result.treatments.map((treatment) => onlyTrial(treatment).servers?.[0]?.version);
    expect(versions).toEqual([
      ...["14.23", "15.18", "16.14", "17.10", "18.4"].map((version) => `PostgreSQL ${version}`),
      expect.stringMatching(/^PostgreSQL 19/),
    ]);
  });

  it("passes every audit", () => {
    const trials = result.treatments.map(onlyTrial);
    expect(trials.map(({ integrity }) => integrity?.violations ?? [])).toEqual(trials.map(() => []));
    for (const { operations } of trials)
      expect(
        Object.values(operations).reduce((sum, { transactions }) => sum + transactions, 0),
      ).toBeGreaterThan(0);
  });

  it("reads all evidence but what a version before 18 does not count", () => {
    const skipped = result.treatments.map((treatment) =>
      (onlyTrial(treatment).database.skipped ?? []).map(({ source, reason }) => `${source}: ${reason}`),
    );
    expect(skipped).toEqual([
      ...[14, 15, 16, 17].map((version) => [`pg_stat_io (wal): not in version ${version} of the server`]),
      [],
      [],
    ]);
    const figures = result.treatments.map((treatment) => Object.keys(onlyTrial(treatment).database).sort());
    const without = (names: readonly string[]): string[] =>
      names.filter((figure) => !["skipped", "walZeroBytes", "waits", "foreign", "scans"].includes(figure));
    for (const each of figures) expect(without(each)).toEqual(without(figures[4] ?? []));
  });

  it("has a plan of every statement on each version", () => {
    const statements = result.treatments.map((treatment) =>
      (onlyTrial(treatment).plans ?? []).map(({ statement }) => statement),
    );
    for (const each of statements) expect(each).toEqual(statements[4]);
    const notAssessed = result.treatments.flatMap((treatment) => onlyTrial(treatment).notAssessed ?? []);
    expect(notAssessed.filter(({ what }) => what.startsWith("plans"))).toEqual([]);
  });
});

it("settings that versions lack are refused before the run, with the version that has them", async () => {
  const file = join(PROJECT, "settings.yaml");
  writeFileSync(
    file,
    "name: settings\nfactors: { target.version: [14, 15, 17, 18] }\n" +
      "target: { settings: { io_method: sync, recovery_prefetch: try } }\n",
  );
  const { exitCode, stderr } = await trainSim(["run", file, "--quiet", "--out", scratchDirectory()]);
  expect(exitCode).toBe(104);
  expect(stderr).toContain("2 problems before the first trial");
  expect(stderr).toContain(
    "target.settings.io_method: PostgreSQL 14, 15, 17 have no such setting; PostgreSQL 18 has it",
  );
  expect(stderr).toContain(
    "target.settings.recovery_prefetch: PostgreSQL 14 has no such setting; PostgreSQL 15 has it",
  );
});
