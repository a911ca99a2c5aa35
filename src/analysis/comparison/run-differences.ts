// Why two runs may differ although the program under test did not: another machine, other versions or settings,
// another scenario, or a run that should not be used at all. One short warning for each kind, with the values.
import { scenarioDifferences } from "../../scenario/difference.js";
import type { ResultDocument } from "../../results/result-schema.js";
import { listed } from "../lint/lint-design.js";
import { interferenceWarnings } from "./interference.js";

interface Run {
  readonly directory: string;
  readonly result: ResultDocument;
}

type Facts = Readonly<Record<string, string | number>>;

/** Facts that change from minute to minute, or say the same as another one at more length. */
const PASSED_OVER: ReadonlySet<string> = new Set(["loadAverage1m", "server"]);

/** Keys whose value does not change what a trial does. */
const SCENARIO_PASSED_OVER = /^(name|seed|trials|thresholds|published|log)(\.|\[|$)/;

function factDifferences(before: Facts, after: Facts): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !PASSED_OVER.has(name) && String(before[name]) !== String(after[name]),
  );
  return names.map((name) => `${name} ${before[name] ?? "none"} -> ${after[name] ?? "none"}`);
}

function stateWarnings({ directory, result: { verdict } }: Run): string[] {
  const { counts, timings, reasons } = verdict;
  return [
    ...(verdict.status === "aborted" ? [`${directory} is aborted: ${reasons.join("; ")}`] : []),
    ...(counts.isValid ? [] : [`counts of ${directory} are not valid: ${counts.reasons.join("; ")}`]),
    ...(timings.isValid ? [] : [`timings of ${directory} are not valid: ${timings.reasons.join("; ")}`]),
  ];
}

/** Most weighty first. */
export function runWarnings(baseline: Run, run: Run): string[] {
  return [
    ...stateWarnings(baseline),
    ...stateWarnings(run),
    ...interferenceWarnings(baseline, run),
    ...runDifferences(baseline, run),
  ];
}

/** What of the surroundings is not the same in both, most weighty first. */
export function runDifferences(baseline: Run, run: Run): string[] {
  const [before, after] = [baseline.result, run.result];
  const scenario = scenarioDifferences(before.scenario.yaml, after.scenario.yaml)
    .filter(({ path }) => !SCENARIO_PASSED_OVER.test(path))
    .map(({ path, here, there }) => `${path} ${here} -> ${there}`);
  const rateOf = ({ result }: Run): Facts =>
    Object.fromEntries((result.capacity ?? []).map((each) => [each.treatment, each.ratePerSecond ?? "none"]));
  const parts: [what: string, differences: string[]][] = [
    [
      "rates found by the search for capacity, at which trials ran,",
      factDifferences(rateOf(baseline), rateOf(run)),
    ],
    ["the machine", factDifferences(before.environment.machine, after.environment.machine)],
    ["versions", factDifferences(before.environment.versions, after.environment.versions)],
    ["server settings", factDifferences(before.environment.settings, after.environment.settings)],
    ["the scenario", scenario],
  ];
  return parts.flatMap(([what, differences]) =>
    differences.length === 0
      ? []
      : [`${what} differ${what.startsWith("the") ? "s" : ""}: ${listed(differences)}`],
  );
}
