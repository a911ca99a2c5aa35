import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { tokenFile } from "../../../test/support/agents.js";
import { readToken } from "./token.js";

const TOKEN = "a token of more than sixteen characters";

it("reads a file, or the first line of its input, however that comes", async () => {
  expect(await readToken(tokenFile(TOKEN))).toBe(TOKEN);
  for (const pieces of [[`${TOKEN}\n`], [TOKEN.slice(0, 9), `${TOKEN.slice(9)}\r\nmore`], [TOKEN]])
    expect(await readToken("-", Readable.from(pieces.map((text) => Buffer.from(text))))).toBe(TOKEN);
});

it("needs no end of its input", async () => {
  const input = new Readable({ read: () => undefined });
  input.push(`${TOKEN}\n`);
  expect(await readToken("-", input)).toBe(TOKEN);
});

it("says where no token is", async () => {
  await expect(readToken("-", Readable.from([]))).rejects.toThrow(/on standard input has 0 characters/);
  await expect(readToken("/nowhere/token")).rejects.toThrow(/cannot be read: ENOENT/);
});
