// `run --find-capacity`: each probe is a whole trial; the confirming trials become the trials of the result.
import { deriveSeed } from "../../foundation/prng.js";
import type { Capacity, CapacityProbe } from "../../results/capacity-schema.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment } from "../../scenario/settings.js";
import { violationsOf, type ExperimentRecord } from "../session/experiment-record.js";
import type { TrialWithTreatment, Trials, TrialSource } from "../session/session.js";
import { capacityOf, isConfirmation, judgeProbe, treatmentAt } from "./capacity-probe.js";
import { CapacitySearch } from "./capacity-search.js";
import { searchedTreatments, searchOptions } from "./searched-treatments.js";

/** Runs the probes of a search for capacity; calls `onProbe` with each judged probe. */
export function capacityProbes(
  experiment: Experiment,
  threshold: Threshold,
  onProbe: (probe: CapacityProbe) => void,
): TrialSource {
  const treatments = searchedTreatments(experiment.treatments, threshold);
  const trials = experiment.trials.filter((trial) => treatments.some(({ id }) => id === trial.treatmentId));
  const searched = { ...experiment, treatments, trials };
  return {
    experiment: searched,
    // Only the search's threshold is watched: the scenario's thresholds would end probes beyond the capacity.
    watchedThresholds: [threshold],
    trials: (record) => probes(searched, threshold, onProbe, record),
  };
}

async function* probes(
  experiment: Experiment,
  threshold: Threshold,
  onProbe: (probe: CapacityProbe) => void,
  record: ExperimentRecord,
): Trials {
  // All probes share arrivals and documents, so that only the rate and the server differ.
  const seed = deriveSeed(experiment.seed, "capacity");
  const found: Capacity[] = [];
  let number = 0;
  for (const treatment of experiment.treatments) {
    const search = new CapacitySearch(searchOptions(experiment, treatment, found));
    const probeTrials: (TrialWithTreatment & { readonly probe: CapacityProbe })[] = [];
    const currentCapacity = (): Capacity => capacityOf(treatment, threshold, probeTrials, search.result);
    const asking = search.probes();
    for (let asked = asking.next(); !asked.done;) {
      record.capacity = [...found, currentCapacity()];
      const { ratePerSecond } = asked.value;
      const block = probeTrials.filter(({ probe }) => isConfirmation(probe, ratePerSecond)).length;
      const trial = { number: ++number, block, treatmentId: treatment.id, seed };
      const [done] = yield [{ trial, treatment: treatmentAt(treatment, ratePerSecond) }];
      if (!done) return;
      record.violations.push(...violationsOf(done.result.integrity, `probe ${number}`));
      // A loss ends the search: a rate at which events are lost is no capacity.
      if (done.result.status !== "complete" || record.violations.length > 0) return;
      const probe = judgeProbe(done, done.treatment, threshold, asked.value);
      probeTrials.push({ ...done, probe });
      onProbe(probe);
      asked = asking.next(probe.held);
    }
    found.push(currentCapacity());
    record.capacity = [...found];
    for (const { probe, result, totals } of probeTrials)
      if (isConfirmation(probe, search.result.ratePerSecond)) record.add(treatment.id, result, totals);
  }
}
