import { expect, it } from "vitest";
import { LogNames } from "./names.js";

it("accepts names that the logs contain, and lists these names when it refuses another one", () => {
  const names = new LogNames();
  names.add("clients", 1, ["add", "pay"]);
  expect(() => names.require({ actors: ["clients", "clients/1"], operations: ["pay"] })).not.toThrow();
  expect(() => names.require({ operations: ["add", "process"] })).toThrow(
    "the logs have no operation process",
  );
  expect(() => names.require({ actors: ["clients/2"] })).toThrow("the logs have no actor clients/2");
});
