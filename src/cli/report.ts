// `train-sim report`: needs no database, and writes nothing but `report.html`; with `--json` not even that.
import type { Command } from "commander";
import { verifyResult } from "../verify/verify.js";
import { ExitCode } from "../foundation/errors.js";
import { writeReport } from "../report/html/report-file.js";
import { renderScreen } from "../report/terminal/screen.js";
import { renderSummary } from "../report/terminal/summary.js";
import { printable } from "../foundation/text/text-table.js";
import { isVerified } from "../verify/verification.js";
import { renderVerification } from "../verify/verification-text.js";
import { readResult } from "../results/reader.js";
import { supportsColour } from "./colour.js";
import { packageVersion } from "./package-info.js";

export function register(program: Command): void {
  program
    .command("report")
    .description("Write report.html of a result directory again and print its summary; needs no database")
    .argument("<dir>", "result directory, such as results/<name>-<time>")
    .option("--verify", "recompute every figure from the directory's files, compare, and write nothing")
    .option("--verbose", "print the whole summary, not only its first screen")
    .option("--json", "print the result document, or the verification, as JSON, and write nothing")
    .action(report);
}

async function report(
  directory: string,
  options: { json?: true; verify?: true; verbose?: true },
): Promise<void> {
  if (options.verify) {
    const verification = await verifyResult(directory, packageVersion());
    process.stdout.write(
      options.json
        ? `${JSON.stringify(verification, null, 2)}\n`
        : renderVerification(verification, supportsColour()),
    );
    process.exitCode = isVerified(verification) ? ExitCode.done : ExitCode.thresholdFailed;
    return;
  }
  const result = await readResult(directory);
  if (options.json) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  const render = options.verbose ? renderSummary : renderScreen;
  process.stdout.write(render(result, { directory, colour: supportsColour() }));
  const path = await writeReport(directory, result, packageVersion());
  process.stdout.write(`Report:  ${printable(path)}\n`);
}
