// Words about `select 1`, the ceiling of the generator: a probe that can be a ceiling, and a probe that cannot.
import { expect, it } from "vitest";
import { EXAMPLE_BOUNDS, exampleResult } from "../../../test/support/example-result.js";
import { renderTrustNotes } from "../../report/findings/trust-notes.js";
import { checkNearCeiling, shareOfCeiling } from "./load-checks.js";

function atShare(share: number) {
  const [treatment = expect.fail("the example has treatments")] = exampleResult().treatments;
  const [trial = expect.fail("a treatment has trials")] = treatment.trials;
  const all = shareOfCeiling(trial, { clients: 8, transactionsPerSecond: 1 });
  treatment.trials = [trial];
  treatment.ceiling = { clients: 8, transactionsPerSecond: all / share };
  const { ceiling } = treatment;
  const notes = renderTrustNotes(treatment).map(({ text }) => text);
  return {
    warning: checkNearCeiling({ trial, ceiling, bounds: EXAMPLE_BOUNDS })?.words,
    note: notes.find((text) => text.includes("select 1")),
  };
}

it("a trial at half of the generator's ceiling gets a note and no warning", () => {
  const { warning, note } = atShare(0.5);
  expect(warning).toBeUndefined();
  expect(note).toMatch(/^ceiling: the same 8 clients make .* the trials made at most 50 % of that$/);
});

it("a trial at 64 % to 100 % of the generator's ceiling gets a warning", () => {
  expect(atShare(0.64).warning).toMatch(/^the trial made 64 % .*: the generator is near its ceiling$/);
  expect(atShare(0.9999).warning).toMatch(/^the trial made 99\.99 % .* near its ceiling$/);
});

it("a probe that a trial exceeded is not called a ceiling", () => {
  const { warning, note } = atShare(1.64);
  const unknown = "something slowed the probe, so the generator's ceiling is not known";
  expect(warning).toMatch(/^the trial made 164 % of .* in a short probe: /);
  expect(note).toMatch(/^probe: .* at most 164 % of that: /);
  for (const words of [warning, note]) {
    expect(words).toContain(unknown);
    expect(words).not.toContain("near");
  }
});
