import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { tokenFile } from "../../../test/support/agents.js";
import { readToken } from "./token.js";

const TOKEN = "a token of more than sixteen characters";

it("an agent token is read from a file or from the first line of standard input", async () => {
  expect(await readToken(tokenFile(TOKEN))).toBe(TOKEN);
  for (const pieces of [[`${TOKEN}\n`], [TOKEN.slice(0, 9), `${TOKEN.slice(9)}\r\nmore`], [TOKEN]])
    expect(await readToken("-", Readable.from(pieces.map((text) => Buffer.from(text))))).toBe(TOKEN);
});

it("an agent token is read before standard input ends", async () => {
  const input = new Readable({ read: () => undefined });
  input.push(`${TOKEN}\n`);
  expect(await readToken("-", input)).toBe(TOKEN);
});

it("a missing agent token is reported with the place that lacks it", async () => {
  await expect(readToken("-", Readable.from([]))).rejects.toThrow(/on standard input has 0 characters/);
  await expect(readToken("/nowhere/token")).rejects.toThrow(/cannot be read: ENOENT/);
});
