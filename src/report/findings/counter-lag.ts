// A session of PostgreSQL adds its counts of rows, blocks, commits and log records to the shared statistics when it goes idle, at
// most once a second (`PGSTAT_MIN_INTERVAL` in its pgstat.c). So a window may miss a session's last second of work.
import { counted } from "../../foundation/units.js";
import type { TrialResult } from "../../results/result-schema.js";
import { percent } from "../../analysis/diagnosis/check.js";

const COUNTER_LAG_SECONDS = 1;
/** Smallest share of the window that the lag of counters must be to be mentioned. */
const MENTIONED_LAG_SHARE_MIN = 0.05;

/**
 * Sentence on the lag of the server's counters in the shortest window of a complete trial; undefined if the window is long
 * enough, or if no counters were read.
 */
export function counterLagWords(
  trials: readonly Pick<TrialResult, "status" | "windowSeconds" | "database">[],
): string | undefined {
  const counting = trials.filter(({ status, database }) => status === "complete" && database.perEvent);
  const seconds = Math.min(...counting.map(({ windowSeconds }) => windowSeconds));
  const ratio = COUNTER_LAG_SECONDS / seconds;
  if (ratio <= MENTIONED_LAG_SHARE_MIN || !Number.isFinite(ratio)) return undefined;
  return (
    `Server counters lag by up to ${counted(COUNTER_LAG_SECONDS, "second")}: in a window of ${Number(seconds.toFixed(1))} s rows, blocks and log ` +
    `records may be off by ${percent(ratio)} (WAL bytes and statements are exact). Measure for ${COUNTER_LAG_SECONDS / MENTIONED_LAG_SHARE_MIN} s.`
  );
}
