// Each code mutant can be planted: a change of the program that moves its text fails `npm test`, not only the mutants' own
// command.
import { expect, it } from "vitest";
import { EVENT_CHANGES, FAMILY_CHANGES } from "../mutants/code-changes.js";
import { placeOf } from "../mutants/places.js";

const ALL = [...EVENT_CHANGES, ...FAMILY_CHANGES.map(([, ...change]) => change)].map(
  ([change, replacement]) => [change, replacement] as const,
);

it.each(ALL)("the source has exactly one place for the mutant: %s", (_, [text, by]) => {
  expect(by).not.toBe(text);
  expect(() => placeOf(text)).not.toThrow();
});
