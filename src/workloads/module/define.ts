// `train-sim/workload`: the exports of a workload that is a module. It imports nothing, for editors and other programs.

type Scalar = number | string | boolean;

/** Seeded: the same numbers in every run of the same scenario. Not for secrets. */
export interface Random {
  /** Uniform over [0, 1). */
  float(): number;
  /** Uniform whole number, both ends included. */
  intBetween(min: number, max: number): number;
  /** Version 4. */
  uuid(): string;
}

export interface DrawContext<Settings> {
  readonly random: Random;
  /** Settings of the treatment. */
  readonly settings: Settings;
  /** Number of the client among those of the group, from 0. */
  readonly client: number;
}

export type Value = string | number | boolean | Date | null;

export interface Session {
  /**
   * One statement, prepared once a connection; resolves to its rows by column. Unqualified names are those of the workload's
   * schema.
   * @param name how errors, logs and latency parts call it, after the transaction
   * @param values of `$1`, `$2`, ...
   */
  query(
    name: string,
    text: string,
    values?: readonly Value[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface Transaction<Settings, Drawn> {
  /** Its share of all, beside the others. Default 1. */
  readonly weight?: number;
  /** Whether it changes nothing: then a lost commit does not matter. Default false. */
  readonly isReadOnly?: boolean;
  /** All that is random about it, made before its intended start and the same in every attempt. */
  draw(context: DrawContext<Settings>): Drawn;
  /**
   * The timed part; train-sim begins, commits, and after a retryable error runs it again. All its statements are one
   * transaction. Resolves to the units of work that it did: 0 is an empty poll, with undefined it is 1. Another value ends the trial.
   */
  run(session: Session, drawn: Drawn): Promise<unknown>;
  /** The unit of that number, such as `jobs`. Default `transactions`. */
  readonly unit?: string;
  /** After a commit without an answer: whether it happened. Without this such a transaction counts as failed, in doubt. */
  resolve?(session: Session, drawn: Drawn): Promise<boolean>;
  /** A value that an invariant with `acknowledged` finds again, once. */
  fact?(drawn: Drawn): string | number;
}

export interface Invariant {
  readonly name: string;
  /** One row with one boolean; with `acknowledged` one row for each fact. `:name` is a setting. */
  readonly sql: string;
  /** The transaction whose facts these are. */
  readonly acknowledged?: string;
}

export interface WorkloadModule<Settings extends Readonly<Record<string, Scalar>>, Drawn> {
  /** Letters, digits, - and _. */
  readonly name: string;
  /** Keys of the scenario with their defaults, hence possible factors. */
  readonly settings?: Settings;
  /** DDL, statements parted by semicolons; `:name` is a setting. */
  readonly schema?: string;
  readonly preload?: string;
  readonly transactions: Readonly<Record<string, Transaction<Settings, Drawn>>>;
  readonly invariants?: readonly Invariant[];
}

/** Returns it as it is, with its types checked. */
export function defineWorkload<Settings extends Readonly<Record<string, Scalar>>, Drawn>(
  workload: WorkloadModule<Settings, Drawn>,
): WorkloadModule<Settings, Drawn> {
  return workload;
}
