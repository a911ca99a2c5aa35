// Long tests that only `npm run test:full` runs. A shorter test or another row of the same table also runs in `npm test`.
import { it } from "vitest";

export const isFull = process.env["TRAIN_SIM_TESTS"] === "full";

/** Defines a test that runs in `npm run test:full` only. */
export function fullIt(name: string, test: () => void | Promise<void>): void {
  if (isFull) it(name, test);
}

/** Rows of a table of cases: all of them in `npm run test:full`, otherwise the first `count`. */
export function casesOf<Row>(rows: readonly Row[], count: number): readonly Row[] {
  return isFull ? rows : rows.slice(0, count);
}
