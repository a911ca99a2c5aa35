// The driver is the user's: train-sim works without it, and nobody without MySQL pays for it.
import { createRequire } from "node:module";
import { join } from "node:path";
import type mysql2 from "mysql2";
import { codeOf, UsageError } from "../../foundation/errors.js";

export type Driver = typeof mysql2;
export type DriverConnection = mysql2.Connection;

let driver: Driver | undefined;

/** The driver `mysql2`, from the working directory or from train-sim's own. Throws a UsageError if neither has it. */
export function loadDriver(): Driver {
  driver ??= requireFrom(join(process.cwd(), "package.json")) ?? requireFrom(import.meta.url);
  if (driver) return driver;
  throw new UsageError(
    `MySQL and MariaDB need the driver mysql2, which is not installed in ${process.cwd()}`,
    "Run: npm install mysql2",
  );
}

function requireFrom(place: string): Driver | undefined {
  try {
    return createRequire(place)("mysql2") as Driver;
  } catch (error) {
    if (codeOf(error) === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
