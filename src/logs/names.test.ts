import { expect, it } from "vitest";
import { LogNames } from "./names.js";

it("a filter accepts names in the logs, and refuses an unknown name with a list of these names", () => {
  const names = new LogNames();
  names.add("clients", 1, ["add", "pay"]);
  expect(() =>
    names.requireKnownNames({ actors: ["clients", "clients/1"], operations: ["pay"] }),
  ).not.toThrow();
  expect(() => names.requireKnownNames({ operations: ["add", "process"] })).toThrow(
    "the logs have no operation process",
  );
  expect(() => names.requireKnownNames({ actors: ["clients/2"] })).toThrow(
    "the logs have no actor clients/2",
  );
});
