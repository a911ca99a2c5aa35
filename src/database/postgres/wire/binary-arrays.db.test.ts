import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { connectAdmin, type AdminClient } from "../admin.js";
import { bufferOf, float8Array, stringArray, textArray, uuidArray } from "./binary-arrays.js";

const jsonbArray = (documents: readonly string[]): Buffer => bufferOf(stringArray("jsonb", documents));

let client: AdminClient;
beforeAll(async () => {
  client = await connectAdmin(inject("adminEndpoint"));
});
afterAll(() => client.close());

/** The array as the server reads it, its elements as a JSON array of texts. */
async function echo(array: Buffer, type: string): Promise<unknown> {
  const [row] = await client.query(`SELECT coalesce(to_json($1::${type}[]::text[]), 'null') AS seen`, [
    array,
  ]);
  return JSON.parse(row?.seen as string);
}

/** Text that a PostgreSQL database in UTF-8 can hold: whole characters, no NUL. */
const storableText = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", ""));

describe("binary arrays", () => {
  test("any text arrives unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(storableText, { maxLength: 20 }), async (texts) => {
        expect(await echo(textArray(texts), "text")).toEqual(texts);
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    ["quotes, backslashes, braces and commas", ['"', "'", "\\", "{a,b}", "NULL", "", " ", '\\"', "$1", "%s"]],
    ["accents, other scripts and emoji", ["é", "ж", "鉄道", "🚂", "e\u0301", "\u{10FFFF}"]],
    ["control characters", ["\n", "\t", "\u0001", "\u007f", "\r\n"]],
    ["an empty array", []],
  ])("%s arrive unchanged", async (_, texts) => {
    expect(await echo(textArray(texts), "text")).toEqual(texts);
  });

  test("a NUL character is refused by the server, not cut off", async () => {
    await expect(echo(textArray(["a\0b"]), "text")).rejects.toMatchObject({ code: "22021" });
  });

  test("an unpaired surrogate arrives as the replacement character", async () => {
    expect(await echo(textArray(["a\uD800b"]), "text")).toEqual(["a\uFFFDb"]);
  });

  test("any UUID arrives unchanged, also in capitals", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uuid(), { maxLength: 20 }), fc.boolean(), async (ids, isUpper) => {
        const sent = isUpper ? ids.map((id) => id.toUpperCase()) : ids;
        expect(await echo(uuidArray(sent), "uuid")).toEqual(ids);
      }),
      { numRuns: 50 },
    );
  });

  test("any JSON document arrives unchanged", async () => {
    const document = fc.json().filter((json) => !json.includes("\\u0000") && !json.includes("\\ud"));
    await fc.assert(
      fc.asyncProperty(fc.array(document, { maxLength: 10 }), async (documents) => {
        const [row] = await client.query("SELECT coalesce(to_json($1::jsonb[]), '[]')::text AS seen", [
          jsonbArray(documents),
        ]);
        const parsed: unknown[] = documents.map((json) => JSON.parse(json) as unknown);
        // JSONB keeps numbers exactly, but has no negative zero.
        expect(JSON.parse(row?.seen as string)).toEqual(JSON.parse(JSON.stringify(parsed)));
      }),
      { numRuns: 100 },
    );
  });

  test("a document that is not JSON is refused", async () => {
    await expect(echo(jsonbArray(['{"a":']), "jsonb")).rejects.toMatchObject({ code: "22P02" });
  });

  test("any number arrives unchanged, bit by bit", async () => {
    const numbers = fc.array(fc.double({ noNaN: true }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(numbers, async (sent) => {
        let asked = 0;
        const next = (): number => sent[asked++] as number;
        const rows = await client.query(
          "SELECT x FROM unnest($1::float8[]) WITH ORDINALITY AS u (x, n) ORDER BY n",
          [float8Array(sent.length, next)],
        );
        expect(rows.map(({ x }) => x)).toEqual(sent);
      }),
      { numRuns: 50 },
    );
  });

  test("an empty array of each type arrives as an empty array", async () => {
    expect(await echo(uuidArray([]), "uuid")).toEqual([]);
    expect(await echo(jsonbArray([]), "jsonb")).toEqual([]);
    expect(
      await echo(
        float8Array(0, () => 1),
        "float8",
      ),
    ).toEqual([]);
  });
});
