// `report.html`, written as a whole: a reader sees the old file or the new one, and never a part.
import { join } from "node:path";
import { REPORT_FILE } from "../../results/directory.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { writeFileAtomic } from "../../foundation/storage.js";
import { collectReport } from "./collect.js";
import { readPageAssets } from "./page-assets.js";
import { renderReport } from "./render.js";

/** Text of the HTML report. Rejects if the page's script and style sheet were not built. */
export async function reportPage(
  directory: string,
  result: ResultDocument,
  programVersion: string,
): Promise<string> {
  const assets = await readPageAssets();
  return renderReport(await collectReport(directory, result, programVersion), assets);
}

export async function writeReport(
  directory: string,
  result: ResultDocument,
  programVersion: string,
): Promise<string> {
  const path = join(directory, REPORT_FILE);
  await writeFileAtomic(path, await reportPage(directory, result, programVersion));
  return path;
}
