// Libraries of queues are the user's packages: found from the scenario's directory, loaded at run time, never installed
// with train-sim.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Pool } from "pg";
import { packageDirectory } from "../../../foundation/optional-package.js";
import { caveatOf, logError, Unusable, type Library, type Start } from "./kit.js";

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

const manifestOf = (directory: string): Manifest =>
  JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;

const numbersOf = (version: string): number[] =>
  version
    .replace(/^v/, "")
    .split(/[.+-]/)
    .map(Number)
    .filter((part) => !Number.isNaN(part));

/** Below 0, 0 or above 0 as the first version is older than, equal to or newer than the second. */
function compareVersions(one: readonly number[], other: readonly number[]): number {
  const differences = [0, 1, 2].map((i) => (one[i] ?? 0) - (other[i] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

function satisfiesComparator(version: readonly number[], comparator: string): boolean {
  const [, operator = "", range = ""] = /^(\^|~|[<>]?=?)v?([\d.x*]*)$/.exec(comparator) ?? [];
  const wanted = numbersOf(range);
  const compared = compareVersions(version, wanted);
  const samePrefix = (length: number): boolean =>
    wanted.slice(0, length).every((part, i) => part === version[i]);
  switch (operator) {
    case ">=":
      return compared >= 0;
    case ">":
      return compared > 0;
    case "<":
      return compared < 0;
    case "<=":
      return compared <= 0 || samePrefix(3);
    case "^":
      return compared >= 0 && samePrefix(1);
    case "~":
      return compared >= 0 && samePrefix(2);
    default:
      return samePrefix(3);
  }
}

/** Whether a version of Node is in a range of npm's, such as `^20.19 || >=22.12`. */
export function isInRange(version: string, range: string): boolean {
  const numbers = numbersOf(version);
  return range.split("||").some((alternative) =>
    alternative
      .replaceAll(/([<>=^~])\s+/g, "$1")
      .trim()
      .split(/\s+/)
      .every((comparator) => satisfiesComparator(numbers, comparator)),
  );
}

export interface LibraryPackage {
  readonly name: string;
  readonly tested: string;
}

/** npm's packages of libraries with an adapter, by the name of the queue, and the version that the tests run. */
export const LIBRARY_PACKAGES = {
  "pg-boss": { name: "pg-boss", tested: "12.38.0" },
  "graphile-worker": { name: "graphile-worker", tested: "0.18.0" },
  dbos: { name: "@dbos-inc/dbos-sdk", tested: "5.3.0" },
} as const satisfies Readonly<Record<string, LibraryPackage>>;

/** Version of an installed package and its directory; undefined if it is not installed. */
export function installedPackage(
  name: string,
  directory: string,
): { readonly version: string; readonly place: string } | undefined {
  const place = packageDirectory(name, directory);
  return place === undefined ? undefined : { version: manifestOf(place).version, place };
}

/**
 * Path of the Node that can run a library: train-sim's own if the library's `engines` admit it, else a Node that is
 * installed as a package where the library is looked for, else train-sim's own.
 */
export function nodeFor(library: string, directory: string): string {
  const installed = packageDirectory(library, directory);
  const range = installed && manifestOf(installed).engines?.node;
  if (!range || isInRange(process.version, range)) return process.execPath;
  const system = process.platform === "win32" ? "win" : process.platform;
  const node = ["node", `node-${system}-${process.arch}`]
    .map((name) => packageDirectory(name, directory))
    .find((found) => found !== undefined && isInRange(manifestOf(found).version, range));
  return node ? join(node, "bin", system === "win" ? "node.exe" : "node") : process.execPath;
}

export interface LoadedLibrary<Exports> extends Pick<Library, "library" | "version" | "caveat"> {
  readonly exports: Exports;
  /** A pool of the library's own driver, with all connections that the process may open. */
  makePool(start: Start): Pool;
}

/** Loads a library for a process; throws `Unusable` if it is not installed. */
export async function loadLibrary<Exports>(
  { name, tested }: LibraryPackage,
  { directory }: Start,
): Promise<LoadedLibrary<Exports>> {
  const installed = packageDirectory(name, directory);
  if (!installed)
    throw new Unusable(
      `the package ${name} is not installed`,
      `Run in the scenario's directory: npm install ${name}@${tested}`,
    );
  const { version, engines } = manifestOf(installed);
  const caveat = caveatOf(
    version !== tested && `tested with ${name} ${tested}, not with ${version}`,
    !isInRange(process.version, engines?.node ?? "*") &&
      `${name} ${version} declares Node ${engines?.node}, and this is ${process.version}`,
  );
  const require = createRequire(join(installed, "package.json"));
  const { Pool: LibrarysPool } = require("pg") as { Pool: typeof Pool };
  return {
    library: name,
    version,
    ...caveat,
    exports: (await import(pathToFileURL(require.resolve(installed)).href)) as Exports,
    makePool({ url, connections }) {
      const pool = new LibrarysPool({ connectionString: url, max: connections });
      pool.on("error", logError);
      return pool;
    },
  };
}
