// Packages that only some scenarios need. They are the user's: npm installs none of them with train-sim.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { codeOf, UsageError } from "./errors.js";

/** Files from whose directories npm's packages are looked for, upwards: the working directory's, then train-sim's. */
const packagePlaces = (): string[] => [join(process.cwd(), "package.json"), import.meta.url];

/** Directory of an installed package, looked for from a directory first; undefined if it is not installed. */
export function packageDirectory(name: string, from: string): string | undefined {
  return [join(from, "package.json"), ...packagePlaces()]
    .flatMap((place) => createRequire(place).resolve.paths(name) ?? [])
    .map((modules) => join(modules, name))
    .find((directory) => existsSync(join(directory, "package.json")));
}

/** The exports of a package; throws a UsageError if it is not installed. @param user part of a scenario that needs it */
export function requireOptional(
  name: string,
  user: string,
  { version = "", places = packagePlaces() }: { version?: string; places?: readonly string[] } = {},
): unknown {
  for (const place of places) {
    const require = createRequire(place);
    try {
      require.resolve(name);
    } catch (error) {
      if (codeOf(error) === "MODULE_NOT_FOUND") continue;
      throw error;
    }
    return require(name);
  }
  throw new UsageError(
    `${user} needs the package ${name}, which is not installed`,
    `Run: npm install ${name}${version && `@${version}`}`,
  );
}
