// Input of the conformance suite of audits for a workload: its clients' iterations, and changes of its tables that its
// audit must find.
import type { Mapping } from "../../../src/syntax/paths.js";

/** Changes that the audit of every workload must find, with the kind of each finding. */
export const FOUND_AS = {
  deleted: "lost",
  doubled: "duplicated",
  invented: "unexpected",
  changed: "changed",
} as const;
export type ChangeKind = keyof typeof FOUND_AS;

export interface TableChange {
  readonly what: string;
  /** The suite's kind of this change, if any. */
  readonly kind?: ChangeKind;
  /** SQL in which tables have no schema. */
  readonly change: string;
  /** Keys of the scenario besides the family's. */
  readonly own?: Mapping;
  /** Counts of the findings by kind; all others are 0. */
  readonly found: Readonly<Record<string, number>>;
  /** Findings as `kind`, `kind id` or `kind id: words`. */
  readonly named: readonly string[];
}

export interface AuditedFamily {
  /** Keys of the scenario; `workload` is among them. */
  readonly scenario: Mapping & { readonly workload: string };
  readonly iterations: Readonly<Record<string, number>>;
  readonly changes: readonly TableChange[];
  /** Reasons why a change has another kind of finding than in other workloads, or cannot be found. */
  readonly unlike?: Readonly<Partial<Record<ChangeKind, string>>>;
}
