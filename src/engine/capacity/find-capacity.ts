// `run --find-capacity`: for each treatment the highest arrival rate at which a threshold holds. Every probe is a whole
// trial with its own directory, on a namespace of its own; the trials that confirm the final rate become the trials of
// the result, so that its tables show the treatment at its capacity.
import { deriveSeed } from "../../foundation/prng.js";
import { diagnosisEntries } from "../../analysis/diagnosis/diagnose.js";
import type { Capacity, CapacityProbe } from "../../results/capacity-schema.js";
import type { Threshold } from "../../scenario/judgement.js";
import type { Experiment, PlannedTrial, Treatment } from "../../scenario/settings.js";
import { capacityOf, isConfirmation, judgeProbe, probeText, treatmentAt } from "./capacity-probe.js";
import { searchCapacity, type Probe, type SearchResult } from "./capacity-search.js";
import { ExperimentRecord, violationsOf } from "../session/experiment-record.js";
import {
  runSession,
  type ExperimentOutcome,
  type Found,
  type RanTrial,
  type RunTrials,
  type SessionOptions,
  type TrialSource,
} from "../session/session.js";
import { searchedTreatments, searchOptions } from "./searched-treatments.js";

export async function findCapacity(
  experiment: Experiment,
  threshold: Threshold,
  options: Omit<SessionOptions, "resumed">,
): Promise<ExperimentOutcome> {
  const treatments = searchedTreatments(experiment.treatments, threshold);
  const trials = experiment.trials.filter((trial) => treatments.some(({ id }) => id === trial.treatmentId));
  const note = (probe: CapacityProbe): void => options.observer.note(probeText(probe));
  return runSession(new ProbeTrials({ ...experiment, treatments, trials }, threshold, note), options);
}

/** A probe that ran, with its trial as planned and as it went. */
interface ProbeTrial extends RanTrial {
  readonly planned: PlannedTrial;
  readonly probe: CapacityProbe;
}

/** The search of one treatment, wherever it has come to. */
interface TreatmentSearch {
  readonly treatment: Treatment;
  readonly ran: ProbeTrial[];
  found: SearchResult;
}

const NOT_YET: SearchResult = { outcome: "stopped", ratePerSecond: null, failsAtPerSecond: null };

/** Trials of the final rate that were to confirm it, whether or not each did. */
function confirming({ ran, found }: TreatmentSearch): ProbeTrial[] {
  return ran.filter(({ probe }) => isConfirmation(probe, found.ratePerSecond));
}

class ProbeTrials implements TrialSource {
  private readonly searches: TreatmentSearch[] = [];
  private violations: string[] = [];
  private probes = 0;

  constructor(
    readonly experiment: Experiment,
    private readonly threshold: Threshold,
    private readonly onProbe: (probe: CapacityProbe) => void,
  ) {}

  /** Not the scenario's own: a search has to ask for more than the server can do. */
  get watched(): readonly Threshold[] {
    return [this.threshold];
  }

  async runAll(run: RunTrials): Promise<void> {
    for (const treatment of this.experiment.treatments) {
      const options = searchOptions(this.experiment, treatment, this.capacities());
      const search: TreatmentSearch = { treatment, ran: [], found: NOT_YET };
      this.searches.push(search);
      search.found = await searchCapacity(this.probeOf(search, run), options);
      if (search.found.outcome === "stopped") return;
    }
  }

  /** What was lost makes an end of the search: how fast it went wrong is no capacity. */
  private probeOf({ treatment, ran }: TreatmentSearch, run: RunTrials): Probe {
    return async (ratePerSecond, purpose) => {
      const number = this.probes + 1;
      const block = ran.filter(({ probe }) => isConfirmation(probe, ratePerSecond)).length;
      // The same arrivals and documents for all: what differs between probes is the rate and the server.
      const seed = deriveSeed(this.experiment.seed, "capacity");
      const planned = { number, block, treatmentId: treatment.id, seed };
      const [done] =
        (await run([{ trial: planned, treatment: treatmentAt(treatment, ratePerSecond) }])) ?? [];
      if (!done) return undefined;
      this.probes = number;
      this.violations = violationsOf(done.result.integrity, `probe ${number}`);
      if (done.result.status !== "complete" || this.violations.length > 0) return undefined;
      const probe = judgeProbe(done, done.treatment, this.threshold, { ratePerSecond, ...purpose });
      ran.push({ ...done, planned, probe });
      this.onProbe(probe);
      return probe.held;
    };
  }

  private capacities(): Capacity[] {
    return this.searches.map(({ treatment, ran, found }) =>
      capacityOf(treatment, this.threshold, ran, found),
    );
  }

  found(): Found {
    const confirmed = this.searches.flatMap(confirming);
    const trials = confirmed.map(({ planned }) => planned);
    const treatments = this.experiment.treatments.filter(({ id }) =>
      trials.some(({ treatmentId }) => treatmentId === id),
    );
    const record = new ExperimentRecord({ ...this.experiment, treatments, trials });
    for (const { planned, result, totals } of confirmed) record.add(planned.treatmentId, result, totals);
    return {
      record,
      completeTrials: confirmed.filter(({ probe }) => probe.held).length,
      unfinished: `unfinished; probes so far: ${this.probes}`,
      violations: this.violations,
      diagnosis: diagnosisEntries(record.treatments()),
      capacity: this.capacities(),
    };
  }
}
