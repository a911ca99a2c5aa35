// Strict YAML 1.2 with bounds: the parser's time grows with the square of keys and anchors.
import { createReadStream } from "node:fs";
import {
  isAlias,
  isMap,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import { codeOf, messageOf, UsageError } from "../foundation/errors.js";
import { deepCopy, isMapping, MAX_NESTING_DEPTH, type Mapping, type Path } from "./paths.js";
import { ScenarioError, seenText, type ScenarioProblem } from "./problems.js";
import { keyWithoutPasswords, withoutPasswords } from "../foundation/secrets.js";

const MAX_FILE_BYTES = 1024 ** 2;
const MAX_ALIASES = 100;
/**
 * Maximum number of tokens (words, signs and the spaces between them) of a file: a hundred times a long scenario; the
 * parser takes seconds at worst.
 */
const MAX_TOKENS = 50_000;
/** Maximum number of keys, items and values with every alias expanded; each becomes a separate object. */
const MAX_VALUES = 50_000;

export interface Position {
  readonly line: number;
  readonly column: number;
  readonly depth: number;
}

export interface YamlSource {
  readonly value: Mapping;
  /** The position in the file of `path`, or of the deepest part of it that the file has. */
  locate(path: Path, isAboutKey: boolean): Position;
}

/** Reads the beginning of a file, at most one byte more than is allowed, because a device or a pipe may have no end. */
async function readBeginning(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file, { end: MAX_FILE_BYTES }) as AsyncIterable<Buffer>)
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readScenarioFile(file: string): Promise<string> {
  const named = keyWithoutPasswords(file);
  const bytes = await readBeginning(file).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new UsageError(
        `scenario ${named} does not exist`,
        `\`npx train-sim init ${named}\` writes a starter.`,
      );
    if (code === "EISDIR")
      throw new UsageError(`scenario ${named} is a directory`, "Name a YAML file in it.");
    if (code === "EACCES" || code === "EPERM")
      throw new UsageError(`scenario ${named} may not be read`, "Give yourself permission to read it.");
    throw new UsageError(`scenario ${named} cannot be read: ${messageOf(error)}`, "", { cause: error });
  });
  if (bytes.length > MAX_FILE_BYTES)
    throw new UsageError(`scenario ${named} is too large`, `At most ${MAX_FILE_BYTES} bytes are read.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`scenario ${named} is not text in UTF-8`, "Save it as UTF-8.");
  }
}

const SYNTAX_ERROR_WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "this key is there twice",
  MULTIPLE_DOCS: "a scenario is one YAML document; remove the text after ---",
  TAG_RESOLVE_FAILED: "YAML tags (!...) are not supported",
};

/** The parser's message as a single line, without the source text that the message may quote. */
function syntaxMessage(code: string, message: string): string {
  return SYNTAX_ERROR_WORDS[code] ?? `YAML: ${withoutPasswords(message.split("\n")[0] ?? message)}`;
}

/** Message on a key that occurs twice, with the line of the first; undefined if the key is no plain word. */
function duplicateMessage(text: string, offset: number, column: number): string | undefined {
  const key = /^["']?([A-Za-z][\w.-]{0,60})["']?\s*:/.exec(text.slice(offset))?.[1];
  if (key === undefined) return undefined;
  const before = text.slice(0, offset).split("\n").slice(0, -1);
  const first = before.findLastIndex((line) => line.slice(column - 1).startsWith(`${key}:`));
  return `the key ${key} is there twice${first < 0 ? "" : `; the first is in line ${first + 1}`}`;
}

/** Pairs by key, looked up once for each mapping. */
const pairsOf = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

function pairOf(mapping: YAMLMap, key: string): Pair | undefined {
  const pairByKey = pairsOf.get(mapping) ?? new Map(mapping.items.map((pair) => [String(pair.key), pair]));
  pairsOf.set(mapping, pairByKey);
  return pairByKey.get(key);
}

function positionIn(document: Document, counter: LineCounter, path: Path, isAboutKey: boolean): Position {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  let depth = 0;
  for (const [i, part] of path.entries()) {
    const here = isAlias(node) ? node.resolve(document) : node;
    let key: unknown;
    let next: unknown;
    if (isMap(here)) {
      const pair = pairOf(here, String(part));
      if (!pair) break;
      [key, next] = [pair.key, pair.value];
    } else if (isSeq(here) && typeof part === "number" && part < here.items.length) next = here.items[part];
    else break;
    const isKeyPosition = isAboutKey && i === path.length - 1;
    const keyOffset = (key as Node | undefined)?.range?.[0];
    const valueOffset = (next as Node | null)?.range?.[0];
    offset = (isKeyPosition ? keyOffset : (valueOffset ?? keyOffset)) ?? valueOffset ?? offset;
    depth = i + 1;
    node = next;
  }
  const { line, col } = counter.linePos(offset);
  return { line, column: col, depth };
}

function hasTooManyTokens(text: string): boolean {
  const tokens = new Lexer().lex(text);
  for (let count = 0; !tokens.next().done; count++) if (count >= MAX_TOKENS) return true;
  return false;
}

/** True if the document holds more values than allowed with every alias expanded; stops counting there. */
function hasTooManyValues(root: unknown): boolean {
  let level: unknown[] = [root];
  let values = 1;
  // Deeper nesting is refused when the value is copied; without a limit, an alias that contains itself would never end
  // here.
  for (let depth = 0; level.length > 0 && depth <= MAX_NESTING_DEPTH; depth++) {
    const below: unknown[] = [];
    for (const value of level)
      for (const child of typeof value === "object" && value !== null ? Object.values(value) : []) {
        if (++values > MAX_VALUES) return true;
        below.push(child);
      }
    level = below;
  }
  return false;
}

/** Parses the text of the file called `name`; throws a `ScenarioError` with every syntax error. */
export function parseYaml(text: string, name: string): YamlSource {
  const refuse = (...problems: Omit<ScenarioProblem, "source" | "path">[]): never => {
    throw new ScenarioError(
      name,
      problems.map((problem) => ({ source: name, path: "", ...problem })),
    );
  };
  const top = { line: 1, column: 1 };
  if (hasTooManyTokens(text)) return refuse({ ...top, message: `more than ${MAX_TOKENS} words and signs` });
  const counter = new LineCounter();
  let document: Document;
  let value: unknown;
  try {
    document = parseDocument(text, { lineCounter: counter, prettyErrors: false, version: "1.2" });
    if (document.errors.some((error) => error.code === "RESOURCE_EXHAUSTION"))
      throw new RangeError("nested too deeply");
    const faults = [...document.errors, ...document.warnings].map(({ code, message, pos }) => {
      const { line, col } = counter.linePos(pos[0]);
      const twice = code === "DUPLICATE_KEY" ? duplicateMessage(text, pos[0], col) : undefined;
      return { line, column: col, message: twice ?? syntaxMessage(code, message) };
    });
    if (faults.length > 0) return refuse(...faults);
    const shared: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (hasTooManyValues(shared))
      return refuse({ ...top, message: `more than ${MAX_VALUES} values when its aliases are written out` });
    value = deepCopy(shared);
  } catch (error) {
    if (error instanceof ScenarioError) throw error;
    if (error instanceof RangeError)
      return refuse({ ...top, message: "nested too deeply, or an alias that contains itself" });
    const isAliasBomb = messageOf(error).includes("Excessive alias count");
    const message = isAliasBomb
      ? `more than ${MAX_ALIASES} aliases when written out`
      : `YAML: ${messageOf(error)}`;
    return refuse({ ...top, message });
  }
  if (value === null || value === undefined)
    return refuse({ ...top, message: "the scenario is empty; `npx train-sim init` writes a starter" });
  if (!isMapping(value)) {
    const message = "a scenario is a mapping of keys, beginning with name: ...";
    return refuse({ ...top, message, seen: seenText(value) });
  }
  return { value, locate: (path, isAboutKey) => positionIn(document, counter, path, isAboutKey) };
}
