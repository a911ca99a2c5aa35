// `train-sim validate`: touches no database. With `--json` the answer is a document for programs.
import type { Command } from "commander";
import { counted, formatDuration } from "../foundation/units.js";
import { experimentSpan, isBudgeted, leastBlocks } from "../scenario/plan/estimate.js";
import { loadScenario } from "../scenario/loader.js";
import { ScenarioError } from "../syntax/problems.js";
import type { Experiment } from "../scenario/settings.js";

interface ValidateOptions {
  readonly set: string[];
  readonly json?: true;
}

export function register(program: Command): void {
  program
    .command("validate")
    .description("Check a scenario; print its trials, or all its problems")
    .argument("<scenario>", "scenario file (YAML), or your own SQL file (.sql)")
    .option(
      "--set <path=value>",
      "override one scenario path; may be repeated",
      (value, all: string[]) => [...all, value],
      [],
    )
    .option("--json", "print the answer as JSON on standard output")
    .action(validate);
}

/**
 * Extent of a run: `3 treatments x 3 trials = 9 trials, load of 54s to 1m30s`; `x 5 to 30 trials = 15 to 90 trials` if
 * fewer may suffice.
 */
export function extentText(experiment: Experiment): string {
  const treatments = experiment.treatments.length;
  const most = experiment.trials.length / treatments;
  const counts = [...new Set([leastBlocks(experiment), most])];
  const trials = (times: number): string =>
    `${counts.map((count) => count * times).join(" to ")} ${most * times === 1 ? "trial" : "trials"}`;
  const { leastMs, mostMs } = experimentSpan(experiment);
  const hasBudget = experiment.treatments.some(({ settings }) => isBudgeted(settings));
  const bounds = hasBudget ? [mostMs] : [...new Set([leastMs, mostMs])];
  const loadDurationText = `${hasBudget ? "at most " : ""}${bounds.map(formatDuration).join(" to ")}`;
  return `${counted(treatments, "treatment")} x ${trials(1)} = ${trials(treatments)}, load of ${loadDurationText}`;
}

/** The extent of a run as JSON for programs; a search for capacity has no known extent. */
export function extentDocument(experiment: Experiment, isCapacitySearch = false): object {
  const { leastMs, mostMs } = experimentSpan(experiment);
  return {
    valid: true,
    name: experiment.name,
    ...(isCapacitySearch && { search: true }),
    treatments: experiment.treatments.map(({ id, levels }) => ({ id, levels })),
    trials: isCapacitySearch ? null : experiment.trials.length,
    ...(experiment.stopping && { leastTrials: leastBlocks(experiment) * experiment.treatments.length }),
    leastSeconds: isCapacitySearch ? null : leastMs / 1000,
    mostSeconds: isCapacitySearch ? null : mostMs / 1000,
  };
}

export async function loadOrPrintProblems<T>(isJson: boolean, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (isJson && error instanceof ScenarioError)
      process.stdout.write(`${JSON.stringify({ valid: false, problems: error.problems }, null, 2)}\n`);
    throw error;
  }
}

async function validate(file: string, { set, json }: ValidateOptions): Promise<void> {
  const experiment = await loadOrPrintProblems(json === true, () =>
    loadScenario(file, { set, environment: process.env }),
  );
  process.stdout.write(
    json
      ? `${JSON.stringify(extentDocument(experiment), null, 2)}\n`
      : `ok: ${experiment.name}: ${extentText(experiment)}\n`,
  );
}
