// `--junit` and `--markdown`: what a command found, for any CI.
import type { Command } from "commander";
import { writeNamedFile } from "../foundation/storage.js";
import { renderJunit, type TestSuite } from "../report/junit/junit.js";

export interface ReportFileOptions {
  readonly junit?: string;
  readonly markdown?: string;
}

export function addReportOptions(command: Command): Command {
  return command
    .option("--junit <file>", "also write the judgement as JUnit XML")
    .option("--markdown <file>", "also write a summary in Markdown, such as for a comment");
}

interface ReportedResult {
  readonly name: string;
  suites(): readonly TestSuite[];
  markdown(): string;
}

export async function writeReports(
  { junit, markdown }: ReportFileOptions,
  result: ReportedResult,
): Promise<void> {
  if (junit !== undefined) await writeNamedFile(junit, renderJunit(result.name, result.suites()));
  if (markdown !== undefined) await writeNamedFile(markdown, result.markdown());
}
