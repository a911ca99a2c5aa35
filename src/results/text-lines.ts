// One line in memory at a time. A longer line than its reader allows is refused.
import { createReadStream } from "node:fs";

/** Lines of a file without their line ends (LF or CRLF). Rejects if a line is longer than `charactersMax`. */
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
