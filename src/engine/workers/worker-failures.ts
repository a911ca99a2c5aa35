// What is said of a worker thread that failed without a word: where, what was seen, what to do. Each fails the trial.
import { codeOf, messageOf, TrainSimError, TrialError } from "../../foundation/errors.js";

/** The error of a worker that threw an uncaught error or ran out of memory. `who` is a name such as `producers worker 0`. */
export function crashedError(who: string, error: unknown): TrainSimError {
  if (error instanceof TrainSimError) return error;
  if (codeOf(error) !== "ERR_WORKER_OUT_OF_MEMORY")
    return new TrialError(`${who} crashed: ${messageOf(error)}`, "", { cause: error });
  return new TrialError(
    `${who} ran out of memory: ${messageOf(error)}`,
    "Take smaller batches or give its role more workers; NODE_OPTIONS=--max-old-space-size=MB raises what a thread may use.",
    { cause: error },
  );
}

/**
 * The error of a worker that did not end in time. Node 24 and 26 cannot end a thread that ran out of memory within one long
 * loop.
 */
export function endlessWorkerError(who: string, sinceMs: number): TrialError {
  return new TrialError(
    `${who} did not end within ${sinceMs / 1000} s of being asked to`,
    "Give its role more workers, or take smaller batches; NODE_OPTIONS=--max-old-space-size=MB raises what a thread may use.",
  );
}

/** The error of a worker that has sent no report for `sinceReportMs`. */
export function hangingWorkerError(who: string, sinceReportMs: number): TrialError {
  return new TrialError(
    `${who} hangs: it has reported nothing for ${Math.round(sinceReportMs / 1000)} s`,
    "Its thread is blocked: by a module that does not end, or by large batches. Else report a bug.",
  );
}
