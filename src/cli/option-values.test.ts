import { InvalidArgumentError } from "commander";
import { expect, it } from "vitest";
import { agents } from "./option-values.js";

it("--agents takes a number of agents or a list of ssh hosts", () => {
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
])("--agents refuses %j", (text) => {
  expect(() => agents(text)).toThrow(InvalidArgumentError);
});

it("--agents refuses a host that is named twice", () => {
  expect(() => agents("ssh:a,b,a")).toThrow(/^a is named twice/);
  expect(() => agents("a,b")).toThrow(/whole number/);
});
