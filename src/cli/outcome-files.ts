import { asTrainSimError, type TrainSimError } from "../foundation/errors.js";
import { writeReport } from "../report/html/report-file.js";
import { renderSummary } from "../report/terminal/summary.js";
import { writeSummary } from "../results/directory.js";
import type { ResultDocument } from "../results/result-schema.js";
import type { ExperimentObserver } from "../engine/session/observer.js";

interface FilesOutcome {
  readonly hasReport: boolean;
  /** The first failure to write a file; undefined if all files were written. */
  readonly problem: TrainSimError | undefined;
}

export async function writeOutcome(
  { directory, result }: { readonly directory: string; readonly result: ResultDocument },
  {
    programVersion,
    observer,
  }: { readonly programVersion: string; readonly observer: Pick<ExperimentObserver, "note"> },
): Promise<FilesOutcome> {
  const problems: TrainSimError[] = [];
  const attempt = async (write: () => Promise<unknown>): Promise<void> => {
    await write().catch((error: unknown) => problems.push(asTrainSimError(error)));
  };
  await attempt(() => writeSummary(directory, renderSummary(result, { directory })));
  let report: string | undefined;
  await attempt(async () => (report = await writeReport(directory, result, programVersion)));
  if (report !== undefined) observer.note(`report: ${report}`);
  return { hasReport: report !== undefined, problem: problems[0] };
}
