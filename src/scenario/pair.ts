// Scenarios of one treatment as the treatments of one scenario. Common keys stand above, others in one entry of `include` for
// each.
import { stringify } from "yaml";
import type { Mapping } from "../syntax/paths.js";
import { canonicalText } from "./plan/levels.js";
import { EXPERIMENT_KEYS } from "./schema.js";

const isTreatmentKey = (key: string): boolean => key === "workload" || !EXPERIMENT_KEYS.includes(key);

export function listedScenario(treatments: readonly Mapping[], experiment: Mapping): string {
  const keys = [...new Set(treatments.flatMap((each) => Object.keys(each)))].filter(isTreatmentKey);
  const [first = {}] = treatments;
  const isSame = (key: string): boolean =>
    treatments.every((each) => key in each && canonicalText(each[key]) === canonicalText(first[key]));
  const pickKeys = (raw: Mapping, isWanted: (key: string) => boolean): Mapping =>
    Object.fromEntries(keys.filter((key) => key in raw && isWanted(key)).map((key) => [key, raw[key]]));
  const entry = (raw: Mapping): Mapping => {
    const differingValues = pickKeys(raw, (key) => !isSame(key));
    // An entry needs a key, even if all its values are defaults.
    return Object.keys(differingValues).length > 0
      ? differingValues
      : { namespace: raw["namespace"] ?? "train_sim" };
  };
  const { workload } = first;
  return stringify(
    {
      ...experiment,
      // The workload determines which keys exist, so all treatments state it.
      ...(workload !== undefined && { workload }),
      ...pickKeys(first, isSame),
      include: treatments.map(entry),
    },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  );
}
