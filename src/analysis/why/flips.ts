// Trials of one treatment with different plans or indexes: the planner decided by chance, and a median mixes two things.
import { shortNumber } from "../../foundation/text/numbers.js";
import { isLargerBetter, labelOf } from "../../metrics/metric-lists.js";
import { isCycleOperation } from "../../metrics/operations.js";
import { failuresOf } from "../../metrics/figures.js";
import type { Comparison, TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { unitOf } from "../../workloads/vocabulary.js";
import { median } from "../statistics/quantiles.js";
import { completeTrials, metricOf } from "../steady-state/series.js";
import { isWorse, RELEVANT_RATIO_MIN, type Difference } from "./evidence.js";
import { trialNumbersText, plansIn, distinguishingSteps } from "./plans.js";

/** A group of a treatment's trials with the same plan or the same reads. */
interface TrialGroup {
  /** Property of these trials that the trials of other groups lack. */
  readonly words: string;
  readonly trials: readonly TrialResult[];
  hasTrial(trial: TrialResult): boolean;
}

interface Flip {
  /** Statement such as `process.claim`; undefined if scans alone show the flip. */
  readonly statement?: string;
  /** Two or more groups of trials, the most frequent first. */
  readonly groups: readonly TrialGroup[];
}

function planFlips(treatment: TreatmentResult): Flip[] {
  return [...plansIn(completeTrials(treatment))].flatMap(([statement, plans]) => {
    if (plans.length < 2) return [];
    const groups = plans.map(({ plan, hash, trials }): TrialGroup => {
      const others = plans.filter((each) => each.hash !== hash);
      return {
        words: distinguishingSteps(
          plan,
          others.map((each) => each.plan),
        ),
        trials,
        hasTrial: ({ plans: trialPlans = [] }) => trialPlans.some((each) => each.hash === hash),
      };
    });
    return [{ statement, groups: groups }];
  });
}

/**
 * Maximum number of scans of one table or index that train-sim makes for a sample; it also samples once before and after
 * the window.
 */
const OWN_SCANS_PER_SAMPLE = 5;
const SAMPLES_OUTSIDE_WINDOW = 2;
/**
 * Scans per transaction, as a share of the trial that reads most, up to which a trial counts as not reading the table or
 * index.
 */
const READ_SHARE_MIN = 0.05;
const SURE_SCAN_FACTOR = 4;

/**
 * Shortest window in seconds: a session may report its scans to the server a second late, so that a shorter window may lack
 * them all.
 */
const WINDOW_MIN_SECONDS = 2;

function ownScanCount({ database: { sampling } }: TrialResult): number {
  return OWN_SCANS_PER_SAMPLE * ((sampling?.samples ?? 0) + SAMPLES_OUTSIDE_WINDOW);
}

/** Number of transactions that the trial tried. */
function attemptCountOf({ operations }: TrialResult): number {
  return Object.entries(operations)
    .filter(([operation]) => !isCycleOperation(operation))
    .reduce(
      (sum, [, result]) =>
        sum + result.transactions + result.emptyPolls + result.retries + failuresOf(result),
      0,
    );
}

/** Number of scans by the table or index read: `items_kind`, or `items from end to end`. */
function scansOf({ database: { scans = [] } }: TrialResult): Map<string, number> {
  return new Map(
    scans.map(({ name, kind, scans: times }) => [kind === "index" ? name : `${name} from end to end`, times]),
  );
}

/** Test of a trial: true if it read the table or index more often than train-sim itself does. */
type ReadTest = (trial: TrialResult) => boolean;

/** Tables and indexes that some trials read and others did not, each with the test for the trials that read it. */
function readTestsByName(trials: readonly TrialResult[]): Map<string, ReadTest> {
  const names = new Set(trials.flatMap((trial) => [...scansOf(trial).keys()]));
  const testByName = new Map<string, ReadTest>();
  for (const name of names) {
    const scansIn = (trial: TrialResult): number => scansOf(trial).get(name) ?? 0;
    const most = Math.max(...trials.map((trial) => scansIn(trial) / Math.max(1, attemptCountOf(trial))));
    const hasRead: ReadTest = (trial) =>
      scansIn(trial) > Math.max(ownScanCount(trial), READ_SHARE_MIN * most * attemptCountOf(trial));
    const isSure = trials.some((trial) => scansIn(trial) >= SURE_SCAN_FACTOR * ownScanCount(trial));
    if (isSure && !trials.every(hasRead)) testByName.set(name, hasRead);
  }
  return testByName;
}

function scanFlips(treatment: TreatmentResult): Flip[] {
  const trials = completeTrials(treatment).filter(
    ({ database, windowSeconds }) => database.scans && windowSeconds >= WINDOW_MIN_SECONDS,
  );
  const readTests = readTestsByName(trials);
  if (readTests.size === 0) return [];
  const readNamesOf = (trial: TrialResult): string =>
    [...readTests].flatMap(([name, hasRead]) => (hasRead(trial) ? name : [])).join(", ") || "none of these";
  const groups = [...new Set(trials.map(readNamesOf))].map((words): TrialGroup => ({
    words,
    trials: trials.filter((trial) => readNamesOf(trial) === words),
    hasTrial: (trial) => readNamesOf(trial) === words,
  }));
  return [{ groups: groups.sort((a, b) => b.trials.length - a.trials.length) }];
}

const flipsOf = (treatment: TreatmentResult): Flip[] => [...planFlips(treatment), ...scanFlips(treatment)];

interface Cost {
  readonly ms: number;
  readonly transactionMs: number;
}

/** Mean cost of each operation in one trial: the time of the statement if it was timed, else of the whole transaction. */
function costsOf({ operations }: TrialResult, statement: string | undefined): Map<string, Cost> {
  const transactionCosts = new Map<string, Cost>();
  const statementCosts = new Map<string, Cost>();
  for (const [operation, { responseTimeMs, parts: operationParts = [] }] of Object.entries(operations)) {
    const transactionMs = responseTimeMs?.mean ?? null;
    if (isCycleOperation(operation) || transactionMs === null) continue;
    transactionCosts.set(operation, { ms: transactionMs, transactionMs });
    const part = operationParts.find(({ name }) => name === statement);
    if (part) statementCosts.set(operation, { ms: part.meanMs, transactionMs });
  }
  return statementCosts.size > 0 ? statementCosts : transactionCosts;
}

/** Smallest difference that matters, as a share of the time of the transaction. */
const TIME_SHARE_MIN = 0.1;

/** True if all values of `more` are above all values of `less`, and their medians differ by a relevant factor. */
function isClearlyAbove(more: readonly number[], less: readonly number[]): boolean {
  if (more.length === 0 || less.length === 0) return false;
  return Math.min(...more) > Math.max(...less) && median(more) >= RELEVANT_RATIO_MIN * median(less);
}

/** True if trials of one group took longer than trials of another, or if no times were measured. */
function isCostly({ statement, groups }: Flip): boolean {
  const costsByGroup = groups.map(({ trials }) => trials.map((trial) => costsOf(trial, statement)));
  const operations = new Set(costsByGroup.flat().flatMap((trial) => [...trial.keys()]));
  const isOperationSlower = (operation: string): boolean => {
    const times = costsByGroup.map((trials) => trials.flatMap((trial) => trial.get(operation) ?? []));
    if (times.some((groupCosts) => groupCosts.length === 0)) return false;
    const sides = times
      .map((groupCosts) => ({
        ms: groupCosts.map(({ ms }) => ms),
        transactionMs: median(groupCosts.map(({ transactionMs }) => transactionMs)),
      }))
      .sort((a, b) => median(a.ms) - median(b.ms));
    const [fast, slow] = [sides[0], sides.at(-1)];
    if (!fast || !slow || !isClearlyAbove(slow.ms, fast.ms)) return false;
    return median(slow.ms) - median(fast.ms) >= TIME_SHARE_MIN * slow.transactionMs;
  };
  return operations.size === 0 || [...operations].some(isOperationSlower);
}

/** Median over trials of the statement's mean time in a transaction, in ms; undefined if it was not measured. */
function statementTimeMs({ trials }: TrialGroup, statement: string | undefined): number | undefined {
  const times = trials.flatMap(({ operations }) => {
    const parts = Object.values(operations).flatMap((operation) => operation.parts ?? []);
    return parts.find(({ name }) => name === statement)?.meanMs ?? [];
  });
  return times.length > 0 ? median(times) : undefined;
}

export interface TreatmentFlip extends Pick<Flip, "statement"> {
  readonly treatment: string;
  /** True if trials of one group took longer than trials of another, or if no times were measured. */
  readonly isCostly: boolean;
  /** Groups of trials, each with the statement's median time in milliseconds if it was measured. */
  readonly groups: readonly (Pick<TrialGroup, "words" | "trials"> & { readonly ms: number | undefined })[];
}

export function flipsIn(treatments: readonly TreatmentResult[]): TreatmentFlip[] {
  return treatments.flatMap((treatment) =>
    flipsOf(treatment).map((flip) => ({
      ...flip,
      treatment: treatment.id,
      isCostly: isCostly(flip),
      groups: flip.groups.map((group) => ({ ...group, ms: statementTimeMs(group, flip.statement) })),
    })),
  );
}

function valuesOf(trials: readonly TrialResult[], { operation, metric }: Comparison): number[] {
  return trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
}

/** True if all slow trials are worse than all fast ones in the compared metric, by a relevant factor. */
function areAllSlower(
  slowTrials: readonly TrialResult[],
  fastTrials: readonly TrialResult[],
  compared: Comparison,
): boolean {
  const [more, less] = isLargerBetter(compared.metric) ? [fastTrials, slowTrials] : [slowTrials, fastTrials];
  return isClearlyAbove(valuesOf(more, compared), valuesOf(less, compared));
}

function isStatementSent(groups: readonly TrialGroup[], operation: string, statement: string): boolean {
  const trials = groups.flatMap((group) => group.trials);
  return trials.some(({ operations }) =>
    operations[operation]?.parts?.some(({ name }) => name === statement),
  );
}

/**
 * Sentences about groups of trials that explain the result of `side`: its slower groups if it is the slower side, else its
 * faster groups, if these are rarer on the other side.
 */
function reasonsOf(
  side: TreatmentResult,
  other: TreatmentResult,
  isSideSlower: boolean,
  { comparison, vocabulary }: Difference,
): string[] {
  const { operation, metric } = comparison;
  const unit = isLargerBetter(metric) ? labelOf(metric, unitOf(vocabulary, operation)) : "ms";
  const medianText = (trials: readonly TrialResult[]): string =>
    `${shortNumber(median(valuesOf(trials, comparison)))} ${unit}`;
  const groupShareIn = (trials: readonly TrialResult[], group: TrialGroup): number =>
    trials.filter((trial) => group.hasTrial(trial)).length / Math.max(1, trials.length);
  return flipsOf(side).flatMap((flip) => {
    const { statement, groups } = flip;
    if (!isCostly(flip)) return [];
    return groups.flatMap((group) => {
      if (statement !== undefined && !isStatementSent(groups, operation, statement)) return [];
      const others = groups.filter((each) => each !== group).flatMap(({ trials }) => trials);
      const [slow, fast] = isSideSlower ? [group.trials, others] : [others, group.trials];
      const isGroupMoreFrequent =
        groupShareIn(completeTrials(side), group) > groupShareIn(completeTrials(other), group);
      if (!isGroupMoreFrequent || !areAllSlower(slow, fast, comparison)) return [];
      const what = statement === undefined ? "read" : `planned ${statement} as`;
      const measured = `${operation} ${isLargerBetter(metric) ? "did" : metric} ${medianText(group.trials)}`;
      return [
        `${side.id} ${what} ${group.words} in ${trialNumbersText(group.trials)}: ${measured} against ${medianText(others)}`,
      ];
    });
  });
}

/** Sentences about changes of plans or reads between trials that go with a difference between two treatments. */
export function flipReasons(difference: Difference): string[] {
  const { baseline, treatment, comparison } = difference;
  const isTreatmentSlower = isWorse(comparison);
  return [
    ...reasonsOf(treatment, baseline, isTreatmentSlower, difference),
    ...reasonsOf(baseline, treatment, !isTreatmentSlower, difference),
  ];
}
