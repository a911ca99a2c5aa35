// `train-sim/workload`: the exports of a workload that is a module. It imports nothing, for editors and other programs.

type Scalar = number | string | boolean;

/** Seeded random numbers: the same in every run of the same scenario. Not for secrets. */
export interface Random {
  /** Draws uniformly from [0, 1). */
  float(): number;
  /** Draws a whole number uniformly, both ends included. */
  intBetween(min: number, max: number): number;
  /** Draws a UUID of version 4. */
  uuid(): string;
}

export interface DrawContext<Settings> {
  readonly random: Random;
  readonly settings: Settings;
  /** Number of the client in its role, from 0. */
  readonly client: number;
}

export type Value = string | number | boolean | Date | null;

export interface Session {
  /**
   * Runs one statement, which each connection prepares once; resolves to its rows by column. Unqualified names refer to the
   * workload's schema.
   * @param name name of the statement in errors, logs and latency parts, after the transaction
   * @param values of `$1`, `$2`, ...
   */
  query(
    name: string,
    text: string,
    values?: readonly Value[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface Transaction<Settings, Drawn> {
  readonly weight?: number;
  readonly isReadOnly?: boolean;
  /** Draws the random parts of the transaction, before its intended start; they are the same in every attempt. */
  draw(context: DrawContext<Settings>): Drawn;
  /**
   * Runs the timed part; train-sim begins and commits, and runs it again after a retryable error. All of its statements are
   * one transaction. Resolves to the number of units of work: 0 is an empty poll, undefined counts as 1. Another value
   * ends the trial.
   */
  run(session: Session, drawn: Drawn): Promise<unknown>;
  /** Unit of work, such as `jobs`. Default `transactions`. */
  readonly unit?: string;
  /** Resolves to true if a commit without an answer happened. Without this function it counts as failed, in doubt. */
  resolve?(session: Session, drawn: Drawn): Promise<boolean>;
  /** A value that an invariant with `acknowledged` must find again, once. */
  fact?(drawn: Drawn): string | number;
}

export interface Invariant {
  readonly name: string;
  readonly sql: string;
  /** Name of the transaction with these facts. */
  readonly acknowledged?: string;
}

export interface WorkloadModule<Settings extends Readonly<Record<string, Scalar>>, Drawn> {
  /** Name of letters, digits, - and _. */
  readonly name: string;
  /** Keys of the scenario with their defaults; each can be a factor. */
  readonly settings?: Settings;
  /** DDL statements, separated by semicolons; `:name` is a setting. */
  readonly schema?: string;
  readonly preload?: string;
  readonly transactions: Readonly<Record<string, Transaction<Settings, Drawn>>>;
  readonly invariants?: readonly Invariant[];
}

/** Returns the workload unchanged, with its types checked. */
export function defineWorkload<Settings extends Readonly<Record<string, Scalar>>, Drawn>(
  workload: WorkloadModule<Settings, Drawn>,
): WorkloadModule<Settings, Drawn> {
  return workload;
}
