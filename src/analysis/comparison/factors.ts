// Pure: a browser uses it too.
import type { TreatmentResult } from "../../results/result-schema.js";

export interface Factor {
  readonly name: string;
  /** Two or more, the first treatment's first. */
  readonly levels: readonly string[];
}

/** Those with more than one level. */
export function varyingFactors(treatments: readonly Pick<TreatmentResult, "levels">[]): Factor[] {
  return Object.keys(treatments[0]?.levels ?? {}).flatMap((name) => {
    const levels = [...new Set(treatments.flatMap((treatment) => treatment.levels[name] ?? []))];
    return levels.length > 1 ? [{ name, levels }] : [];
  });
}
