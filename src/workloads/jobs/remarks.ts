// Sentences of the audit about a queue and its counts that are no violation: jobs run twice or left behind, and runs after a kill.
import { shortNumber } from "../../foundation/text/numbers.js";
import { counted } from "../../foundation/units.js";
import type { TimeDifference } from "../workload.js";
import type { Ready } from "./queue-process.js";

interface Remarkable extends Pick<Ready, "library" | "version" | "promise" | "caveat"> {
  /** Names of events that its programs sent and that the protocol does not have. */
  readonly unknownEvents: readonly string[];
  /** Jobs that ended well in a run that was to fail. */
  readonly unfailed: number;
  readonly kills: number;
  readonly crashes: number;
  readonly runTwice: number;
  readonly stuck: number;
  readonly waiting: number;
  readonly outOfAttempts: number;
  readonly interrupted: number;
  readonly notRerun: number;
  /** Milliseconds in ascending order. */
  readonly reruns: readonly number[];
}

/** Median and maximum of times in ascending order; nothing if there are none. */
export function rerunTimes(sortedMs: readonly number[]): { rerunMedianMs?: number; rerunMaxMs?: number } {
  const rerunMedianMs = sortedMs[Math.floor((sortedMs.length - 1) / 2)];
  const rerunMaxMs = sortedMs.at(-1);
  return rerunMedianMs === undefined || rerunMaxMs === undefined ? {} : { rerunMedianMs, rerunMaxMs };
}

/** The end of a job with a library that does not tell its completion. */
export const HANDLER_END: TimeDifference = {
  operations: ["work", "lifecycle.completion"],
  words:
    "a job ends when its handler returns, since the library does not tell its completion: work and completion are not " +
    "compared with other queues'",
};

/** What is said of the queue itself. */
function remarksOnQueue({
  library,
  version,
  promise,
  caveat,
  unknownEvents,
  unfailed,
  kills,
  crashes,
}: Remarkable): string[] {
  return [
    `queue: ${library} ${version}, which promises to run a job ${promise.replaceAll("-", " ")}`,
    ...(caveat === undefined ? [] : [`queue: ${caveat}`]),
    ...unknownEvents.map(
      (name) =>
        `queue: its program wrote the event ${JSON.stringify(name)}, which the protocol does not have`,
    ),
    ...(unfailed > 0 && kills === 0
      ? [
          `queue: ${counted(unfailed, "job")} ended well in a run that was to fail: the handler must obey payload.fails`,
        ]
      : []),
    ...(crashes > 0
      ? [`queue: its worker's program ended by itself ${counted(crashes, "time")}, and was started again`]
      : []),
  ];
}

export function remarksOf(all: Remarkable): string[] {
  const { runTwice, stuck, waiting, outOfAttempts, interrupted, notRerun, reruns } = all;
  const jobs = (n: number): string => counted(n, "job");
  const { rerunMedianMs, rerunMaxMs } = rerunTimes(reruns);
  return [
    ...remarksOnQueue(all),
    ...(runTwice > 0 ? [`${jobs(runTwice)} ran more than once`] : []),
    ...(waiting > 0 ? [`${jobs(waiting)} left waiting`] : []),
    ...(stuck > 0 ? [`${jobs(stuck)} left claimed by no worker that lives`] : []),
    ...(outOfAttempts > 0 ? [`${jobs(outOfAttempts)} failed in the last attempt`] : []),
    ...(interrupted > 0
      ? [`${counted(interrupted, "run")} ended by a kill; ${jobs(notRerun)} of them not started again`]
      : []),
    ...(rerunMedianMs !== undefined && rerunMaxMs !== undefined
      ? [
          `${counted(reruns.length, "job")} started again ${shortNumber(rerunMedianMs / 1000)} s after the kill (median), ${shortNumber(rerunMaxMs / 1000)} s at most`,
        ]
      : []),
  ];
}
