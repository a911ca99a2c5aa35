// Treatments of two runs are the same if their levels have the same names. The text of a file may have changed between them.
import type { ResultDocument, TreatmentResult } from "../../results/result-schema.js";

/** Digest behind the name of a file, where files of one experiment share a name and in results of older versions. */
const CONTENT_DIGEST = /@[0-9a-f]{7}(?![0-9a-f])/g;

function keyWith({ levels }: TreatmentResult, nameOf: (level: string) => string): string {
  const entries = Object.entries(levels).map(([factor, level]) => [
    factor,
    factor === "workload" ? nameOf(level) : level,
  ]);
  return JSON.stringify(entries.sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
}

/** The treatments by a key that the same treatment has in all runs. */
export function treatmentsByKey({
  treatments,
}: Pick<ResultDocument, "treatments">): Map<string, TreatmentResult> {
  const plainKeyOf = (treatment: TreatmentResult): string =>
    keyWith(treatment, (level) => level.replace(CONTENT_DIGEST, ""));
  const plainKeys = treatments.map(plainKeyOf);
  return new Map(
    treatments.map((treatment) => {
      const plainKey = plainKeyOf(treatment);
      const isUnique = plainKeys.filter((key) => key === plainKey).length === 1;
      return [isUnique ? plainKey : keyWith(treatment, (level) => level), treatment];
    }),
  );
}
