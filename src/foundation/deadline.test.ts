import { expect, test } from "vitest";
import { withinMs } from "./deadline.js";

test("an answer in time is the answer, whichever it is", async () => {
  await expect(withinMs(Promise.resolve(7), 60_000)).resolves.toBe(7);
  await expect(withinMs(Promise.reject(new Error("no")), 60_000)).rejects.toThrow("no");
});

test("no answer in time is an error that says how long it was", async () => {
  await expect(withinMs(new Promise(() => undefined), 2)).rejects.toThrow("no answer within 0.002 s");
});
