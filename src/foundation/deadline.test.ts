import { expect, test } from "vitest";
import { withinMs } from "./deadline.js";

test("an answer within the deadline is returned, and an error within it is thrown", async () => {
  await expect(withinMs(Promise.resolve(7), 60_000)).resolves.toBe(7);
  await expect(withinMs(Promise.reject(new Error("no")), 60_000)).rejects.toThrow("no");
});

test("a missing answer is an error that states the deadline in seconds", async () => {
  await expect(withinMs(new Promise(() => undefined), 2)).rejects.toThrow("no answer within 0.002 s");
});
