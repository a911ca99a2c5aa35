// `train-sim report`: renders a stored experiment again, from `result.json` alone. It needs no database and changes
// nothing in the directory; an unfinished experiment is shown as such.
import type { Command } from "commander";
import { renderSummary } from "../report/summary.js";
import { readResult } from "../results/reader.js";

export function register(program: Command): void {
  program
    .command("report")
    .description("Print the summary of a result directory again; needs no database")
    .argument("<dir>", "result directory, as results/<name>-<time>")
    .option("--json", "print the result document instead")
    .action(report);
}

async function report(directory: string, options: { json?: true }): Promise<void> {
  const result = await readResult(directory);
  process.stdout.write(
    options.json ? `${JSON.stringify(result, null, 2)}\n` : renderSummary(result, { directory }),
  );
}
