// Settings that this machine ignores. The linter knows only the scenario, so it cannot find these settings.
import type { Lint } from "../../analysis/lint/lint-types.js";
import type { Treatment } from "../../scenario/settings.js";
import { targetCaveats } from "../../targets/registry.js";

export const WITHOUT_EFFECT_RULE = "without-effect";

export function machineCaveats(treatments: readonly Treatment[]): Lint[] {
  const words = new Set(treatments.flatMap(({ settings }) => targetCaveats(settings.target)));
  return [...words].map((each) => ({ rule: WITHOUT_EFFECT_RULE, words: each }));
}
