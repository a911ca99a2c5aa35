import { expect, it } from "vitest";
import { definedValue } from "./defined.js";

it.each([
  [["true", "T", "yes", "y", "on", "ON"], true],
  [["false", "f", "No", "of", "off"], false],
  [["null", "NULL"], null],
  [["7", " 7", "+7"], 7],
  [["-1.5", "-15e-1"], -1.5],
])("%j are defined with pgbench's value", (texts, value) => {
  expect(texts.map(definedValue)).toEqual(texts.map(() => value));
});

it.each(["", " ", "o", "truely", "nul", "a b", "1x"])("'%s' is defined as text", (text) => {
  expect(definedValue(text)).toBe(text);
});
