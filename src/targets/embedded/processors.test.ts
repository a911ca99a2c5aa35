import { expect, it } from "vitest";
import { parseIdList } from "./processors.js";

it("idsIn expands the kernel's lists of processors", () => {
  expect(parseIdList("0")).toEqual([0]);
  expect(parseIdList("0-3,6,8-9")).toEqual([0, 1, 2, 3, 6, 8, 9]);
});
