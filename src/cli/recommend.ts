// `train-sim recommend`: writes recommendation.json, recommendation.txt and perhaps recommended.yaml.
import { join } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { recommend, type Measure } from "../engine/recommend/recommend.js";
import { singleConfigurationOverrides } from "../engine/recommend/space.js";
import { monotonicMs, wallClockMs } from "../foundation/clock.js";
import { ExitCode, TrainSimError, UsageError } from "../foundation/errors.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { writeNamedFile } from "../foundation/storage.js";
import { parseDurationMs } from "../foundation/units.js";
import { createFreshDirectory } from "../results/directory.js";
import { renderRecommendation } from "../report/terminal/recommendation-text.js";
import { loadScenario } from "../scenario/loader.js";
import type { Objective } from "../scenario/judgement.js";
import { parseCondition, parseObjective } from "../scenario/objective.js";
import type { Experiment } from "../scenario/settings.js";
import { appendValue } from "./option-values.js";
import { runWithSignals } from "./run.js";

interface RecommendOptions {
  readonly objective?: string;
  readonly subjectTo: readonly string[];
  readonly budget: number;
  readonly alsoAt: readonly string[];
  readonly set: readonly string[];
  readonly out: string;
  readonly json?: true;
  readonly quiet?: true;
}

function budget(text: string): number {
  const ms = parseDurationMs(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new InvalidArgumentError("Give a duration, such as 1h or 30m.");
}

export function register(program: Command): void {
  program
    .command("recommend")
    .description("Find the best configuration of a scenario, and compare it with the present one")
    .argument(
      "<scenario>",
      "scenario file (YAML); its factors span the configurations, their first levels are the present one",
    )
    .option(
      "--objective <words>",
      "objective, such as 'maximise cycle.events/s' or 'minimise process.p(99)' (default: the scenario's)",
    )
    .option(
      "--subject-to <condition>",
      "condition that must hold, such as 'process: p(99)<50'; may be repeated",
      appendValue,
      [],
    )
    .requiredOption("--budget <duration>", "time for all trials together, such as 1h", budget)
    .option(
      "--also-at <path=value>",
      "another load at which the proposal is compared, such as clients=64; may be repeated",
      appendValue,
      [],
    )
    .option("--set <path=value>", "override one scenario path; may be repeated", appendValue, [])
    .option("--out <dir>", "directory for the results", "results")
    .option("--json", "print the recommendation as JSON on standard output")
    .option("--quiet", "no progress")
    .action(run);
}

function objectiveOf({ objective }: RecommendOptions, experiment: Experiment): Objective {
  if (objective !== undefined) return parseObjective(objective, experiment.treatments);
  if (experiment.objective) return experiment.objective;
  throw new UsageError(
    "there is no objective: neither --objective nor the scenario names one",
    "Give one, such as --objective 'maximise add.events/s'.",
  );
}

async function run(scenario: string, options: RecommendOptions): Promise<void> {
  const environment = process.env;
  const overrides = { set: options.set, environment };
  const experiment = await loadScenario(scenario, overrides);
  const { treatments, seed } = experiment;
  const plan = {
    experiment,
    objective: objectiveOf(options, experiment),
    conditions: options.subjectTo.map((text) => parseCondition(text, treatments)),
    budgetMs: options.budget,
    loads: options.alsoAt,
  };
  // A load that cannot run is refused before any trial runs.
  for (const load of options.alsoAt)
    await loadScenario(scenario, { set: [...options.set, load], environment });
  let createdDirectory: string | undefined;
  const directory = async (): Promise<string> =>
    (createdDirectory ??= await createFreshDirectory(
      options.out,
      `${experiment.name}-recommendation`,
      wallClockMs(),
    ));
  const loadVariant = (set: readonly string[]): ReturnType<typeof loadScenario> =>
    loadScenario(scenario, { set: [...options.set, ...set], defaultSeed: seed, environment });
  const measure: Measure = async (what, set) => {
    const variantExperiment = await loadVariant(set);
    process.stderr.write(`train-sim: ${what}\n`);
    const outcome = await runWithSignals(variantExperiment, {
      out: await directory(),
      ...(options.quiet && { quiet: options.quiet }),
    });
    const { result, exitCode, failure } = outcome;
    if (exitCode === ExitCode.done) return result;
    const words = failure?.message ?? `the ${what} ended with exit code ${exitCode}`;
    throw new TrainSimError(
      words,
      exitCode,
      `Its results are in ${outcome.directory}. Nothing is recommended.`,
    );
  };
  const document = await recommend(plan, measure, monotonicMs);
  const text = renderRecommendation(document);
  const out = await directory();
  await writeNamedFile(join(out, "recommendation.json"), `${JSON.stringify(document, null, 2)}\n`);
  const { proposal, advice } = document;
  const recommendedFile = join(out, "recommended.yaml");
  if (proposal && advice === "change")
    await writeNamedFile(
      recommendedFile,
      (await loadVariant(singleConfigurationOverrides(proposal, experiment))).yaml,
    );
  const where = advice === "change" ? `The configuration: ${recommendedFile}` : `Results: ${out}`;
  await writeNamedFile(join(out, "recommendation.txt"), text);
  process.stdout.write(
    options.json ? `${JSON.stringify(document, null, 2)}\n` : escapeControlCharacters(`${text}${where}\n`),
  );
}
