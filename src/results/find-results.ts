import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, UsageError } from "../foundation/errors.js";
import { RESULT_FILE } from "./directory.js";

/** Deepest level of directories that are searched: `DIR/branch/scenario/result` and one more. */
const DEPTH_MAX = 4;

/** Result directories in and below `directory`, by name. Links are not followed; a result holds no other results. */
export async function findResults(directory: string): Promise<string[]> {
  try {
    return await resultsBelow(directory, DEPTH_MAX);
  } catch (error) {
    throw new UsageError(
      `Cannot read ${directory}: ${messageOf(error)}`,
      "Name a directory with results, such as results.",
      { cause: error },
    );
  }
}

async function resultsBelow(directory: string, depth: number): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  if (entries.some((entry) => entry.isFile() && entry.name === RESULT_FILE)) return [directory];
  if (depth === 0) return [];
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(
    names.toSorted().map((name) => resultsBelow(join(directory, name), depth - 1)),
  );
  return found.flat();
}
