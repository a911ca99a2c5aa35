// `train-sim compare --base-ref`: one run of a scenario's files as they were at a revision and as they are now.
import {
  compareRevisions,
  objectionsToRevisions,
  type RevisionPair,
} from "../analysis/comparison/revision-comparison.js";
import type { ComparisonDocument } from "../analysis/comparison/run-comparison.js";
import { revisionPair, type RunnableRevision } from "../engine/bisect/revisions.js";
import { ExitCode, TrainSimError } from "../foundation/errors.js";
import type { ResultDocument } from "../results/result-schema.js";
import { parseScenario, type SingleTreatment } from "../scenario/loader.js";
import { listedScenario } from "../scenario/pair.js";
import type { Experiment } from "../scenario/settings.js";
import { isMapping, type Mapping } from "../syntax/paths.js";
import { runWithSignals } from "./run.js";

export interface RevisionOptions {
  readonly baseRef: string;
  readonly headRef?: string;
  readonly set: readonly string[];
  readonly trials?: number;
  readonly out: string;
  readonly quiet?: true;
  readonly maxRegression: number;
  readonly allowDifferences?: true;
}

/** A treatment that both revisions have. */
interface TreatmentAtBoth {
  readonly id: string;
  readonly before: Mapping;
  readonly after: Mapping;
}

/** Keys of the experiment that the compared revision decides; thresholds may name levels that are no longer factors. */
const EXPERIMENT_KEYS = ["name", "trials", "budget", "order", "diagnosis"];

function revisionText({ revision: { id, subject } }: RunnableRevision): string {
  return `${id} (${subject})`;
}

/** The treatment's scenario, whose workload is labelled if it is the user's own. */
function labelled({ scenario }: SingleTreatment, label: string): Mapping {
  const { workload } = scenario;
  return { ...scenario, ...(isMapping(workload) && { workload: { ...workload, label } }) };
}

function sharedTreatments(before: RunnableRevision, after: RunnableRevision): TreatmentAtBoth[] {
  return before.treatments.flatMap((base) => {
    const head = after.treatments.find(({ id }) => id === base.id);
    return head ? [{ id: base.id, before: labelled(base, "base"), after: labelled(head, "head") }] : [];
  });
}

const unsharedIds = (one: RunnableRevision, other: RunnableRevision): string[] =>
  one.treatments.flatMap(({ id }) => (other.treatments.some((each) => each.id === id) ? [] : [id]));

function experimentOf(
  shared: readonly TreatmentAtBoth[],
  { experiment, treatments: [first] }: RunnableRevision,
  { trials }: RevisionOptions,
  scenario: string,
): Experiment {
  const stated = Object.entries(first?.scenario ?? {}).filter(([key]) => EXPERIMENT_KEYS.includes(key));
  const keys = {
    ...Object.fromEntries(stated),
    seed: experiment.seed,
    ...(trials !== undefined && { trials }),
  };
  const yaml = listedScenario(
    shared.flatMap(({ before, after }) => [before, after]),
    keys,
  );
  return parseScenario(yaml, scenario, { loadsCode: true });
}

function pairsOf(
  shared: readonly TreatmentAtBoth[],
  { treatments }: ResultDocument,
  name: string,
): RevisionPair[] {
  return shared.flatMap(({ id }, i) => {
    const [before, after] = [treatments[2 * i], treatments[2 * i + 1]];
    return before && after ? [{ name: shared.length > 1 ? id : name, before, after }] : [];
  });
}

/**
 * The comparison of two revisions, with the exit code of the run if it is not 0. Rejects if the trials could not go on; the
 * document has no run if both revisions mean the same.
 */
export async function measureRevisions(
  scenario: string,
  options: RevisionOptions,
): Promise<{ readonly document: ComparisonDocument; readonly exitCode: ExitCode }> {
  const { baseRef: base, headRef: head, set, maxRegression } = options;
  const { before, after } = revisionPair({ scenario, base, head, set, environment: process.env });
  const document = {
    version: 2,
    baseline: revisionText(before),
    maxRegression,
    isInterleaved: true,
    runs: [],
    regressions: 0,
  } as const;
  if (before.key === after.key) return { document, exitCode: ExitCode.done };
  const shared = sharedTreatments(before, after);
  if (shared.length === 0)
    throw new TrainSimError(
      `no treatment is there at both revisions`,
      ExitCode.invalid,
      `They are ${unsharedIds(before, after).join(", ")} and ${unsharedIds(after, before).join(", ")}.`,
    );
  const experiment = experimentOf(shared, after, options, scenario);
  const { result, directory, exitCode, failure } = await runWithSignals(experiment, options);
  if (failure)
    throw new TrainSimError(failure.message, exitCode, `${failure.hint}\n  Results: ${directory}`, {
      cause: failure,
    });
  const differences = objectionsToRevisions(result);
  const isJudged = differences.length === 0 || options.allowDifferences === true;
  const comparison = compareRevisions(result, pairsOf(shared, result, experiment.name), maxRegression);
  const run = {
    directory: revisionText(after),
    differences,
    isJudged,
    notes: [`results and report: ${directory}`],
    onlyInBaseline: unsharedIds(before, after),
    onlyHere: unsharedIds(after, before),
    ...comparison,
    ...(!isJudged && { findings: [] }),
  };
  const regressions = run.findings.filter(({ isRegression }) => isRegression).length;
  return { document: { ...document, runs: [run], regressions }, exitCode };
}
