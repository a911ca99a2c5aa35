// Drivers that train-sim works without: the user installs the driver of the database to be measured.
import { createRequire } from "node:module";
import { join } from "node:path";
import { codeOf, UsageError } from "../foundation/errors.js";

/** Loads a driver from the working directory, or from the packages that train-sim sees. Throws a UsageError if neither place has it. */
export function loadDriver(name: string, database: string): unknown {
  const workingDirectory = process.cwd();
  for (const place of [join(workingDirectory, "package.json"), import.meta.url])
    try {
      return createRequire(place)(name) as unknown;
    } catch (error) {
      if (codeOf(error) !== "MODULE_NOT_FOUND") throw error;
    }
  throw new UsageError(
    `${database} needs the driver ${name}, which is not installed in ${workingDirectory}`,
    `Run: npm install ${name}`,
  );
}
