// One line in memory at a time. A longer line than its reader allows is refused.
import { createReadStream } from "node:fs";

/** Lines of a file without their line ends (LF or CRLF). Rejects if a line is longer than `charactersMax`. */
export async function* linesOf(path: string, charactersMax: number): AsyncGenerator<string> {
  let partialLine = "";
  for await (const chunk of createReadStream(path, { encoding: "utf8" }) as AsyncIterable<string>) {
    const lines = (partialLine + chunk).split(/\r?\n/);
    partialLine = lines.pop() ?? "";
    yield* lines;
    if (partialLine.length > charactersMax) throw new Error("a line is too long");
  }
  if (partialLine !== "") yield partialLine;
}
