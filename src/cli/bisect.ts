// `train-sim bisect`: reads revisions from git and leaves the working tree alone. Ends with 99 if the bad revision is worse.
import { join } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import type { Objective } from "../scenario/judgement.js";
import { parseObjective } from "../scenario/objective.js";
import { bisect, type BisectPlan, type Measure, type StepOutcome } from "../engine/bisect/bisect.js";
import { revisionsOf, type Candidate, type RunnableRevision } from "../engine/bisect/revisions.js";
import { wallClockMs } from "../foundation/clock.js";
import { ExitCode, TrainSimError } from "../foundation/errors.js";
import { deriveSeed } from "../foundation/prng.js";
import { escapeControlCharacters } from "../foundation/shown.js";
import { writeNamedFile } from "../foundation/storage.js";
import { BLOCKS_MIN } from "../metrics/blocks-min.js";
import { isHeadline } from "../metrics/metric-lists.js";
import { isCycleOperation } from "../metrics/operations.js";
import { createFreshDirectory } from "../results/directory.js";
import { renderBisection } from "../report/terminal/bisect-text.js";
import { parseScenario } from "../scenario/loader.js";
import { listedScenario } from "../scenario/pair.js";
import type { Mapping } from "../syntax/paths.js";
import { appendValue, maxRegressionOption, wholeNumber } from "./option-values.js";
import { runWithSignals } from "./run.js";

interface BisectCommandOptions {
  readonly good: string;
  readonly bad?: string;
  readonly objective: string;
  readonly maxRegression: number;
  readonly trials: number;
  readonly set: readonly string[];
  readonly out: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** Parses `5%` or `5` to a share of 0.05. */
function parseRegression(text: string): number {
  const percent = Number(/^(\d+(?:\.\d+)?)\s*%?$/.exec(text.trim())?.[1]);
  if (percent >= 1 && percent <= 50) return percent / 100;
  throw new InvalidArgumentError("Give a percentage from 1 to 50, such as 5%.");
}

function parseTrialsMost(text: string): number {
  const trials = wholeNumber(text);
  if (trials > BLOCKS_MIN && trials <= 1000) return trials;
  throw new InvalidArgumentError(`Give a number from ${BLOCKS_MIN + 1} to 1000.`);
}

export function register(program: Command): void {
  program
    .command("bisect")
    .description("Find the revision of a scenario's files at which a metric became worse; exit code 99 then")
    .argument("<scenario>", "scenario file (YAML) in a git repository, with one treatment")
    .requiredOption("--good <revision>", "a commit at which the metric was good")
    .option("--bad <revision>", "a later commit that may be worse (default: the working tree)")
    .requiredOption(
      "--objective <words>",
      "metric to compare, such as 'maximise pay.events/s' or 'minimise pay.p(99)'",
    )
    .addOption(maxRegressionOption(parseRegression))
    .option("--trials <n>", "most trials of each revision in a step, 6 or more", parseTrialsMost, 30)
    .option(
      "--set <path=value>",
      "override one scenario path at every revision; may be repeated",
      appendValue,
      [],
    )
    .option("--out <dir>", "directory for the results", "results")
    .option("--json", "print the answer as JSON on standard output")
    .option("--quiet", "no progress")
    .action(run);
}

/** Exit codes of a run that are a result of the revision's files; any other code ends the bisection. */
const REVISION_EXIT_CODES: readonly ExitCode[] = [
  ExitCode.invalid,
  ExitCode.unexpected,
  ExitCode.integrityViolation,
  ExitCode.abortedByThreshold,
];

async function run(scenario: string, options: BisectCommandOptions): Promise<void> {
  const { good, bad, set, quiet } = options;
  const candidates = revisionsOf({ scenario, good, bad, set, environment: process.env });
  const [base] = candidates;
  const { experiment } = base;
  const objective = parseObjective(options.objective, experiment.treatments);
  const plan: BisectPlan = { candidates, objective, maxRegression: options.maxRegression };
  const out = await createFreshDirectory(options.out, `${experiment.name}-bisect`, wallClockMs());
  const measure: Measure = async ({ purpose, reference, revision, step, within }) => {
    const [one, other] = [candidates[reference], candidates[revision]] as [
      RunnableRevision,
      RunnableRevision,
    ];
    const { id, subject } = other.revision;
    process.stderr.write(
      escapeControlCharacters(`train-sim: step ${step + 1}, ${purpose}: ${id} ${subject}\n`),
    );
    const name = `${step + 1}-${id}`.replaceAll(" ", "-");
    return outcomeOf(async () => {
      const seed = deriveSeed(experiment.seed, "bisect", step);
      const keys = { name, seed, ...experimentKeys(base, objective, options.trials, within) };
      const yaml = listedScenario([scenarioOf(one), scenarioOf(other)], keys);
      return runWithSignals(parseScenario(yaml, scenario, { loadsCode: true }), {
        out,
        ...(quiet && { quiet }),
      });
    });
  };
  const document = await bisect(plan, measure);
  const text = renderBisection(document, subjectById(candidates));
  const json = `${JSON.stringify(document, null, 2)}\n`;
  await writeNamedFile(join(out, "bisect.json"), json);
  await writeNamedFile(join(out, "bisect.txt"), text);
  process.stdout.write(options.json ? json : escapeControlCharacters(`${text}Results: ${out}\n`));
  const isWorse = document.outcome !== "no-regression" && document.outcome !== "inconclusive";
  process.exitCode = isWorse ? ExitCode.thresholdFailed : ExitCode.done;
}

function subjectById(candidates: readonly Candidate[]): Map<string, string> {
  return new Map(candidates.map(({ revision: { id, subject } }) => [id, subject]));
}

const scenarioOf = ({ treatments }: RunnableRevision): Mapping => treatments[0]?.scenario ?? {};

/** Scenario keys that repeat trials until the objective is decided; the other keys come from the good revision. */
function experimentKeys(base: RunnableRevision, objective: Objective, max: number, margin: number): Mapping {
  const within = `${(margin * 100).toFixed(3)}%`;
  const { diagnosis } = scenarioOf(base);
  return {
    trials: { min: BLOCKS_MIN, max, until: "decided", within },
    ...(diagnosis !== undefined && { diagnosis }),
    thresholds: thresholdFor(objective),
  };
}

/** A threshold that always holds: it names the objective, so that this alone decides when a step may end. */
function thresholdFor({ operation, metric, words }: Objective): Mapping {
  if (isCycleOperation(operation) || !isHeadline(metric)) return {};
  const aggregate = /\.([^.]+|p\([\d.]+\))\s*$/.exec(words)?.[1] ?? "";
  return { [operation]: [`${aggregate}>=0`] };
}

async function outcomeOf(runStep: () => ReturnType<typeof runWithSignals>): Promise<StepOutcome> {
  try {
    const { result, directory, exitCode, failure } = await runStep();
    if (exitCode === ExitCode.done || exitCode === ExitCode.thresholdFailed) return { result, directory };
    throw failure ?? new TrainSimError(`the step ended with exit code ${exitCode}`, exitCode, directory);
  } catch (error) {
    if (!(error instanceof TrainSimError) || !REVISION_EXIT_CODES.includes(error.exitCode)) throw error;
    return { problem: error.message.replace(/\s*\n\s*/g, " ") };
  }
}
