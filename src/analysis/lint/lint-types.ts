// What the fairness linter's rules are given and what they give back, apart from the rules themselves.
// Types only.
import type { Environment, TreatmentResult } from "../../results/result-schema.js";

/** One objection. */
export interface Lint {
  /** Stable name, for programs. */
  readonly rule: string;
  /** One sentence for people, with the way out. */
  readonly words: string;
  /** Treatments that it is about, where it is not about all. */
  readonly treatments?: readonly string[];
}

/** What is known once trials have run. */
export interface Seen {
  readonly environment: Environment;
  readonly treatments: readonly TreatmentResult[];
}
