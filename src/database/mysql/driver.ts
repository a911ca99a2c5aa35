import type mysql2 from "mysql2";
import { requireOptional } from "../../foundation/optional-package.js";

let driver: typeof mysql2 | undefined;

/** The driver of the working directory, else of train-sim. Throws a UsageError if it is not installed. */
export function loadDriver(): typeof mysql2 {
  driver ??= requireOptional("mysql2", "target.url mysql://", { version: "3" }) as typeof mysql2;
  return driver;
}
