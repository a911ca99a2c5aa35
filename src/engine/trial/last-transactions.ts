// Waits for the load's last transactions as long as the server works on one of them: one that cleans up a GIN pending list for
// all others can take a minute. Where it works on none, or for too long, nothing will come any more.
import { systemClock, type Clock } from "../../foundation/clock.js";
import { TargetError } from "../../foundation/errors.js";
import { databaseOfDialect } from "../../database/registry.js";
import type { WorkingSessions } from "../../database/contract.js";
import { loadApplicationNames } from "../../workloads/tables.js";
import { workloadOf } from "../../workloads/registry.js";
import type { ClientPath } from "./client-path.js";
import { POOLER_HINT } from "./pooler-watch.js";
import type { TrialLog } from "./trial-log.js";
import type { TrialHost, TrialInputs } from "./trial-parts.js";

/** Milliseconds between looks: longer than the last retries and a worker's report timeout, whose errors say more. */
export const LOOK_INTERVAL_MS = 20_000;
export const PATIENCE_MS = 10 * 60_000;

export interface LastTransactionsOptions {
  /** Asks the server for sessions that still work; undefined if it does not answer. */
  readonly workingSessions: () => Promise<WorkingSessions | undefined>;
  /** Connects to the poolers; resolves to the refusals of poolers that let no connection in, undefined if all accept. */
  readonly poolerFailure: () => Promise<string | undefined>;
  /** Called with each look after which the wait continues. */
  readonly onWait: (seconds: number, words: string) => void;
  /** Aborted when the wait is over. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Options of a trial's wait: the control connection asks the server; the trial's log and observer receive each look. */
export function lastTransactionsOptions(
  { admin, observer }: TrialHost,
  { treatment }: TrialInputs,
  log: TrialLog,
  path: Pick<ClientPath, "pooler">,
  signal: AbortSignal,
): LastTransactionsOptions {
  const { settings } = treatment;
  const { dialect } = settings;
  const loadNames = loadApplicationNames(workloadOf(settings));
  return {
    workingSessions: () => databaseOfDialect(dialect).sessions.readWorkingSessions(admin, dialect, loadNames),
    poolerFailure: () => Promise.resolve(path.pooler?.findConnectionProblem()),
    onWait: (seconds, words) => {
      log.logWaiting(seconds, words);
      observer.note(`waiting for the last transactions, ${seconds} s by now: ${words}`);
    },
    signal,
  };
}

/**
 * Awaits `ended` and resolves to its value. Rejects with a TargetError once the server works on no session of the load, or
 * after the longest wait.
 */
export async function awaitLastTransactions<T>(
  ended: Promise<T>,
  options: LastTransactionsOptions,
): Promise<T> {
  const { signal, clock = systemClock } = options;
  const outcome = ended.then((value) => ({ value }));
  for (let waitedMs = LOOK_INTERVAL_MS; ; waitedMs += LOOK_INTERVAL_MS) {
    const first = await Promise.race([outcome, clock.sleep(LOOK_INTERVAL_MS, signal)]);
    if (first) return first.value;
    if (signal.aborted) return ended;
    const working = await options.workingSessions();
    const seconds = waitedMs / 1000;
    if (!working || working.count === 0 || waitedMs >= PATIENCE_MS)
      throw unfinishedError(seconds, working, await options.poolerFailure());
    options.onWait(seconds, workingSessionsText(working));
  }
}

/** A sentence such as `the server works on 1 session of the load, whose transaction began 41 s ago (CPU)`. */
function workingSessionsText({ count, oldestSeconds, waits }: WorkingSessions): string {
  const whose =
    count === 1 ? "session of the load, whose transaction" : "sessions of the load, whose oldest transaction";
  return `the server works on ${count} ${whose} began ${Math.round(oldestSeconds)} s ago (${waits})`;
}

function unfinishedError(
  seconds: number,
  working: WorkingSessions | undefined,
  poolerFailure: string | undefined,
): TargetError {
  const what = `the workers' last transactions did not end within ${seconds} s`;
  if (poolerFailure !== undefined) return new TargetError(`${what}: ${poolerFailure}`, POOLER_HINT);
  if (!working) return new TargetError(what, "The database does not answer: look at its log and its locks.");
  if (working.count > 0)
    return new TargetError(
      `${what}: ${workingSessionsText(working)}`,
      "Look at what its statements do, and at their plans.",
    );
  return new TargetError(
    `${what}, and the server shows no active session of this load, as far as the role may see`,
    "Look at the server's log and locks, or at the wait of a module. A role without pg_monitor (PROCESS on MySQL) sees its own sessions only.",
  );
}
