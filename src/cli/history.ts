// `train-sim history`: reads results, and writes nothing but its page.
import { access } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Command } from "commander";
import type { StoredRun } from "../analysis/comparison/run-comparison.js";
import { historyOf } from "../analysis/history/run-history.js";
import { distinct } from "../foundation/distinct.js";
import { messageOf, UsageError } from "../foundation/errors.js";
import { writeFileAtomic, writeNamedFile } from "../foundation/storage.js";
import { paragraph, printable } from "../foundation/text/text-table.js";
import type { NamedHistory } from "../report/html/history/history-data.js";
import { renderHistoryPage } from "../report/html/history/render-history.js";
import { readPageAssets } from "../report/html/page-assets.js";
import { renderHistory } from "../report/terminal/run-history-text.js";
import { REPORT_FILE } from "../results/directory.js";
import { findResults } from "../results/find-results.js";
import { readResult } from "../results/reader.js";
import { maxRegressionOption, share } from "./option-values.js";
import { packageVersion } from "./package-info.js";
import { exitCodeOf } from "./regression-exit.js";

const PAGE_FILE = "history.html";

interface HistoryOptions {
  readonly maxRegression: number;
  readonly allowDifferences?: true;
  readonly html?: string;
}

export function register(program: Command): void {
  program
    .command("history")
    .description(
      "Write one page over all results in a directory: each metric by run, and the runs at which it changed",
    )
    .argument("<dir>", "directory with result directories, such as results; each scenario gets a history")
    .addOption(maxRegressionOption(share))
    .option("--allow-differences", "judge disturbed runs, too")
    .option("--html <file>", `where to write the page; without it, ${PAGE_FILE} in the directory`)
    .action(history);
}

async function history(directory: string, options: HistoryOptions): Promise<void> {
  const { runs, unreadable } = await readRuns(directory);
  const page = options.html ?? join(directory, PAGE_FILE);
  const names = distinct(runs.map(({ result }) => result.scenario.name));
  const histories = await Promise.all(
    names.map(async (name): Promise<NamedHistory> => {
      const own = runs.filter(({ result }) => result.scenario.name === name);
      const document = historyOf(own, options.maxRegression, options.allowDifferences);
      return { name, document, reports: await reportLinks(own, page) };
    }),
  );
  for (const { name, document } of histories)
    process.stdout.write(`${printable(name)}: ${renderHistory(document)}\n`);
  for (const words of unreadable) process.stderr.write(`${paragraph(`train-sim: ${words}`).join("\n")}\n`);
  const data = { programVersion: packageVersion(), histories, unreadable };
  const text = renderHistoryPage(data, await readPageAssets("history"));
  await (options.html === undefined ? writeFileAtomic(page, text) : writeNamedFile(page, text));
  process.stdout.write(`Page:  ${printable(page)}\n`);
  process.exitCode = exitCodeOf(
    histories.reduce((sum, { document }) => sum + document.regressions, 0),
    histories.every(({ document }) => document.isNewestJudged),
  );
}

/** Reads all results below the directory. Rejects only if none can be read. */
async function readRuns(
  directory: string,
): Promise<{ readonly runs: readonly StoredRun[]; readonly unreadable: readonly string[] }> {
  const unreadable: string[] = [];
  const runs: StoredRun[] = [];
  for (const found of await findResults(directory))
    try {
      runs.push({ directory: found, result: await readResult(found) });
    } catch (error) {
      unreadable.push(`left out: ${messageOf(error)}`);
    }
  if (runs.length === 0)
    throw new UsageError(
      [`${directory} holds no result that can be read`, ...unreadable].join("\n"),
      "Name a directory with results, such as results.",
    );
  return { runs, unreadable };
}

async function reportLinks(runs: readonly StoredRun[], page: string): Promise<Record<string, string>> {
  const links = await Promise.all(
    runs.map(async ({ directory }): Promise<[string, string][]> => {
      const report = join(directory, REPORT_FILE);
      const isThere = await access(report).then(
        () => true,
        () => false,
      );
      const address = relative(dirname(page), report).split(sep).map(encodeURIComponent).join("/");
      return isThere ? [[directory, address]] : [];
    }),
  );
  return Object.fromEntries(links.flat());
}
