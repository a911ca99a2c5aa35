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

/** The probes of a search for capacity; `onProbe` is called with each, once it was judged. */
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
    // Not the scenario's own thresholds: a search has to ask for more than the server can do.
    watched: [threshold],
    trials: (record) => probes(searched, threshold, onProbe, record),
  };
}

async function* probes(
  experiment: Experiment,
  threshold: Threshold,
  onProbe: (probe: CapacityProbe) => void,
  record: ExperimentRecord,
): Trials {
  // The same arrivals and documents for all: what differs between probes is the rate and the server.
  const seed = deriveSeed(experiment.seed, "capacity");
  const found: Capacity[] = [];
  let number = 0;
  for (const treatment of experiment.treatments) {
    const search = new CapacitySearch(searchOptions(experiment, treatment, found));
    const ran: (TrialWithTreatment & { readonly probe: CapacityProbe })[] = [];
    const capacity = (): Capacity => capacityOf(treatment, threshold, ran, search.result);
    const asking = search.probes();
    for (let asked = asking.next(); !asked.done;) {
      record.capacity = [...found, capacity()];
      const { ratePerSecond } = asked.value;
      const block = ran.filter(({ probe }) => isConfirmation(probe, ratePerSecond)).length;
      const trial = { number: ++number, block, treatmentId: treatment.id, seed };
      const [done] = yield [{ trial, treatment: treatmentAt(treatment, ratePerSecond) }];
      if (!done) return;
      record.violations.push(...violationsOf(done.result.integrity, `probe ${number}`));
      // A loss ends the search: the rate at which it went wrong is no capacity.
      if (done.result.status !== "complete" || record.violations.length > 0) return;
      const probe = judgeProbe(done, done.treatment, threshold, asked.value);
      ran.push({ ...done, probe });
      onProbe(probe);
      asked = asking.next(probe.held);
    }
    found.push(capacity());
    record.capacity = [...found];
    for (const { probe, result, totals } of ran)
      if (isConfirmation(probe, search.result.ratePerSecond)) record.add(treatment.id, result, totals);
  }
}
