// Two scenarios as the treatments of one. Common keys stand above, others in one entry of `include` for each.
import { stringify } from "yaml";
import type { Mapping } from "../syntax/paths.js";
import { canonicalText } from "./plan/levels.js";
import { EXPERIMENT_KEYS } from "./schema.js";

const isTreatmentKey = (key: string): boolean => key === "workload" || !EXPERIMENT_KEYS.includes(key);

export function pairedScenario(reference: Mapping, other: Mapping, experiment: Mapping): string {
  const keys = [...new Set([...Object.keys(reference), ...Object.keys(other)])].filter(isTreatmentKey);
  const isSame = (key: string): boolean =>
    key in reference && key in other && canonicalText(reference[key]) === canonicalText(other[key]);
  const pickKeys = (raw: Mapping, isWanted: (key: string) => boolean): Mapping =>
    Object.fromEntries(keys.filter((key) => key in raw && isWanted(key)).map((key) => [key, raw[key]]));
  const entry = (raw: Mapping): Mapping => {
    const differingValues = pickKeys(raw, (key) => !isSame(key));
    // An entry needs a key, even if all its values are defaults.
    return Object.keys(differingValues).length > 0
      ? differingValues
      : { namespace: raw["namespace"] ?? "train_sim" };
  };
  const { workload } = reference;
  return stringify(
    {
      ...experiment,
      // The workload determines which keys exist, so both treatments state it.
      ...(workload !== undefined && { workload }),
      ...pickKeys(reference, isSame),
      include: [entry(reference), entry(other)],
    },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );
}
