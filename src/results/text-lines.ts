// One line in memory at a time. A longer line than its reader allows is refused, since the file is then not of the expected
// kind.
import { createReadStream } from "node:fs";

/**
 * Lines without their ends, of either kind. Rejects if the file cannot be read, or has a longer line than `charactersMax`.
 */
export async function* linesOf(path: string, charactersMax: number): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" }) as AsyncIterable<string>) {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > charactersMax) throw new Error("a line is too long");
  }
  if (rest !== "") yield rest;
}
