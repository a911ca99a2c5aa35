import type { Objection } from "../../workloads/workload.js";
import type { Environment, TreatmentResult } from "../../results/result-schema.js";

/** One objection. */
export interface Lint extends Objection {
  /** Treatments that it is about, where it is not about all. */
  readonly treatments?: readonly string[];
}

/** What is known once trials have run. */
export interface Seen {
  readonly environment: Environment;
  readonly treatments: readonly TreatmentResult[];
}
