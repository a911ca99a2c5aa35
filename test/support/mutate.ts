// Damages real files like disks, editors, half-finished copies and malice do: bytes flipped, cut off, duplicated and moved,
// numbers out of range, endless nesting, invalid UTF-8, and, if the format is known, keys and values exchanged in a file
// that stays well formed. Everything follows from a seed.
import { parse, stringify } from "yaml";
import type { Prng } from "../../src/foundation/prng.js";

/** Format of a file. Some changes keep its syntax valid; `text` has no syntax. */
export type Format = "json" | "ndjson" | "yaml" | "text";

export interface Mutant {
  readonly bytes: Buffer;
  /** Descriptions of the changes, in order. */
  readonly how: readonly string[];
}

const ODD_NUMBERS = [
  ..."0 -1 1 0.5 -0.0 2147483648 4294967296 9007199254740993 18446744073709551616 1e21 1e308 1e999 -1e999".split(
    " ",
  ),
  ..."NaN Infinity .inf 0x10 1_000 00 1e-320 99999999999999999999999999999999999999999999".split(" "),
];
const ODD_TEXTS = [
  "",
  " ",
  "\u0000",
  "\u001b[31m",
  "\ufeff",
  "..",
  "../../x",
  "😀",
  "NaN",
  "<b>",
  "a:b",
  "%",
  "$1",
];
const ODD_KEYS = ["__proto__", "constructor", "toString", "", "0", "a.b", "\u0000"];
const ODD_BYTES = [
  "\u0000",
  "\n",
  "\r\n",
  "\ufeff",
  "\u001b",
  '"',
  "{",
  "]",
  ",",
  ":",
  "-",
  "&a *a",
  "<<",
  "!!x",
];
const LONG = 200_000;

type Change<T> = (whole: T, prng: Prng) => T;

function pick<T>(items: readonly T[], prng: Prng): T {
  return items[prng.intBetween(0, items.length - 1)] as T;
}

/** Two positions in ascending order. More often than not they are close to each other. */
function span(length: number, prng: Prng): [from: number, to: number] {
  const from = prng.intBetween(0, length);
  const most = prng.float() < 0.7 ? 40 : length;
  return [from, Math.min(length, from + prng.intBetween(0, most))];
}

function splice(bytes: Buffer, from: number, to: number, by: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);
}

/** Replaces one match of `what` by `by`. */
function replaceOne(bytes: Buffer, what: RegExp, by: string, prng: Prng): Buffer {
  const text = bytes.toString("latin1");
  const matches = [...text.matchAll(what)];
  if (matches.length === 0) return bytes;
  const { index, 0: old } = pick(matches, prng);
  return splice(bytes, index, index + old.length, Buffer.from(by));
}

function changedLines(bytes: Buffer, change: (lines: string[], at: number) => void, prng: Prng): Buffer {
  const lines = bytes.toString("latin1").split("\n");
  change(lines, prng.intBetween(0, lines.length - 1));
  return Buffer.from(lines.join("\n"), "latin1");
}

const BYTES: Readonly<Record<string, Change<Buffer>>> = {
  "flip a byte": (bytes, prng) => {
    const flipped = Buffer.from(bytes);
    const at = prng.intBetween(0, Math.max(0, bytes.length - 1));
    if (bytes.length > 0) flipped[at] = (bytes[at] as number) ^ (1 << prng.intBetween(0, 7));
    return flipped;
  },
  "cut off": (bytes, prng) => bytes.subarray(0, prng.intBetween(0, bytes.length)),
  "leave out": (bytes, prng) => splice(bytes, ...span(bytes.length, prng), Buffer.alloc(0)),
  double: (bytes, prng) => {
    const [from, to] = span(bytes.length, prng);
    return splice(bytes, to, to, bytes.subarray(from, to));
  },
  "zero out": (bytes, prng) => {
    const [from, to] = span(bytes.length, prng);
    return splice(bytes, from, to, Buffer.alloc(to - from));
  },
  "put in": (bytes, prng) => {
    const at = prng.intBetween(0, bytes.length);
    return splice(bytes, at, at, Buffer.from(pick(ODD_BYTES, prng)));
  },
  "no UTF-8": (bytes, prng) => {
    const at = prng.intBetween(0, bytes.length);
    return splice(bytes, at, at, Buffer.from([0xc3, 0x28, 0xff, 0xed, 0xa0, 0x80]));
  },
  "byte order mark": (bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes]),
  CRLF: (bytes) => Buffer.from(bytes.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
  "another number": (bytes, prng) => replaceOne(bytes, /\d+(\.\d+)?/g, pick(ODD_NUMBERS, prng), prng),
  "another word": (bytes, prng) => replaceOne(bytes, /[A-Za-z_]{2,}/g, pick(ODD_TEXTS, prng), prng),
  "a line twice": (bytes, prng) =>
    changedLines(bytes, (lines, at) => lines.splice(at, 0, lines[at] as string), prng),
  "no line": (bytes, prng) => changedLines(bytes, (lines, at) => lines.splice(at, 1), prng),
  "lines in another order": (bytes, prng) =>
    changedLines(bytes, (lines, at) => lines.push(...lines.splice(0, at)), prng),
  "a long line": (bytes, prng) => {
    const at = prng.intBetween(0, bytes.length);
    return splice(
      bytes,
      at,
      at,
      Buffer.alloc(LONG, pick(["a", "9", " ", "[", "{", "- ", '{"a":', "&"], prng)),
    );
  },
  nothing: () => Buffer.alloc(0),
};

/** A member of a document: the object or list that has it, and its key there. */
type Place = readonly [holder: Record<string | number, unknown>, key: string | number];

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== "object" || value === null) return found;
  const holder = value as Record<string | number, unknown>;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    found.push([holder, key]);
    placesIn(holder[key], found);
  }
  return found;
}

function oddValue(prng: Prng): unknown {
  const number = Number(pick(ODD_NUMBERS, prng));
  return pick(
    [null, true, number, number, -number, pick(ODD_TEXTS, prng), "x".repeat(5000), [], {}, [[]]],
    prng,
  );
}

function nest(depth: number, prng: Prng): unknown {
  let value: unknown = 1;
  const asList = prng.float() < 0.5;
  for (let i = 0; i < depth; i++) value = asList ? [value] : { a: value };
  return value;
}

function define(holder: object, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

const TREES: Readonly<Record<string, (place: Place, places: readonly Place[], prng: Prng) => void>> = {
  "no such key": ([holder, key]) => {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else Reflect.deleteProperty(holder, key);
  },
  "an odd value": ([holder, key], _, prng) => define(holder, key, oddValue(prng)),
  "the value of another key": ([holder, key], places, prng) => {
    const [other, otherKey] = pick(places, prng);
    define(holder, key, structuredClone(other[otherKey]));
  },
  "a list of it": ([holder, key]) => define(holder, key, [holder[key], holder[key]]),
  "many of it": ([holder, key]) => {
    const list = holder[key];
    if (Array.isArray(list) && JSON.stringify(list).length < 5000)
      define(holder, key, Array.from({ length: 50 }, () => list as unknown[]).flat());
  },
  "an odd key": ([holder, key], _, prng) => define(holder, pick(ODD_KEYS, prng), holder[key]),
  "deep nesting": ([holder, key], _, prng) => define(holder, key, nest(prng.intBetween(10, 500), prng)),
};

/** Changes a random member of a document in place. It never replaces the root, which changes of bytes do. */
function changeTree(root: unknown, prng: Prng): string {
  const places = placesIn(root);
  if (places.length === 0) return "";
  const how = pick(Object.keys(TREES), prng);
  const place = pick(places, prng);
  TREES[how]?.(place, places, prng);
  return `${how} at ${String(place[1])}`;
}

/** Changes a value and keeps the syntax; undefined if an earlier change has broken the syntax. */
function changeInside(bytes: Buffer, format: Format, prng: Prng): Mutant | undefined {
  try {
    const text = bytes.toString("utf8");
    if (format === "yaml") {
      const root: unknown = parse(text, { maxAliasCount: 100 });
      const how = changeTree(root, prng);
      return { bytes: Buffer.from(stringify(root, { aliasDuplicateObjects: false })), how: [how] };
    }
    const lines = format === "ndjson" ? text.split("\n") : [text];
    const at = prng.intBetween(0, lines.length - 1);
    const root: unknown = JSON.parse(lines[at] ?? "");
    const how = changeTree(root, prng);
    // JSON has no Infinity, so a number such as 1e999 that changed bytes made becomes null.
    lines[at] = JSON.stringify(root);
    return { bytes: Buffer.from(lines.join("\n")), how: [how] };
  } catch {
    return undefined;
  }
}

function changeOnce(bytes: Buffer, format: Format, prng: Prng): Mutant {
  const inside = format !== "text" && prng.float() < 0.6 ? changeInside(bytes, format, prng) : undefined;
  if (inside) return inside;
  const how = pick(Object.keys(BYTES), prng);
  return { bytes: BYTES[how]?.(bytes, prng) ?? bytes, how: [how] };
}

/** Copy of the file with one to three changes. */
export function mutate(sample: Buffer, format: Format, prng: Prng): Mutant {
  let mutant: Mutant = { bytes: sample, how: [] };
  const changes = pick([1, 1, 2, 3], prng);
  for (let i = 0; i < changes; i++) {
    const { bytes, how } = changeOnce(mutant.bytes, format, prng);
    mutant = { bytes, how: [...mutant.how, ...how] };
  }
  return mutant;
}
