// Reasons for which two runs may differ although the program under test did not.
import { scenarioDifferences, type ScenarioDifference } from "../../scenario/difference.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import { listedNames } from "../lint/lint-design.js";
import { operationName } from "../../metrics/names.js";
import { isHeadline, labelOf } from "../../metrics/metric-lists.js";
import { intervalText, ratioText } from "../../foundation/text/numbers.js";

interface Run {
  readonly directory: string;
  readonly result: ResultDocument;
}

type Facts = Readonly<Record<string, string | number>>;

/** Facts that a comparison skips: they change from minute to minute, or repeat another fact at more length. */
const SKIPPED_FACTS: ReadonlySet<string> = new Set(["loadAverage1m", "server"]);

/** Scenario keys that a comparison skips, because their values do not change a trial. */
const SKIPPED_SCENARIO_KEYS = /^(name|seed|trials|thresholds|published|log)(\.|\[|$)/;

function factDifferences(before: Facts, after: Facts): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !SKIPPED_FACTS.has(name) && String(before[name]) !== String(after[name]),
  );
  return names.map((name) => `${name} ${before[name] ?? "none"} -> ${after[name] ?? "none"}`);
}

/** Text of a workload's file, or the digest of a module. */
const FILE_CONTENT = /^(?:workload|factors\.workload\[\d+\]|include\[\d+\]\.workload)\b.*\.(?:sql|hash)$/;

/** A difference between the surroundings of two runs. */
export interface RunDifference {
  readonly kind: "rates" | "machine" | "versions" | "files" | "settings" | "scenario";
  readonly words: string;
}

/** Differences between the surroundings of two runs, the most important first. */
export function runDifferences({ result: before }: Run, { result: after }: Run): RunDifference[] {
  const scenarioChanges = scenarioDifferences(before.scenario.yaml, after.scenario.yaml).filter(
    ({ path }) => !SKIPPED_SCENARIO_KEYS.test(path),
  );
  const isAboutFile = ({ path }: ScenarioDifference): boolean => FILE_CONTENT.test(path);
  const changeText = ({ thisValue, otherValue }: ScenarioDifference): string =>
    `${thisValue} -> ${otherValue}`;
  // The scenario's own workload is a level, too, if workloads vary.
  const fileChanges = [...new Set(scenarioChanges.filter(isAboutFile).map(changeText))];
  const otherChanges = scenarioChanges
    .filter((each) => !isAboutFile(each))
    .map((each) => `${each.path} ${changeText(each)}`);
  const capacityRatesOf = ({ capacity = [] }: ResultDocument): Facts =>
    Object.fromEntries(capacity.map((each) => [each.treatment, each.ratePerSecond ?? "none"]));
  const [one, other] = [before.environment, after.environment];
  const comparedFacts: [RunDifference["kind"], words: string, differences: string[]][] = [
    [
      "rates",
      "rates found by the search for capacity, at which trials ran, differ",
      factDifferences(capacityRatesOf(before), capacityRatesOf(after)),
    ],
    ["machine", "the machine differs", factDifferences(one.machine, other.machine)],
    ["versions", "versions differ", factDifferences(one.versions, other.versions)],
    ["files", "the workload's file differs", fileChanges],
    ["settings", "server settings differ", factDifferences(one.settings, other.settings)],
    ["scenario", "the scenario differs", otherChanges],
  ];
  return comparedFacts.flatMap(([kind, words, differences]) =>
    differences.length === 0 ? [] : [{ kind, words: `${words}: ${listedNames(differences)}` }],
  );
}

/** True if runs are compared because they differ in this. */
function isReasonToCompare(kind: RunDifference["kind"]): boolean {
  return kind === "versions" || kind === "files";
}

/** Reasons why counts or timings of these runs are not valid. */
function disturbances(runs: readonly Run[]): string[] {
  return runs.flatMap(({ directory, result: { verdict } }) =>
    (["counts", "timings"] as const).flatMap((what) =>
      verdict[what].isValid
        ? []
        : [`${what} of ${directory} are not valid: ${verdict[what].reasons.join("; ")}`],
    ),
  );
}

/** Differences and disturbances that prevent a verdict on the run unless the user asks for it, the most important first. */
export function obstaclesBetween(baseline: Run, run: Run): string[] {
  return [
    ...disturbances([baseline, run]),
    ...interferenceWarnings(baseline, run),
    ...runDifferences(baseline, run).flatMap(({ kind, words }) => (isReasonToCompare(kind) ? [] : [words])),
  ];
}

/** Further notes for the reader: runs that ended early, and differences that are a reason to compare runs. */
export function runNotes(baseline: Run, run: Run): string[] {
  return [
    ...[baseline, run].flatMap(({ directory, result: { verdict } }) =>
      verdict.status === "aborted" ? [`${directory} is aborted: ${verdict.reasons.join("; ")}`] : [],
    ),
    ...runDifferences(baseline, run).flatMap(({ kind, words }) => (isReasonToCompare(kind) ? [words] : [])),
  ];
}

interface Run {
  readonly directory: string;
  readonly result: ResultDocument;
}

function isDuet({ result }: Run): boolean {
  return result.treatments.some(({ trials }) => trials.some(({ duet }) => duet));
}

function ratioWithIntervalText({ ratio, ciLow, ciHigh }: Comparison): string {
  return `${ratioText(ratio)} ${intervalText(ciLow, ciHigh)}`;
}

function areIntervalsApart(a: Comparison, b: Comparison): boolean {
  if (a.ciLow === null || a.ciHigh === null || b.ciLow === null || b.ciHigh === null) return false;
  return a.ciHigh < b.ciLow || b.ciHigh < a.ciLow;
}

/**
 * Warnings for a duet and a run with interleaved blocks whose treatments differ by another ratio: the servers of the duet
 * disturb each other. Empty if both runs are duets, or neither is.
 */
export function interferenceWarnings(one: Run, other: Run): string[] {
  if (isDuet(one) === isDuet(other)) return [];
  const [duet, solo] = isDuet(one) ? [one, other] : [other, one];
  const differingRatios = duet.result.comparisons.flatMap((duetComparison) => {
    const { operation, metric, baseline, treatment } = duetComparison;
    const soloComparison = solo.result.comparisons.find(
      (each) =>
        each.operation === operation &&
        each.metric === metric &&
        each.baseline === baseline &&
        each.treatment === treatment,
    );
    if (!soloComparison || !isHeadline(metric) || !areIntervalsApart(duetComparison, soloComparison))
      return [];
    const name = `${operationName(operation)} ${labelOf(metric)} of ${treatment} to ${baseline}`;
    return [
      `${name} is ${ratioWithIntervalText(duetComparison)} in the duet, ${ratioWithIntervalText(soloComparison)} alone`,
    ];
  });
  const duetWarning = `${duet.directory} is a duet: its servers shared the machine, so only ratios between its treatments compare`;
  return [
    duetWarning,
    ...(differingRatios.length > 0
      ? [`the servers of the duet disturbed each other: ${differingRatios.join("; ")}`]
      : []),
  ];
}
