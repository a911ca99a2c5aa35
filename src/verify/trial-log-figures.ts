// Workers write the log apart from the coordinator's files. Without summaries (`log.level`) it states no counts.
import { readLogs } from "../logs/read-logs.js";
import { logFilesIn } from "../results/log-reader.js";
import type { TrialResult } from "../results/result-schema.js";
import type { Figures } from "./figures.js";

export interface TrialLocation {
  readonly trial: TrialResult;
  readonly path: string;
  readonly name: string;
  /** Path of the trial in `result.json`. */
  readonly at: string;
}

/** Compares a trial's log with its result. `isLogComplete` is true if the scenario's log level includes summaries. */
export async function compareLog(
  figures: Figures,
  { trial, path, name, at }: TrialLocation,
  isLogComplete: boolean,
): Promise<void> {
  const what = `${name}: counts in its log`;
  try {
    const report = await readLogs(await logFilesIn([path]), {}, 0);
    const loggedTrial = report.trials.find(({ number }) => number === trial.number);
    if (!loggedTrial) {
      figures.leave(what, "it has no line of this trial", isLogComplete);
      return;
    }
    const { windowStartsAt: startedAt, windowSeconds, status, index, integrity: verdict } = loggedTrial;
    const entries = Object.entries({ startedAt, windowSeconds, status, index, verdict });
    const stored: Record<string, unknown> = { ...trial, verdict: trial.integrity?.verdict };
    for (const [key, value] of entries)
      if (value !== null)
        figures.compare("log", `${at}.${key === "verdict" ? "integrity.verdict" : key}`, stored[key], value);
    if (!loggedTrial.isCounted || trial.status !== "complete") {
      if (loggedTrial.isCounted) figures.leave(what, `the trial is ${trial.status}`);
      else figures.leave(what, "it holds no summaries", isLogComplete && trial.status === "complete");
      return;
    }
    for (const [operation, entries] of Object.entries(loggedTrial.operations)) {
      const totals = Object.entries(entries).filter(([, value]) => value !== null);
      const result: Record<string, unknown> = { ...trial.operations[operation] };
      for (const [key, value] of totals)
        figures.compare("log", `${at}.operations.${operation}.${key}`, result[key], value);
    }
  } catch (error) {
    if (isLogComplete) figures.unreadable(what, error);
    else figures.leave(what, "the scenario's log.level left it out");
  }
}
