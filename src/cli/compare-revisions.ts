// `train-sim compare --base-ref`: one run of a scenario's files as they were at a revision and as they are now.
import {
  compareRevisions,
  objectionsToRevisions,
  type RevisionPair,
} from "../analysis/comparison/revision-comparison.js";
import type { ComparisonDocument, StoredRun } from "../analysis/comparison/run-comparison.js";
import { revisionPair, type Revision, type RunnableRevision } from "../engine/bisect/revisions.js";
import { ExitCode, TrainSimError } from "../foundation/errors.js";
import { auditStatement } from "../report/findings/key-findings.js";
import { revisionCaveats } from "../report/findings/run-comparison-sentences.js";
import type { ResultDocument } from "../results/result-schema.js";
import { writeRevisions, type RevisionsOfResult } from "../results/revisions.js";
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

function revisionText({ id, subject }: Pick<Revision, "id" | "subject">): string {
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

/** Pairs of treatments that alternate, the base first. */
function pairsOf(names: readonly string[], { treatments, scenario }: ResultDocument): RevisionPair[] {
  return names.flatMap((name, i) => {
    const [before, after] = [treatments[2 * i], treatments[2 * i + 1]];
    return before && after ? [{ name: names.length > 1 ? name : scenario.name, before, after }] : [];
  });
}

/** The comparison that a result of two revisions holds. */
export function judgedRevisions(
  { directory, result }: StoredRun,
  { base, head, names, onlyAtBase, onlyAtHead, caveats }: RevisionsOfResult,
  { maxRegression, allowDifferences }: Pick<RevisionOptions, "maxRegression" | "allowDifferences">,
): ComparisonDocument {
  const differences = objectionsToRevisions(result);
  const isJudged = differences.length === 0 || allowDifferences === true;
  const comparison = compareRevisions(result, pairsOf(names, result), maxRegression);
  const run = {
    directory: head,
    results: directory,
    audit: auditStatement(result),
    differences,
    isJudged,
    notes: [`results and report: ${directory}`],
    onlyInBaseline: onlyAtBase,
    onlyHere: onlyAtHead,
    ...comparison,
    ...(!isJudged && { findings: [] }),
  };
  const regressions = run.findings.filter(({ isRegression }) => isRegression).length;
  return {
    version: 2,
    baseline: base,
    maxRegression,
    isInterleaved: true,
    caveats,
    runs: [run],
    regressions,
  };
}

/** What a comparison of revisions measures, and what its result says of them. */
export interface RevisionPlan {
  readonly revisions: RevisionsOfResult;
  /** Undefined if both revisions mean the same. */
  readonly experiment: Experiment | undefined;
}

/** Throws a UsageError if a revision does not load, and a TrainSimError if no treatment is there at both. */
export function planRevisions(scenario: string, options: RevisionOptions): RevisionPlan {
  const { baseRef, headRef, set } = options;
  const request = { scenario, base: baseRef, head: headRef, set, environment: process.env };
  const { before, after, unreadTip, isHeadInBase } = revisionPair(request);
  const base = revisionText(before.revision);
  const { thresholds, ratioThresholds } = after.experiment;
  const isSame = before.key === after.key;
  const shared = sharedTreatments(before, after);
  const revisions = {
    version: 1 as const,
    base,
    head: revisionText(after.revision),
    names: shared.map(({ id }) => id),
    onlyAtBase: unsharedIds(before, after),
    onlyAtHead: unsharedIds(after, before),
    caveats: revisionCaveats(base, {
      baseRef,
      headRef: headRef ?? "HEAD",
      unreadTip: unreadTip && revisionText(unreadTip),
      isHeadInBase,
      thresholds: isSame ? 0 : thresholds.length + ratioThresholds.length,
    }),
  };
  if (isSame) return { revisions, experiment: undefined };
  if (shared.length === 0)
    throw new TrainSimError(
      `no treatment is there at both revisions`,
      ExitCode.invalid,
      `They are ${revisions.onlyAtBase.join(", ")} and ${revisions.onlyAtHead.join(", ")}.`,
    );
  return { revisions, experiment: experimentOf(shared, after, options, scenario) };
}

/**
 * The comparison of two revisions, with the exit code of the run if it is not 0. Rejects if the trials could not go on; the
 * document has no run if both revisions mean the same.
 */
export async function measureRevisions(
  { revisions, experiment }: RevisionPlan,
  options: RevisionOptions,
): Promise<{ readonly document: ComparisonDocument; readonly exitCode: ExitCode }> {
  const { maxRegression } = options;
  if (!experiment) {
    const { base, caveats } = revisions;
    const document = { baseline: base, maxRegression, isInterleaved: true, caveats } as const;
    return { document: { version: 2, ...document, runs: [], regressions: 0 }, exitCode: ExitCode.done };
  }
  const { result, directory, exitCode, failure } = await runWithSignals(experiment, options);
  await writeRevisions(directory, revisions);
  if (failure)
    throw new TrainSimError(failure.message, exitCode, `${failure.hint}\n  Results: ${directory}`, {
      cause: failure,
    });
  return { document: judgedRevisions({ directory, result }, revisions, options), exitCode };
}
