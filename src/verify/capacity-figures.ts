// Judges each probe by its trial and walks the search again; another probe than the stored one ends it.
import type { Capacity, CapacityProbe } from "../results/capacity-schema.js";
import type { Experiment } from "../scenario/settings.js";
import {
  capacityOf,
  judgeProbe,
  parseCapacityThreshold,
  treatmentAt,
} from "../engine/capacity/capacity-probe.js";
import { CapacitySearch } from "../engine/capacity/capacity-search.js";
import { searchOptions } from "../engine/capacity/searched-treatments.js";
import type { Figures } from "./figures.js";
import type { RecomputedTrial } from "./trial-figures.js";

/**
 * Repeats each search on recomputed probes and compares the capacity. `experiment` has the searched treatments, `trials`
 * all probes' trials by number.
 */
export function compareCapacity(
  figures: Figures,
  capacity: readonly Capacity[],
  experiment: Experiment,
  trials: ReadonlyMap<number, RecomputedTrial>,
): void {
  const before: Capacity[] = [];
  for (const stored of capacity) {
    const treatment = experiment.treatments.find(({ id }) => id === stored.treatment);
    const threshold = parseCapacityThreshold(`${stored.metric}: ${stored.expression}`, experiment.treatments);
    const path = `capacity[${stored.treatment}]`;
    if (!treatment) continue; // The plan, which is compared, does not have it.
    const judge = (probe: CapacityProbe): CapacityProbe | undefined => {
      const { trial, totals } = trials.get(probe.trial) ?? {};
      if (!trial || !totals) return undefined;
      const { purpose, discarded, ratePerSecond } = probe;
      const about = { ratePerSecond, purpose, ...(discarded && { discarded }) };
      return judgeProbe({ result: trial, totals }, treatmentAt(treatment, ratePerSecond), threshold, about);
    };
    const probes = stored.probes.flatMap((probe) => judge(probe) ?? []);
    if (probes.length < stored.probes.length) {
      figures.leave(path, "the trial of a probe cannot be read", true);
      continue;
    }
    const ran: { readonly probe: CapacityProbe }[] = [];
    const search = new CapacitySearch(searchOptions(experiment, treatment, before));
    const asking = search.probes();
    for (let asked = asking.next(); !asked.done;) {
      const { ratePerSecond, purpose } = asked.value;
      const probe = probes[ran.length];
      if (probe?.ratePerSecond !== ratePerSecond || probe.purpose !== purpose) break;
      ran.push({ probe });
      asked = asking.next(probe.held);
    }
    const again = capacityOf(treatment, threshold, ran, search.result);
    figures.compare(
      "capacity",
      path,
      { ...stored, probes: probesByNumber(stored) },
      { ...again, probes: probesByNumber(again) },
    );
    before.push(again);
  }
}

/** Probes by their trial, since rate and purpose do not identify a probe. */
function probesByNumber({ probes }: Capacity): Record<string, CapacityProbe> {
  return Object.fromEntries(probes.map((probe) => [`trial ${probe.trial}`, probe]));
}
