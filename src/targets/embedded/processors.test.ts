import { expect, it } from "vitest";
import { idsIn } from "./processors.js";

it("idsIn expands the kernel's lists of processors", () => {
  expect(idsIn("0")).toEqual([0]);
  expect(idsIn("0-3,6,8-9")).toEqual([0, 1, 2, 3, 6, 8, 9]);
});
