// Trials of one treatment with different plans or indexes: the planner decided by chance, and a median mixes two things.
import { shortNumber } from "../../foundation/text/numbers.js";
import { isLargerBetter, labelOf } from "../../metrics/metric-lists.js";
import { isRound } from "../../metrics/operations.js";
import { failuresOf } from "../../metrics/figures.js";
import type { Comparison, TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { unitOf } from "../../workloads/vocabulary.js";
import { median } from "../statistics/quantiles.js";
import { completeTrials, metricOf } from "../steady-state/series.js";
import { isWorse, RATIO_MIN, type Difference } from "./evidence.js";
import { numbersText, plansIn, stepsApart } from "./plans.js";

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
        words: stepsApart(
          plan,
          others.map((each) => each.plan),
        ),
        trials,
        hasTrial: ({ plans: own = [] }) => own.some((each) => each.hash === hash),
      };
    });
    return [{ statement, groups: groups }];
  });
}

/**
 * Most scans of one table or index that train-sim itself makes for one sample; it also samples once before and once after
 * the window.
 */
const OWN_SCANS = 5;
const NEIGHBOUR_SAMPLES = 2;
/**
 * Scans per transaction, as a share of the trial that reads most, up to which a trial counts as not reading the table or
 * index.
 */
const NONE_BELOW = 0.05;
const SURE_FROM = 4;

/**
 * Shortest window in seconds: a session may report its scans to the server a second late, so that a shorter window may lack
 * them all.
 */
const LEAST_SECONDS = 2;

function ownScans({ database: { sampling } }: TrialResult): number {
  return OWN_SCANS * ((sampling?.samples ?? 0) + NEIGHBOUR_SAMPLES);
}

/** Number of transactions that the trial tried. */
function attemptsOf({ operations }: TrialResult): number {
  return Object.entries(operations)
    .filter(([operation]) => !isRound(operation))
    .reduce((sum, [, own]) => sum + own.transactions + own.emptyPolls + own.retries + failuresOf(own), 0);
}

/** Number of scans by the table or index read: `items_kind`, or `items from end to end`. */
function scansOf({ database: { scans = [] } }: TrialResult): Map<string, number> {
  return new Map(
    scans.map(({ name, kind, scans: times }) => [kind === "index" ? name : `${name} from end to end`, times]),
  );
}

/** Test of a trial: true if it read the table or index more often than train-sim itself does. */
type Reads = (trial: TrialResult) => boolean;

/** Tables and indexes that some trials read and others did not, each with the test for the trials that read it. */
function readBySome(trials: readonly TrialResult[]): Map<string, Reads> {
  const names = new Set(trials.flatMap((trial) => [...scansOf(trial).keys()]));
  const found = new Map<string, Reads>();
  for (const name of names) {
    const scansIn = (trial: TrialResult): number => scansOf(trial).get(name) ?? 0;
    const most = Math.max(...trials.map((trial) => scansIn(trial) / Math.max(1, attemptsOf(trial))));
    const reads: Reads = (trial) =>
      scansIn(trial) > Math.max(ownScans(trial), NONE_BELOW * most * attemptsOf(trial));
    const isSure = trials.some((trial) => scansIn(trial) >= SURE_FROM * ownScans(trial));
    if (isSure && !trials.every(reads)) found.set(name, reads);
  }
  return found;
}

function scanFlips(treatment: TreatmentResult): Flip[] {
  const trials = completeTrials(treatment).filter(
    ({ database, windowSeconds }) => database.scans && windowSeconds >= LEAST_SECONDS,
  );
  const some = readBySome(trials);
  if (some.size === 0) return [];
  const readBy = (trial: TrialResult): string =>
    [...some].flatMap(([name, reads]) => (reads(trial) ? name : [])).join(", ") || "none of these";
  const groups = [...new Set(trials.map(readBy))].map((words): TrialGroup => ({
    words,
    trials: trials.filter((trial) => readBy(trial) === words),
    hasTrial: (trial) => readBy(trial) === words,
  }));
  return [{ groups: groups.sort((a, b) => b.trials.length - a.trials.length) }];
}

const flipsOf = (treatment: TreatmentResult): Flip[] => [...planFlips(treatment), ...scanFlips(treatment)];

interface Cost {
  readonly ms: number;
  readonly ofMs: number;
}

/** Mean cost of each operation in one trial: the time of the statement if it was timed, else of the whole transaction. */
function costsOf({ operations }: TrialResult, statement: string | undefined): Map<string, Cost> {
  const whole = new Map<string, Cost>();
  const parts = new Map<string, Cost>();
  for (const [operation, { responseTimeMs, parts: own = [] }] of Object.entries(operations)) {
    const ofMs = responseTimeMs?.mean ?? null;
    if (isRound(operation) || ofMs === null) continue;
    whole.set(operation, { ms: ofMs, ofMs });
    const part = own.find(({ name }) => name === statement);
    if (part) parts.set(operation, { ms: part.meanMs, ofMs });
  }
  return parts.size > 0 ? parts : whole;
}

/** Smallest difference that matters, as a share of the time of the transaction. */
const SHARE_MIN = 0.1;

/** True if all values of `more` are above all values of `less`, and their medians differ by a relevant factor. */
function areApart(more: readonly number[], less: readonly number[]): boolean {
  if (more.length === 0 || less.length === 0) return false;
  return Math.min(...more) > Math.max(...less) && median(more) >= RATIO_MIN * median(less);
}

/** True if trials of one group took longer than trials of another, or if no times were measured. */
function isCostly({ statement, groups }: Flip): boolean {
  const costs = groups.map(({ trials }) => trials.map((trial) => costsOf(trial, statement)));
  const operations = new Set(costs.flat().flatMap((trial) => [...trial.keys()]));
  const isDearer = (operation: string): boolean => {
    const times = costs.map((trials) => trials.flatMap((trial) => trial.get(operation) ?? []));
    if (times.some((own) => own.length === 0)) return false;
    const sides = times
      .map((own) => ({ ms: own.map(({ ms }) => ms), ofMs: median(own.map(({ ofMs }) => ofMs)) }))
      .sort((a, b) => median(a.ms) - median(b.ms));
    const [fast, slow] = [sides[0], sides.at(-1)];
    if (!fast || !slow || !areApart(slow.ms, fast.ms)) return false;
    return median(slow.ms) - median(fast.ms) >= SHARE_MIN * slow.ofMs;
  };
  return operations.size === 0 || [...operations].some(isDearer);
}

/** Median over trials of the statement's mean time in a transaction, in ms; undefined if it was not measured. */
function timeMs({ trials }: TrialGroup, statement: string | undefined): number | undefined {
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
      groups: flip.groups.map((way) => ({ ...way, ms: timeMs(way, flip.statement) })),
    })),
  );
}

function valuesOf(trials: readonly TrialResult[], { operation, metric }: Comparison): number[] {
  return trials.flatMap((trial) => metricOf(trial, operation, metric) ?? []);
}

/** True if all slow trials are worse than all fast ones in the compared metric, by a relevant factor. */
function areSlower(
  slow: readonly TrialResult[],
  fast: readonly TrialResult[],
  compared: Comparison,
): boolean {
  const [more, less] = isLargerBetter(compared.metric) ? [fast, slow] : [slow, fast];
  return areApart(valuesOf(more, compared), valuesOf(less, compared));
}

function isSent(groups: readonly TrialGroup[], operation: string, statement: string): boolean {
  const trials = groups.flatMap((way) => way.trials);
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
  isSlower: boolean,
  { comparison, vocabulary }: Difference,
): string[] {
  const { operation, metric } = comparison;
  const unit = isLargerBetter(metric) ? labelOf(metric, unitOf(vocabulary, operation)) : "ms";
  const valueOf = (trials: readonly TrialResult[]): string =>
    `${shortNumber(median(valuesOf(trials, comparison)))} ${unit}`;
  const shareIn = (trials: readonly TrialResult[], way: TrialGroup): number =>
    trials.filter((trial) => way.hasTrial(trial)).length / Math.max(1, trials.length);
  return flipsOf(side).flatMap((flip) => {
    const { statement, groups } = flip;
    if (!isCostly(flip)) return [];
    return groups.flatMap((way) => {
      if (statement !== undefined && !isSent(groups, operation, statement)) return [];
      const others = groups.filter((each) => each !== way).flatMap(({ trials }) => trials);
      const [slow, fast] = isSlower ? [way.trials, others] : [others, way.trials];
      const isMore = shareIn(completeTrials(side), way) > shareIn(completeTrials(other), way);
      if (!isMore || !areSlower(slow, fast, comparison)) return [];
      const what = statement === undefined ? "read" : `planned ${statement} as`;
      const measured = `${operation} ${isLargerBetter(metric) ? "did" : metric} ${valueOf(way.trials)}`;
      return [
        `${side.id} ${what} ${way.words} in ${numbersText(way.trials)}: ${measured} against ${valueOf(others)}`,
      ];
    });
  });
}

/** Sentences about changes of plans or reads between trials that go with a difference between two treatments. */
export function flipReasons(difference: Difference): string[] {
  const { baseline, treatment, comparison } = difference;
  const isSlower = isWorse(comparison);
  return [
    ...reasonsOf(treatment, baseline, isSlower, difference),
    ...reasonsOf(baseline, treatment, !isSlower, difference),
  ];
}
