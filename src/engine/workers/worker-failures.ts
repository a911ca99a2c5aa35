// What is said of a worker thread that failed without a word: where, what was seen, what to do. Each fails the trial.
import { codeOf, messageOf, TrainSimError, TrialError } from "../../foundation/errors.js";

/** It threw an uncaught error, or has no memory left. `who` is as in `producers worker 0`. */
export function crashed(who: string, error: unknown): TrainSimError {
  if (error instanceof TrainSimError) return error;
  if (codeOf(error) !== "ERR_WORKER_OUT_OF_MEMORY")
    return new TrialError(`${who} crashed: ${messageOf(error)}`, "", { cause: error });
  return new TrialError(
    `${who} ran out of memory: ${messageOf(error)}`,
    "Take smaller batches or give its role more workers; NODE_OPTIONS=--max-old-space-size=MB raises what a thread may use.",
    { cause: error },
  );
}

/** It did not end in time. Node 24 and 26 do not end a thread whose memory ran out within one long loop. */
export function endless(who: string, sinceMs: number): TrialError {
  return new TrialError(
    `${who} did not end within ${sinceMs / 1000} s of being asked to`,
    "Give its role more workers, or take smaller batches; NODE_OPTIONS=--max-old-space-size=MB raises what a thread may use.",
  );
}

/** It has not reported for so long. */
export function silentWorker(who: string, silentMs: number): TrialError {
  return new TrialError(
    `${who} hangs: it has reported nothing for ${Math.round(silentMs / 1000)} s`,
    "Its thread is blocked: by a module that does not end, or by large batches. Else report a bug.",
  );
}
