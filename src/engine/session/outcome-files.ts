// What an experiment leaves in its directory when it ends, whatever way it ended: the result first, since everything
// else can be made from it again. A report that cannot be made takes nothing from the result and nothing from the exit
// code: that is told, and `train-sim report` makes it later.
import { messageOf } from "../../foundation/errors.js";
import { writeReport } from "../../report/html/report-file.js";
import { renderSummary } from "../../report/terminal/summary.js";
import { writeResult, writeSummary } from "../../results/directory.js";
import type { ResultDocument } from "../../results/result-schema.js";
import type { ExperimentObserver } from "./observer.js";

/** Returns the summary. Rejects where the result or the summary cannot be written. */
export async function writeOutcome(
  directory: string,
  result: ResultDocument,
  { programVersion, observer }: { readonly programVersion: string; readonly observer: ExperimentObserver },
): Promise<string> {
  const summary = renderSummary(result, { directory });
  await writeResult(directory, result);
  await writeSummary(directory, summary);
  try {
    observer.note(`report: ${await writeReport(directory, result, programVersion)}`);
  } catch (error) {
    observer.note(`warning: no report.html was written: ${messageOf(error)}`);
  }
  return summary;
}
