// Versions that are not installed, and settings that a version lacks or refuses, as its programs themselves say.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Obstacle } from "../../database/contract.js";
import { distinct } from "../../foundation/distinct.js";
import { messageOf } from "../../foundation/errors.js";
import { errorLinesIn, serverEnvironment } from "../../foundation/process/server-process.js";
import { canonicalSetting } from "../server-limits.js";
import { programIn, versionOf } from "./postgres-binaries.js";
import { findVersion, installCommand, OLDEST_VERSION, OWN_VERSION, VERSIONS } from "./postgres-packages.js";
import { EVICTION_VERSION, type EmbeddedSettings } from "./settings.js";

const run = promisify(execFile);

type Setting = readonly [name: string, value: string];

/** Programs of one version, with all settings with which they are to start. */
interface Build {
  /** Version, and the directory of a build that is not npm's. */
  readonly name: string;
  readonly major: number;
  readonly root: string;
  readonly settings: readonly Setting[];
}

export async function embeddedObstacles(
  all: readonly EmbeddedSettings[],
  scenarioDirectory?: string,
  withColdCache: readonly EmbeddedSettings[] = [],
  find: typeof findVersion = findVersion,
): Promise<readonly Obstacle[]> {
  const found = (version: number): string | undefined => find(version, scenarioDirectory);
  const packaged = all.filter(({ binaries }) => binaries === undefined);
  const missing = distinct(packaged.flatMap(({ version }) => version ?? [])).filter(
    (version) => found(version) === undefined,
  );
  const builds = VERSIONS.filter(found).flatMap((version): Build[] => {
    const its = packaged.filter((each) => (each.version ?? OWN_VERSION) === version);
    const root = join(found(version) ?? "", "native");
    return [{ name: String(version), major: version, root, ...settingsOf(its) }];
  });
  const others = await Promise.all(
    distinct(all.flatMap(({ binaries }) => binaries ?? [])).map((binaries) =>
      otherBuild(binaries, settingsOf(all.filter((each) => each.binaries === binaries))),
    ),
  );
  const isToBeEmptied = ({ root }: Build): boolean => withColdCache.some(({ binaries }) => binaries === root);
  const unfit = others.flatMap((other) => ("words" in other ? other : []));
  const usable = others.flatMap((other) => ("root" in other ? other : []));
  return [
    ...(missing.length > 0
      ? [notInstalled(missing, installCommand([...missing, ...VERSIONS.filter(found)]))]
      : []),
    ...unfit,
    ...usable.flatMap((build) => (isToBeEmptied(build) ? evictionObstacles(build) : [])),
    ...(await settingObstacles([...builds, ...usable])),
  ];
}

function settingsOf(all: readonly EmbeddedSettings[]): Pick<Build, "settings"> {
  return { settings: distinct(all.flatMap(({ settings }) => Object.entries(settings))) };
}

/** A build that cannot empty its cache. The rules of a scenario know the versions of npm's builds without asking them. */
function evictionObstacles({ name, major }: Build): Obstacle[] {
  if (major >= EVICTION_VERSION) return [];
  const words = `trial.coldCache: needs pg_buffercache_evict_all, which PostgreSQL ${name} lacks and ${EVICTION_VERSION} has`;
  return [
    {
      kind: "unfit",
      words,
      remedy: `Name a build of PostgreSQL ${EVICTION_VERSION}, or leave coldCache out.`,
    },
  ];
}

function notInstalled(versions: readonly number[], command: string): Obstacle {
  const words = `not installed: PostgreSQL ${versions.toSorted((a, b) => a - b).join(", ")}`;
  return { kind: "unfit", words, remedy: `Install with: ${command}` };
}

/** The build in the directory, or the reason why it cannot be used. */
async function otherBuild(root: string, settings: Pick<Build, "settings">): Promise<Build | Obstacle> {
  const obstacle = (words: string, remedy: string): Obstacle => ({
    kind: "unfit",
    words: `target.binaries: ${words}`,
    remedy,
  });
  try {
    const version = await versionOf(programIn(root, "postgres"));
    const major = Number.parseInt(version, 10);
    return major < OLDEST_VERSION
      ? obstacle(
          `${root} has PostgreSQL ${version}`,
          `Name a build of PostgreSQL ${OLDEST_VERSION} or later.`,
        )
      : { name: `${version} in ${root}`, major, root, ...settings };
  } catch (error) {
    return obstacle(
      `${root} has no PostgreSQL that runs here: ${messageOf(error).trim()}`,
      "Name the directory of a build that has bin/postgres and bin/initdb.",
    );
  }
}

/** Has every build read each setting that one of them is to start with. */
async function settingObstacles(builds: readonly Build[]): Promise<Obstacle[]> {
  const settings = distinct(builds.flatMap((build) => build.settings));
  if (settings.length === 0) return [];
  const directory = await mkdtemp(join(tmpdir(), "train-sim-settings-"));
  try {
    await writeFile(join(directory, "postgresql.conf"), "");
    const obstacles = settings.map(async (setting) =>
      obstaclesOf(
        setting,
        await Promise.all(
          builds.map(async (build) => ({
            build,
            complaint: await complaintAbout(setting, build, directory),
          })),
        ),
      ),
    );
    return (await Promise.all(obstacles)).flat();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Answer {
  readonly build: Build;
  /** The words with which the program refuses the setting; undefined if it accepts it. */
  readonly complaint: string | undefined;
}

/** Prints the setting as the program reads it, which needs no data directory and no user other than root. */
async function complaintAbout(
  [name, value]: Setting,
  { root }: Build,
  directory: string,
): Promise<string | undefined> {
  const canonicalName = canonicalSetting(name);
  const args = ["-C", canonicalName, "-D", directory, "-c", `${canonicalName}=${value}`];
  try {
    await run(programIn(root, "postgres"), args, { cwd: "/", env: serverEnvironment() });
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: unknown };
    const complaint = typeof stderr === "string" ? errorLinesIn(stderr) : "";
    // Programs that cannot run at all say why when the server is to start.
    return complaint.includes("FATAL") ? complaint.replace("FATAL: ", "") : undefined;
  }
}

const UNKNOWN_SETTING_PATTERN = /unrecognized configuration parameter/;

function obstaclesOf(setting: Setting, answers: readonly Answer[]): Obstacle[] {
  const [name, value] = setting;
  const refusals = answers.flatMap(({ build, complaint }) =>
    complaint !== undefined && build.settings.some((each) => each[0] === name && each[1] === value)
      ? [{ build, complaint }]
      : [],
  );
  const having = answers.find(({ complaint }) => !UNKNOWN_SETTING_PATTERN.test(complaint ?? ""))?.build.name;
  return [...new Set(refusals.map(({ complaint }) => complaint))].map((complaint): Obstacle => {
    const its = refusals.filter((each) => each.complaint === complaint).map(({ build }) => build.name);
    const subject = `target.settings.${name}: PostgreSQL ${its.join(", ")}`;
    const [verb, refuse] = its.length > 1 ? ["have", "refuse"] : ["has", "refuses"];
    if (!UNKNOWN_SETTING_PATTERN.test(complaint))
      return {
        kind: "unfit",
        words: `${subject} ${refuse} ${JSON.stringify(value)}: ${complaint}`,
        remedy: "Correct the setting or take it out.",
      };
    return {
      kind: "unfit",
      words: `${subject} ${verb} no such setting${having === undefined ? "" : `; PostgreSQL ${having} has it`}`,
      remedy: "Take the setting out, or set it for versions that have it.",
    };
  });
}
