// Refuses to continue where anything changed that would make later trials another experiment. Changes nothing itself.
import { join } from "node:path";
import { UsageError } from "../../foundation/errors.js";
import { isStillInRace } from "../../analysis/comparison/race.js";
import { lintEntry } from "../../analysis/lint/lint.js";
import { SCENARIO_FILE } from "../../results/directory.js";
import { readResult, readTrial, readPartialTrials } from "../../results/reader.js";
import { readTrialTotals } from "../../results/stored-totals.js";
import type {
  GeneratorCeiling,
  Environment,
  ResultDocument,
  TrialResult,
} from "../../results/result-schema.js";
import { scenarioDifferences } from "../../scenario/difference.js";
import { loadScenario, parseScenario } from "../../scenario/loader.js";
import type { Overrides } from "../../scenario/plan/overrides.js";
import type { Experiment, PlannedTrial } from "../../scenario/settings.js";
import { POOLER_PRODUCTS, poolerProgramVariable } from "../../pools/registry.js";
import type { PoolerVersion } from "../trial/pooler.js";
import { isFactValue } from "./environment.js";
import { violationsOf, type InterruptedRecord } from "./experiment-record.js";

export interface ResumedExperiment extends InterruptedRecord {
  readonly directory: string;
  readonly environment: Environment;
  readonly ceilings: ReadonlyMap<string, GeneratorCeiling>;
  /** Entries of `diagnosis` that state where the experiment was continued, this time included. */
  readonly interruptions: ResultDocument["diagnosis"];
}

export const RESUMED_RULE = "resumed";

/**
 * Facts that are not compared: the machine's load changes from minute to minute, and the scenario states the target's kind.
 */
const UNCOMPARED_FACTS: ReadonlySet<string> = new Set(["loadAverage1m", "target"]);

function requirePlannedTrial(directory: string, planned: PlannedTrial, result: TrialResult): void {
  const { number, block, seed } = planned;
  if (result.number === number && result.block === block && result.seed === seed) return;
  throw new UsageError(
    `${directory}: stored trial ${number} (${planned.treatmentId}) does not match the scenario's plan`,
    "Was the directory put together by hand? Run the scenario again.",
  );
}

/**
 * Reads the experiment of a directory, or of `scenario` if given; `readInterrupted` checks that both agree. Passwords are
 * not stored: they come from PGPASSWORD or the scenario.
 */
export async function readInterruptedScenario(
  directory: string,
  scenario: string | undefined,
  overrides: Overrides,
): Promise<Experiment> {
  const { yaml, seed, trialOrder } = (await readResult(directory)).scenario;
  const resumedOverrides = { ...overrides, defaultSeed: seed, trialOrder };
  return scenario === undefined
    ? parseScenario(yaml, join(directory, SCENARIO_FILE), { ...resumedOverrides, environment: {} })
    : loadScenario(scenario, resumedOverrides);
}

export async function setAsideViolations(
  directory: string,
  { number, treatmentId }: Pick<PlannedTrial, "number" | "treatmentId">,
  others: readonly TrialResult[] = [],
): Promise<string[]> {
  const setAsideTrials = await readPartialTrials(directory, number, treatmentId);
  return [...setAsideTrials, ...others].flatMap(({ integrity }) =>
    setAsideTrialViolations({ number, integrity }, treatmentId),
  );
}

function setAsideTrialViolations(
  { number, integrity }: Pick<TrialResult, "number" | "integrity">,
  treatmentId: string,
): string[] {
  return violationsOf(integrity, `trial ${number} (${treatmentId}, set aside)`);
}

/**
 * Reads the trials of the interrupted run. Rejects with a UsageError if the directory holds another experiment than
 * `experiment`.
 */
export async function readInterrupted(directory: string, experiment: Experiment): Promise<ResumedExperiment> {
  const stored = await readResult(directory);
  if (stored.capacity) {
    throw new UsageError(
      `${directory} holds a search for capacity, which cannot be continued`,
      "Search again with --find-capacity.",
    );
  }
  const [difference, ...more] = scenarioDifferences(stored.scenario.yaml, experiment.yaml);
  if (difference) {
    const { path, thisValue, otherValue } = difference;
    const others = more.length > 0 ? `; and ${more.map((one) => one.path).join(", ")}` : "";
    throw new UsageError(
      `${directory} holds another experiment: ${path} is ${thisValue} there, ${otherValue} now${others}`,
      "Leave the scenario out of the command to go on with the stored one, or run this one again.",
    );
  }
  const trials: ResumedExperiment["trials"][number][] = [];
  const violations: string[] = [];
  for (const planned of experiment.trials) {
    const { number, treatmentId } = planned;
    const result = await readTrial(directory, number, treatmentId);
    const isComplete = result?.status === "complete";
    const unfinishedTrials = result && !isComplete ? [result] : [];
    violations.push(...(await setAsideViolations(directory, planned, unfinishedTrials)));
    if (!isComplete) continue;
    requirePlannedTrial(directory, planned, result);
    trials.push({ treatmentId, result, totals: await readTrialTotals(directory, result, treatmentId) });
  }
  const whole = trials.filter(({ result }) => isWhole(result, trials));
  for (const half of trials.filter((each) => !whole.includes(each)))
    violations.push(...setAsideTrialViolations(half.result, half.treatmentId));
  const earlier = stored.diagnosis.filter(({ rule }) => rule === RESUMED_RULE);
  const next = experiment.trials.find(
    ({ number, treatmentId, block }) =>
      whole.every(({ result }) => result.number !== number) &&
      isStillInRace(stored.stopping?.race ?? { left: [] }, treatmentId, block),
  );
  const isOver = stored.stopping?.reason === "decided";
  const interruptions = next && !isOver ? [...earlier, interruption(next, experiment)] : earlier;
  const ceilings = new Map(
    stored.treatments.flatMap(({ id, ceiling }) => (ceiling ? [[id, ceiling] as const] : [])),
  );
  const looks = stored.stopping?.looks ?? [];
  const { environment } = stored;
  return { directory, trials: whole, violations, environment, ceilings, looks, interruptions };
}

/** Whether the trial's block is complete: a single half of a duet's block is measured again with the other half. */
function isWhole({ block, duet }: TrialResult, trials: ResumedExperiment["trials"]): boolean {
  return !duet || trials.filter(({ result }) => result.block === block).length === 2;
}

function interruption(next: PlannedTrial, { trials }: Experiment): ResultDocument["diagnosis"][number] {
  const words = `continued at trial ${next.number} of ${trials.length} after an interruption: conditions may have changed between`;
  return lintEntry({ rule: RESUMED_RULE, words });
}

/** Facts of `now` that differ from the earlier environment. A fact that only one side knows is no difference. */
export function environmentChanges(
  experiment: Experiment,
  earlier: Environment,
  now: Environment,
): { what: string; before: string; now: string }[] {
  // The settings of a server that train-sim starts follow from scenario and version, which are already compared.
  const isOurServer = experiment.treatments.some(({ settings }) => settings.target.kind !== "url");
  const parts = [
    { name: "version of ", before: earlier.versions, after: now.versions, skipped: POOLER_PRODUCTS },
    { name: "machine's ", before: earlier.machine, after: now.machine, skipped: UNCOMPARED_FACTS },
    ...(isOurServer
      ? []
      : [{ name: "server setting ", before: earlier.settings, after: now.settings, skipped: new Set() }]),
  ];
  return parts.flatMap(({ name, before, after, skipped }) =>
    Object.entries(after).flatMap(([key, value]) => {
      const earlierValue = before[key];
      const isSame =
        earlierValue === undefined || skipped.has(key) || isFactValue(String(earlierValue), String(value));
      return isSame ? [] : [{ what: `${name}${key}`, before: String(earlierValue), now: String(value) }];
    }),
  );
}

/** Throws a UsageError that names the first difference between the environments. */
export function requireSameEnvironment(experiment: Experiment, earlier: Environment, now: Environment): void {
  const [change, ...more] = environmentChanges(experiment, earlier, now);
  if (!change) return;
  const others = more.length > 0 ? `; also the ${more.map(({ what }) => what).join(", ")}` : "";
  throw new UsageError(
    `the interrupted experiment ran elsewhere: ${change.what} was ${change.before}, is ${change.now}${others}`,
    "Its trials and new ones would not be comparable: run the scenario again.",
  );
}

/** Throws a UsageError if the earlier trials used another version of the pooler. */
export function requireSamePooler(earlier: Environment, pooler: PoolerVersion): void {
  const { product, version } = pooler;
  const before = earlier.versions[product];
  if (before === undefined || before.split(", ").includes(version)) return;
  throw new UsageError(
    `the interrupted experiment used ${product} ${before}, this is ${version}`,
    `Name the same one in ${poolerProgramVariable(product)}, or run the scenario again.`,
  );
}
