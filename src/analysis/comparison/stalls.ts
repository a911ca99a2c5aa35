// Stalled trials as counts between runs and their baseline. A trial stalled if an operation made less than half of its
// median rate over all runs. One error rate holds for all treatments of all runs: whole blocks are permuted between runs
// (min-P).
import type { Prng } from "../../foundation/prng.js";
import { operationsIn } from "../../metrics/operations.js";
import type { TreatmentResult, TrialResult } from "../../results/result-schema.js";
import { fisherPValue, leastFisherPValue, oddsInterval, type EventCounts } from "../statistics/fisher.js";
import { BLOCKS_MIN, OUTLYING_FACTOR } from "../statistics/limits.js";
import { median } from "../statistics/quantiles.js";
import { completeTrials } from "../steady-state/series.js";
import { allowedExtremeCount } from "./gate.js";
import { isWithinChance } from "./outlying-trials.js";

const BLOCK_PERMUTATIONS = 10_000;
const ROUNDING_TOLERANCE = 1e-9;

/** Treatments of one run, by a key that the same treatment has in all runs. */
export type TreatmentsByKey = ReadonlyMap<string, TreatmentResult>;

export interface StallFinding {
  readonly treatment: string;
  readonly operations: readonly string[];
  readonly baselineTrials: readonly number[];
  readonly trials: readonly number[];
  readonly ofBaselineTrials: number;
  readonly ofTrials: number;
  /** Interval of the odds of a stall divided by the baseline's odds; null with too few trials, and for an infinite end. */
  readonly oddsLow: number | null;
  readonly oddsHigh: number | null;
  /**
   * Chance of as clear a difference in any treatment of any run, scaled so that a claim needs 5 % or less; null with too
   * few trials.
   */
  readonly familyP: number | null;
  /** True if trials surely stalled more often than in the baseline. */
  readonly isRegression: boolean;
}

interface StallColumn {
  readonly run: number;
  readonly key: string;
  readonly finding: Pick<
    StallFinding,
    "treatment" | "operations" | "baselineTrials" | "trials" | "ofBaselineTrials" | "ofTrials"
  >;
}

type StalledOperations = ReadonlyMap<TrialResult, readonly string[]>;

/** Stalled operations of each trial: they did nothing, or less than half of the usual rate in these treatments. */
function stalledOperations(treatments: readonly TreatmentResult[]): Map<TrialResult, string[]> {
  const trials = treatments.flatMap(completeTrials);
  const stalledByTrial = new Map<TrialResult, string[]>(trials.map((trial) => [trial, []]));
  for (const operation of operationsIn(trials.map(({ operations }) => operations))) {
    const measuredTrials = trials.flatMap((trial) => {
      const result = trial.operations[operation];
      return result ? [{ trial, rate: result.eventsPerSecond, transactions: result.transactions }] : [];
    });
    const busyTrials = measuredTrials.filter(({ rate }) => rate > 0);
    const usualRate = median(busyTrials.map(({ rate }) => rate));
    const usualPerSecond = median(
      busyTrials.map(({ trial, transactions }) => transactions / trial.windowSeconds),
    );
    for (const { trial, rate, transactions } of measuredTrials)
      if (
        rate * OUTLYING_FACTOR < usualRate &&
        !isWithinChance(transactions, usualPerSecond * trial.windowSeconds)
      )
        stalledByTrial.get(trial)?.push(operation);
  }
  return stalledByTrial;
}

function columnsOf(runs: readonly TreatmentsByKey[], stalledByTrial: StalledOperations): StallColumn[] {
  const [baseline, ...others] = runs;
  const stalledNumbersOf = (trials: readonly TrialResult[]): number[] =>
    trials.flatMap((trial) => (stalledByTrial.get(trial)?.length ? [trial.number] : []));
  return others.flatMap((treatments, i) =>
    [...treatments].flatMap(([key, after]) => {
      const before = baseline?.get(key);
      if (!before) return [];
      const [trialsBefore, trialsAfter] = [completeTrials(before), completeTrials(after)];
      const finding = {
        treatment: before.id,
        operations: [
          ...new Set([...trialsBefore, ...trialsAfter].flatMap((trial) => stalledByTrial.get(trial) ?? [])),
        ],
        baselineTrials: stalledNumbersOf(trialsBefore),
        trials: stalledNumbersOf(trialsAfter),
        ofBaselineTrials: trialsBefore.length,
        ofTrials: trialsAfter.length,
      };
      return [{ run: i + 1, key, finding }];
    }),
  );
}

function countsOf({ finding }: StallColumn): EventCounts {
  const { baselineTrials, trials, ofBaselineTrials, ofTrials } = finding;
  const [before, after] = [baselineTrials.length, trials.length];
  return { before, ofBefore: ofBaselineTrials, after, ofAfter: ofTrials };
}

const isTestable = ({ finding }: StallColumn): boolean =>
  Math.min(finding.ofBaselineTrials, finding.ofTrials) >= BLOCKS_MIN;

/** One block of a run: whether each treatment, by its key, stalled in it. */
type BlockStalls = ReadonlyMap<string, boolean>;

function blocksOf(treatments: TreatmentsByKey, stalledByTrial: StalledOperations): BlockStalls[] {
  const blocks = new Map<number, Map<string, boolean>>();
  for (const [key, treatment] of treatments)
    for (const trial of completeTrials(treatment)) {
      const block = blocks.get(trial.block) ?? new Map<string, boolean>();
      blocks.set(trial.block, block.set(key, (stalledByTrial.get(trial)?.length ?? 0) > 0));
    }
  return [...blocks.values()];
}

/**
 * Deals all blocks to the runs at random, many times. Returns the least p-value of any column in each deal, in ascending
 * order.
 */
function leastPValuesByChance(
  columns: readonly StallColumn[],
  blocksByRun: readonly (readonly BlockStalls[])[],
  prng: Prng,
): Float64Array {
  const pValueByCounts = new Map<string, number>();
  const pValueOf = (counts: EventCounts): number => {
    const name = Object.values(counts).join();
    const p = pValueByCounts.get(name) ?? fisherPValue(counts);
    pValueByCounts.set(name, p);
    return p;
  };
  const allBlocks = blocksByRun.flat();
  const blockRuns = blocksByRun.flatMap((blocks, run) => blocks.map(() => run));
  return Float64Array.from({ length: BLOCK_PERMUTATIONS }, () => {
    const runs = blocksByRun.map((): BlockStalls[] => []);
    prng.shuffle(blockRuns).forEach((run, i) => runs[run]?.push(allBlocks[i] as BlockStalls));
    const stallCountIn = (run: number, key: string): [stalled: number, of: number] => {
      const trials = (runs[run] ?? []).flatMap((block) => block.get(key) ?? []);
      return [trials.filter(Boolean).length, trials.length];
    };
    return Math.min(
      ...columns.map(({ run, key }) => {
        const [[before, ofBefore], [after, ofAfter]] = [stallCountIn(0, key), stallCountIn(run, key)];
        return pValueOf({ before, ofBefore, after, ofAfter });
      }),
    );
  }).sort();
}

/** Stalls of all runs, judged under one error rate. */
export interface StallFamily {
  /** True if some distribution of the stalled trials over the runs could be claimed at `level`. */
  readonly canClaim: (level: number) => boolean;
  /**
   * Findings on treatments of this run that have a stalled trial on either side. The chance that any finding of any run is
   * false is at most `level`.
   */
  readonly findings: (run: number, level: number) => StallFinding[];
}

/** Judges the stalled trials of all runs together; the baseline is the first of `runs`. */
export function stallFamily(runs: readonly TreatmentsByKey[], prng: Prng): StallFamily {
  const keys = [...(runs[0]?.keys() ?? [])];
  const stalledByTrial = new Map(
    keys.flatMap((key) => [...stalledOperations(runs.flatMap((each) => each.get(key) ?? []))]),
  );
  const columns = columnsOf(runs, stalledByTrial).filter(({ finding }) => finding.operations.length > 0);
  const testableColumns = columns.filter(isTestable);
  const blocksByRun = runs.map((each) => blocksOf(each, stalledByTrial));
  const leastPValues =
    testableColumns.length > 0
      ? leastPValuesByChance(testableColumns, blocksByRun, prng)
      : new Float64Array();

  const findingOf = (column: StallColumn, level: number): StallFinding => {
    const { finding } = column;
    if (!isTestable(column))
      return { ...finding, oddsLow: null, oddsHigh: null, familyP: null, isRegression: false };
    const counts = countsOf(column);
    const pValue = fisherPValue(counts);
    // P-values are discrete: a claim needs a p-value below the first that chance shows too often.
    const claimablePValue =
      (leastPValues[allowedExtremeCount(leastPValues.length, level)] ?? 0) * (1 - ROUNDING_TOLERANCE);
    const [oddsLow, oddsHigh] = oddsInterval(counts, Math.min(level, claimablePValue));
    const asLowCount = leastPValues.filter((each) => each <= pValue * (1 + ROUNDING_TOLERANCE)).length;
    const familyP = Math.max(pValue, (1 + asLowCount) / (leastPValues.length + 1));
    const finiteOddsHigh = Number.isFinite(oddsHigh) ? oddsHigh : null;
    return { ...finding, oddsLow, oddsHigh: finiteOddsHigh, familyP, isRegression: oddsLow > 1 };
  };
  return {
    canClaim: (level) => testableColumns.some((column) => leastFisherPValue(countsOf(column)) <= level),
    findings: (run, level) =>
      columns.filter((column) => column.run === run).map((column) => findingOf(column, level)),
  };
}
