// Input of the conformance suite of audits for a workload: its clients' iterations, and changes of its tables that its
// audit must find.
import type { Mapping } from "../../../src/syntax/paths.js";

/** Kinds of changes that every workload's audit must find, each with the kind of its finding. */
export const FOUND_AS = {
  deleted: "lost",
  doubled: "duplicated",
  invented: "unexpected",
  changed: "changed",
} as const;
export type ChangeKind = keyof typeof FOUND_AS;

export interface TableChange {
  readonly what: string;
  /** Kind of the change, if it is one of `FOUND_AS`. */
  readonly kind?: ChangeKind;
  /** SQL that makes the change. Names of tables have no schema. */
  readonly change: string;
  /** SQL that makes the change in MySQL and MariaDB, if it differs; false if they cannot have it. */
  readonly mysql?: string | false;
  /** Keys of the scenario besides the family's. */
  readonly own?: Mapping;
  /** Expected numbers of findings by kind. Kinds that are not listed must have none. */
  readonly found: Readonly<Record<string, number>>;
  /** Expected named findings, as `kind`, `kind id` or `kind id: words`. */
  readonly named: readonly string[];
}

export interface AuditedFamily {
  /** Keys of the scenario; `workload` is among them. */
  readonly scenario: Mapping & { readonly workload: string };
  readonly iterations: Readonly<Record<string, number>>;
  readonly changes: readonly TableChange[];
  /** Reasons why this workload's audit finds a kind of change as another kind, or cannot find it. */
  readonly unlike?: Readonly<Partial<Record<ChangeKind, string>>>;
}

/** Changes that MySQL and MariaDB can have, with their SQL. */
export const changesOnMySql = ({ changes }: AuditedFamily): readonly TableChange[] =>
  changes.flatMap(({ mysql, ...change }) =>
    mysql === false ? [] : [{ ...change, change: mysql ?? change.change }],
  );
