// Exit codes of the program (k6's, where k6 has the code) and the errors that carry them. An error that a user can cause says
// where it is, what was seen and what to do; every other error is a bug.

export const ExitCode = {
  done: 0,
  thresholdFailed: 99,
  invalid: 104,
  interrupted: 105,
  unexpected: 107,
  abortedByThreshold: 108,
  integrityViolation: 110,
  targetUnreachable: 111,
  notJudged: 112,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

export class TrainSimError extends Error {
  override readonly name: string = "TrainSimError";

  constructor(
    message: string,
    readonly exitCode: ExitCode,
    /** Next step for the user, in one sentence; empty if no step is known. */
    readonly hint = "",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Invalid scenario or usage: exit code 104. */
export class UsageError extends TrainSimError {
  override readonly name = "UsageError";
  constructor(message: string, hint = "", options?: ErrorOptions) {
    super(message, ExitCode.invalid, hint, options);
  }
}

/** The database or pooler cannot be started or reached, refuses the login, or went away: exit code 111. */
export class TargetError extends TrainSimError {
  override readonly name = "TargetError";
  constructor(message: string, hint = "", options?: ErrorOptions) {
    super(message, ExitCode.targetUnreachable, hint, options);
  }
}

export class TrialError extends TrainSimError {
  override readonly name = "TrialError";
  constructor(message: string, hint = "", options?: ErrorOptions) {
    super(message, ExitCode.unexpected, hint, options);
  }
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(messageOf).join("; ");
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}

/** System error code (`ECONNREFUSED`) or SQLSTATE (`40001`) of any thrown value, if it has a code. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if (error instanceof AggregateError && !("code" in error && error.code)) return codeOf(error.errors[0]);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Returns a TrainSimError unchanged; wraps any other value in a TrainSimError without a hint. */
export function asTrainSimError(error: unknown): TrainSimError {
  if (error instanceof TrainSimError) return error;
  return new TrainSimError(messageOf(error), ExitCode.unexpected, "", { cause: error });
}
