import type { TreatmentResult } from "../../results/result-schema.js";

export interface Factor {
  readonly name: string;
  /** Two or more levels of the factor; the level of the first treatment comes first. */
  readonly levels: readonly string[];
}

export function varyingFactors(treatments: readonly Pick<TreatmentResult, "levels">[]): Factor[] {
  return Object.keys(treatments[0]?.levels ?? {}).flatMap((name) => {
    const levels = [...new Set(treatments.flatMap((treatment) => treatment.levels[name] ?? []))];
    return levels.length > 1 ? [{ name, levels }] : [];
  });
}
