// What a reader of a duet has to know of its numbers.
import type { TreatmentResult } from "../../results/result-schema.js";

/** Empty where treatments ran one after the other. */
export function duetSentences(treatments: readonly TreatmentResult[]): string[] {
  if (!treatments.some(({ trials }) => trials.some(({ duet }) => duet))) return [];
  return [
    "Both treatments ran at the same time, each on a server of its own, and changed servers from block to block. " +
      "They shared this machine: ratios are what a duet is for, rates are lower and times longer than alone.",
  ];
}
