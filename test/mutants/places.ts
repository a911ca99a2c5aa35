// Finds the source of a planted change. A text that is not there exactly once is an error, so that a change of the program
// that moves it fails instead of planting nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export type Replacement = readonly [text: string, by: string];

/** Path of the only file below `src` that contains the text exactly once. Throws if there is no such file, or several. */
export function placeOf(text: string, root = ROOT): string {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => join(root, "src", file));
  const places = files.flatMap((file) =>
    Array.from({ length: readFileSync(file, "utf8").split(text).length - 1 }, () => file),
  );
  const [file] = places;
  if (file === undefined || places.length > 1)
    throw new Error(`src has ${places.length} places with: ${text}`);
  return file;
}
