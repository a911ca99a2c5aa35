import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  CONTENTS,
  DocumentMaker,
  insertedKey,
  leastBytesOf,
  parseKey,
  pathsOf,
  preloadedKey,
  SHAPE_NAMES,
  unwrappedRowsOf,
} from "./document.js";

const KB = 1024;

test.each(
  SHAPE_NAMES.flatMap((shape) =>
    [leastBytesOf(shape), 2 * KB + 3, 1.9 * KB, 16 * KB].flatMap((bytes) =>
      CONTENTS.map((content) => [shape, content, Math.round(bytes)] as const),
    ),
  ).filter(([shape, , bytes]) => bytes >= leastBytesOf(shape)),
)(
  "a document of shape %s with %s content and a size of %d bytes has exactly that size",
  (shape, content, bytes) => {
    const maker = new DocumentMaker({ shape, bytes, content }, 1);
    for (let number = 0; number < 50; number++) {
      const key = number % 2 === 0 ? preloadedKey(number) : insertedKey(number, number * 1000);
      const values = maker.values(key);
      const json = maker.json(key, values);
      expect(Buffer.byteLength(json)).toBe(bytes);
      expect(values).toHaveLength(pathsOf(shape).length);
      const lengths = values.map(({ length }) => length);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      expect(JSON.parse(json)).toMatchObject({ id: key });
    }
  },
);

test.each([
  ["small", 10, 100],
  ["large", 100, 200],
  ["complex", 100, 100],
  ["array", 100, 100],
] as const)("shape %s has %d values of %d characters, each at its path", (shape, count, characters) => {
  const maker = new DocumentMaker({ shape, bytes: undefined, content: "random" }, 1);
  const values = maker.values("x");
  expect(values).toHaveLength(count);
  expect(values.every(({ length }) => length === characters)).toBe(true);
  const document = JSON.parse(maker.json("x", values)) as Record<string, unknown>;
  const found = pathsOf(shape).map((path) =>
    path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document),
  );
  expect(found).toEqual(values);
  expect(pathsOf("complex").every(({ length }) => length === 3)).toBe(true);
});

test("values depend only on the seed and the document's key", () => {
  const values = (seed: number, name: string) =>
    new DocumentMaker({ shape: "small", bytes: undefined, content: "random" }, seed).values(name).join("");
  expect(values(1, "a")).toBe(values(1, "a"));
  expect(new Set([values(1, "a"), values(2, "a"), values(1, "b"), values(2, "b")]).size).toBe(4);
});

test("values use all printable ASCII characters that need no escape", () => {
  const maker = new DocumentMaker({ shape: "large", bytes: 16 * KB, content: "random" }, 3);
  const seen = new Set(maker.values("x").join(""));
  expect([...seen].every((character) => character >= " " && character <= "~")).toBe(true);
  expect([...seen].some((character) => ['"', "\\"].includes(character))).toBe(false);
  expect(seen.size).toBe(93);
});

test("words repeat within a document, and random values do not", () => {
  const sizeOf = (content: (typeof CONTENTS)[number]) => {
    const maker = new DocumentMaker({ shape: "large", bytes: undefined, content }, 3);
    return deflateSync(maker.values("x").join("")).length;
  };
  expect(sizeOf("words")).toBeLessThan(sizeOf("random") / 2);
});

test.each([
  ["small", 11],
  ["complex", 5],
  ["array", 100],
] as const)("a document of shape %s is unwrapped into %d rows", (shape, rows) => {
  expect(unwrappedRowsOf(shape)).toBe(rows);
});

test("a key contains the client that inserted it, if any, and its number", () => {
  expect(parseKey(preloadedKey(12))).toEqual({ client: undefined, number: 12 });
  expect(parseKey(insertedKey(1234567, 89))).toEqual({ client: 1234567, number: 89 });
  expect(parseKey("p12")).toBeUndefined();
  expect(preloadedKey(1)).toHaveLength(insertedKey(1, 1).length);
});
