// Documents made from the seed and a name: a key for an insert, a stamp for an update. Random values do not compress.
import { deriveSeed, Prng } from "../../foundation/prng.js";

export const SHAPE_NAMES = ["small", "large", "complex", "array"] as const;
export type Shape = (typeof SHAPE_NAMES)[number];

export const CONTENTS = ["random", "words"] as const;
export type Content = (typeof CONTENTS)[number];

/** Settings that decide the contents of documents. */
export interface DocumentForm {
  readonly shape: Shape;
  readonly bytes: number | undefined;
  readonly content: Content;
}

/** Name of the only member of shape `array` besides the id. */
export const ARRAY_NAME = "values";

/** Names of the members that lead from the document to a value; for an element of an array, its index. */
type ValuePath = readonly string[];

const names = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}${i}`);
const flatPaths = (count: number): ValuePath[] => names("field", count).map((field) => [field]);
const nestedPaths = names("group", 4).flatMap((group) =>
  names("part", 5).flatMap((part) => names("value", 5).map((value) => [group, part, value])),
);

const SHAPES: Readonly<Record<Shape, { readonly paths: readonly ValuePath[]; readonly characters: number }>> =
  {
    small: { paths: flatPaths(10), characters: 100 },
    large: { paths: flatPaths(100), characters: 200 },
    complex: { paths: nestedPaths, characters: 100 },
    array: { paths: names("", 100).map((index) => [ARRAY_NAME, index]), characters: 100 },
  };

export const pathsOf = (shape: Shape): readonly ValuePath[] => SHAPES[shape].paths;

/** True if a value lies within another member of the document. */
export const isNested = (shape: Shape): boolean => pathsOf(shape).some(({ length }) => length > 1);

/** Number of rows into which a document is unwrapped: its members, or the elements of its array. */
export function unwrappedRowsOf(shape: Shape): number {
  const paths = pathsOf(shape);
  return shape === "array" ? paths.length : 1 + new Set(paths.map(([name]) => name)).size;
}

/** Index of the value that an update of a single value changes. */
export const UPDATED_VALUE_INDEX = 3;

const KEY_DIGITS = 19;
/** Key of the preloaded document with that number, from 0. */
export const preloadedKey = (number: number): string => `p${String(number).padStart(KEY_DIGITS, "0")}`;
/** Key of the document with that number, from 0, among the inserts of a client. */
export const insertedKey = (client: number, number: number): string =>
  `c${String(client).padStart(7, "0")}${String(number).padStart(KEY_DIGITS - 7, "0")}`;
/** Stamp of the update with that number, from 0, among the updates of a client. */
export const stampOf = (client: number, number: number): string => `u${client}-${number}`;

/**
 * Client and number in a key that `preloadedKey` or `insertedKey` made, the client undefined for the former; undefined for
 * other keys.
 */
export function parseKey(
  key: string,
): { readonly client: number | undefined; readonly number: number } | undefined {
  if (/^p\d{19}$/.test(key)) return { client: undefined, number: Number(key.slice(1)) };
  if (/^c\d{19}$/.test(key)) return { client: Number(key.slice(1, 8)), number: Number(key.slice(8)) };
  return undefined;
}

/** Key at the beginning of a document's text, which may be cut off after the key; undefined if there is no key. */
export function keyInText(text: string): string | undefined {
  return /^\s*\{\s*"id"\s*:\s*"([^"\\]*)"/.exec(text)?.[1];
}

/** Placeholder for key and values. It occurs in no name, and JSON does not escape it. */
const PLACEHOLDER = "@";

/** Constant parts of a document's text: before, between and after its key and its values. */
function constantPartsOf(shape: Shape): readonly string[] {
  const root: Record<string, unknown> = { id: PLACEHOLDER };
  for (const path of pathsOf(shape)) {
    let at = root;
    for (const name of path.slice(0, -1))
      at = (at[name] ??= name === ARRAY_NAME ? [] : {}) as Record<string, unknown>;
    at[path.at(-1) ?? ""] = PLACEHOLDER;
  }
  return JSON.stringify(root).split(PLACEHOLDER);
}

function constantBytesOf(shape: Shape): number {
  return constantPartsOf(shape).join("").length + preloadedKey(0).length;
}

/** Bytes of the smallest document of a shape, whose values have one character each. */
export function leastBytesOf(shape: Shape): number {
  return constantBytesOf(shape) + pathsOf(shape).length;
}

/** Characters of all values of a document together. */
function valueCharactersOf({ shape, bytes }: Pick<DocumentForm, "shape" | "bytes">): number {
  const { paths, characters } = SHAPES[shape];
  return bytes === undefined ? characters * paths.length : bytes - constantBytesOf(shape);
}

/** Characters of the longest value of a document. */
export function longestValueOf(form: Pick<DocumentForm, "shape" | "bytes">): number {
  return Math.ceil(valueCharactersOf(form) / pathsOf(form.shape).length);
}

/** Words of `content: words`, each followed by a space. They repeat within a document, so pglz can compress the document. */
const WORDS = (
  "order payment customer address delivery invoice discount quantity warehouse supplier product category shipment " +
  "returned accepted pending cancelled express standard account contact country region currency balance total tax " +
  "note reference signature document archive"
)
  .split(" ")
  .map((word) => Buffer.from(`${word} `, "latin1"));

/** Character by byte: printable ASCII characters that JSON does not escape. */
const CHARACTERS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const printable = Array.from({ length: 95 }, (_, i) => 32 + i).filter((code) => code !== 34 && code !== 92);
  return printable[byte % printable.length] ?? 0;
});

export class DocumentMaker {
  private readonly prng = new Prng(0);
  private readonly constantParts: readonly string[];
  /** Offsets of the ends of the values in a random text that is cut into values. */
  private readonly ends: readonly number[];
  private readonly text: Buffer;

  constructor(
    private readonly form: DocumentForm,
    private readonly seed: number,
  ) {
    const paths = pathsOf(form.shape);
    this.constantParts = constantPartsOf(form.shape);
    const all = valueCharactersOf(form);
    this.ends = paths.map((_, i) => Math.ceil((all * (i + 1)) / paths.length));
    this.text = Buffer.alloc(all + 3);
  }

  /** Values of a document in the order of the shape, derived from `name`. */
  values(name: string): string[] {
    const { ends } = this;
    const text = this.textOf(name, ends.at(-1) ?? 0);
    return ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end));
  }

  /** Value that an update with that stamp writes. */
  value(name: string): string {
    return this.textOf(
      name,
      (this.ends[UPDATED_VALUE_INDEX] ?? 0) - (this.ends[UPDATED_VALUE_INDEX - 1] ?? 0),
    );
  }

  private textOf(name: string, characters: number): string {
    this.prng.reseed(deriveSeed(this.seed, name), deriveSeed(name, this.seed));
    if (this.form.content === "words") this.fillWithWords(characters);
    else this.fillRandomly(characters);
    return this.text.toString("latin1", 0, characters);
  }

  private fillWithWords(characters: number): void {
    const { text } = this;
    for (let at = 0; at < characters;)
      for (const byte of WORDS[this.prng.uint32() % WORDS.length] ?? []) text[at++] = byte;
  }

  private fillRandomly(characters: number): void {
    const { text } = this;
    for (let at = 0; at < characters; at += 4) {
      const random = this.prng.uint32();
      text[at] = CHARACTERS[random & 255] ?? 0;
      text[at + 1] = CHARACTERS[(random >>> 8) & 255] ?? 0;
      text[at + 2] = CHARACTERS[(random >>> 16) & 255] ?? 0;
      text[at + 3] = CHARACTERS[random >>> 24] ?? 0;
    }
  }

  json(key: string, values: readonly string[]): string {
    return [key, ...values].reduce(
      (json, value, i) => json + value + (this.constantParts[i + 1] ?? ""),
      this.constantParts[0] ?? "",
    );
  }
}
