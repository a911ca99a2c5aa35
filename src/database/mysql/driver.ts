// The driver is the user's own: train-sim runs without it on other databases.
import { createRequire } from "node:module";
import { join } from "node:path";
import type mysql2 from "mysql2";
import { codeOf, UsageError } from "../../foundation/errors.js";

type Driver = typeof mysql2;

let driver: Driver | undefined;

/** The driver `mysql2` of the working directory, else of train-sim. Throws a UsageError if there is none. */
export function loadDriver(): Driver {
  driver ??= driverFrom([join(process.cwd(), "package.json"), import.meta.url]);
  return driver;
}

/** The driver that a module at the first of these places that has it would import. */
export function driverFrom(places: readonly string[]): Driver {
  for (const place of places) {
    try {
      return createRequire(place)("mysql2") as Driver;
    } catch (error) {
      if (codeOf(error) !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new UsageError(
    `MySQL and MariaDB need the driver mysql2, which ${process.cwd()} does not have`,
    "Run: npm install mysql2",
  );
}
