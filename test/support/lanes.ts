// What `npm run test:full` alone runs of a file that `npm test` runs too: what takes long, and of which a shorter test or
// another row of the same table is in both.
import { it } from "vitest";

export const isFull = process.env["TRAIN_SIM_TESTS"] === "full";

/** A test that is in `npm run test:full` alone. */
export function fullIt(name: string, test: () => void | Promise<void>): void {
  if (isFull) it(name, test);
}

/** All rows of a table of cases, or its first ones. */
export function casesOf<Row>(rows: readonly Row[], count: number): readonly Row[] {
  return isFull ? rows : rows.slice(0, count);
}
