import type { Objection } from "../../workloads/workload.js";
import type { Environment, TreatmentResult } from "../../results/result-schema.js";

export interface Lint extends Objection {
  readonly treatments?: readonly string[];
}

/** Facts that are known only after trials have run. */
export interface RunFacts {
  readonly environment: Environment;
  readonly treatments: readonly TreatmentResult[];
}
