// The text of a scenario file: read, parsed as strict YAML 1.2 (one document, no custom tags, no duplicate keys, a
// bound on aliases and nesting), and asked afterwards where in it a path stands. Refuses what is not a mapping of
// keys with a position for everything it refuses.
import { readFile } from "node:fs/promises";
import { isAlias, isMap, isPair, isSeq, LineCounter, parseDocument, type Document, type Node } from "yaml";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { deepCopy, isMapping, type Mapping, type Path } from "./paths.js";
import { ScenarioError, seenText, type ScenarioProblem } from "./problems.js";
import { withoutPasswords } from "./secrets.js";

const MAX_FILE_BYTES = 1024 ** 2;
const MAX_ALIASES = 100;

export interface Position {
  readonly line: number;
  readonly column: number;
  /** Parts of the path that the file has: the rest is not in it. */
  readonly depth: number;
}

export interface YamlSource {
  readonly value: Mapping;
  /** Where `path` stands, or the deepest part of it that the file has. */
  locate(path: Path, isAboutKey: boolean): Position;
}

/** The text of a scenario file. */
export async function readScenarioFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new UsageError(`scenario ${file} does not exist`, `\`train-sim init ${file}\` writes a starter.`);
    if (code === "EISDIR") throw new UsageError(`scenario ${file} is a directory`, "Name a YAML file in it.");
    if (code === "EACCES" || code === "EPERM")
      throw new UsageError(`scenario ${file} may not be read`, "Give yourself permission to read it.");
    throw new UsageError(`scenario ${file} cannot be read: ${messageOf(error)}`, "", { cause: error });
  });
  if (bytes.length > MAX_FILE_BYTES)
    throw new UsageError(`scenario ${file} has ${bytes.length} bytes`, `At most ${MAX_FILE_BYTES} are read.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`scenario ${file} is not text in UTF-8`, "Save it as UTF-8.");
  }
}

const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key is there twice",
  MULTIPLE_DOCS: "a scenario is one YAML document; remove what follows ---",
  TAG_RESOLVE_FAILED: "YAML tags (!...) are not supported",
};

/** A line of the parser's own message without the source text that it may quote. */
function syntaxMessage(code: string, message: string): string {
  return WORDS[code] ?? `YAML: ${withoutPasswords(message.split("\n")[0] ?? message)}`;
}

function locateIn(document: Document, counter: LineCounter, path: Path, isAboutKey: boolean): Position {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  let depth = 0;
  for (const [i, part] of path.entries()) {
    const here = isAlias(node) ? node.resolve(document) : node;
    let key: unknown;
    let next: unknown;
    if (isMap(here)) {
      const pair = here.items.find((item) => isPair(item) && String(item.key) === String(part));
      if (!pair) break;
      [key, next] = [pair.key, pair.value];
    } else if (isSeq(here) && typeof part === "number" && part < here.items.length) next = here.items[part];
    else break;
    const wantsKey = isAboutKey && i === path.length - 1;
    const keyOffset = (key as Node | undefined)?.range?.[0];
    const valueOffset = (next as Node | null)?.range?.[0];
    offset = (wantsKey ? keyOffset : (valueOffset ?? keyOffset)) ?? valueOffset ?? offset;
    depth = i + 1;
    node = next;
  }
  const { line, col } = counter.linePos(offset);
  return { line, column: col, depth };
}

/** Parses the text of the file called `name`; throws a `ScenarioError` with every syntax error. */
export function parseYaml(text: string, name: string): YamlSource {
  const refuse = (...problems: Omit<ScenarioProblem, "source" | "path">[]): never => {
    throw new ScenarioError(
      name,
      problems.map((problem) => ({ source: name, path: "", ...problem })),
    );
  };
  const counter = new LineCounter();
  let document: Document;
  let value: unknown;
  try {
    document = parseDocument(text, { lineCounter: counter, prettyErrors: false, version: "1.2" });
    if (document.errors.some((error) => error.code === "RESOURCE_EXHAUSTION"))
      throw new RangeError("nested too deeply");
    const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }) => {
      const { line, col } = counter.linePos(pos[0]);
      return { line, column: col, message: syntaxMessage(code, message) };
    });
    if (faults.length > 0) return refuse(...faults);
    value = deepCopy(document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    if (error instanceof ScenarioError) throw error;
    if (error instanceof RangeError)
      return refuse({ line: 1, column: 1, message: "nested too deeply, or an alias that contains itself" });
    const isBomb = messageOf(error).includes("Excessive alias count");
    const message = isBomb
      ? `more than ${MAX_ALIASES} aliases when written out`
      : `YAML: ${messageOf(error)}`;
    return refuse({ line: 1, column: 1, message });
  }
  if (value === null || value === undefined)
    return refuse({
      line: 1,
      column: 1,
      message: "the scenario is empty; `train-sim init` writes a starter",
    });
  if (!isMapping(value)) {
    const message = "a scenario is a mapping of keys, beginning with name: ...";
    return refuse({ line: 1, column: 1, message, seen: seenText(value) });
  }
  return { value, locate: (path, isAboutKey) => locateIn(document, counter, path, isAboutKey) };
}
