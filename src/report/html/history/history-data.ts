// The contract between the program, which reads the runs, and the page, which draws them in a browser.
import type { HistoryDocument } from "../../../analysis/history/run-history.js";

export interface HistoryData {
  readonly programVersion: string;
  /** One history for each name of an experiment. */
  readonly histories: readonly NamedHistory[];
  /** Sentences on result directories that cannot be read. */
  readonly unreadable: readonly string[];
}

export interface NamedHistory {
  /** Name of the scenario. */
  readonly name: string;
  readonly document: HistoryDocument;
  /** Addresses of reports relative to the page, by the directory of the run. A run without a report has none. */
  readonly reports: Readonly<Record<string, string>>;
}
