// What this machine does not give of what the treatments ask of it, although they run: said before the first trial, in the
// result and by `doctor`. It is no lint: from the scenario alone it cannot be said.
import type { Lint } from "../../analysis/lint/lint-types.js";
import type { Treatment } from "../../scenario/settings.js";
import { targetCaveats } from "../../targets/registry.js";

/** In `diagnosis`. */
export const WITHOUT_EFFECT = "without-effect";

export function machineCaveats(treatments: readonly Treatment[]): Lint[] {
  const words = new Set(treatments.flatMap(({ settings }) => targetCaveats(settings.target)));
  return [...words].map((each) => ({ rule: WITHOUT_EFFECT, words: each }));
}
