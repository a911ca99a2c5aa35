// What people read of a result, beside it in its directory: the summary and the report. Both can be made from the result
// again, so a report that cannot be made takes nothing from the exit code: a warning says why, and `train-sim report` makes
// it later.
import { messageOf } from "../foundation/errors.js";
import { writeReport } from "../report/html/report-file.js";
import { renderSummary } from "../report/terminal/summary.js";
import { writeSummary } from "../results/directory.js";
import type { ResultDocument } from "../results/result-schema.js";
import type { ExperimentObserver } from "../engine/session/observer.js";

/** Rejects where the summary cannot be written. */
export async function writeOutcome(
  { directory, result }: { readonly directory: string; readonly result: ResultDocument },
  {
    programVersion,
    observer,
  }: { readonly programVersion: string; readonly observer: Pick<ExperimentObserver, "note"> },
): Promise<void> {
  await writeSummary(directory, renderSummary(result, { directory }));
  try {
    observer.note(`report: ${await writeReport(directory, result, programVersion)}`);
  } catch (error) {
    observer.note(`warning: no report.html was written: ${messageOf(error)}`);
  }
}
