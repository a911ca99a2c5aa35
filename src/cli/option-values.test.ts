import { InvalidArgumentError } from "commander";
import { expect, it } from "vitest";
import { agents } from "./option-values.js";

it("takes a number of agents, or hosts as ssh takes them", () => {
  expect(agents("4")).toBe(4);
  expect(agents("ssh:host1,app@host2.example,::1")).toEqual(["host1", "app@host2.example", "::1"]);
});

it.each([
  "ssh:",
  "ssh:a,,b",
  "ssh:-oProxyCommand=id",
  "ssh:a b",
  "ssh:a\n",
  "ssh:a\u001b[2J",
  "ssh:$(id)",
  "ssh:a;id",
])("takes %j for no hosts", (text) => {
  expect(() => agents(text)).toThrow(InvalidArgumentError);
});

it("takes each host once", () => {
  expect(() => agents("ssh:a,b,a")).toThrow(/^a is named twice/);
  expect(() => agents("a,b")).toThrow(/whole number/);
});
