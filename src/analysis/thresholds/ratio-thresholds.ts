// The median over blocks of one treatment's value over the other's; `surely` requires the whole interval to meet the bound.
import { counted } from "../../foundation/units.js";
import { intervalText, ZERO_IN_RATIOS_NOTE, ratioNumber } from "../../foundation/text/numbers.js";
import type { ThresholdResult, TreatmentResult } from "../../results/result-schema.js";
import type { Quantity, RatioThreshold } from "../../scenario/judgement.js";
import { metricIdOf } from "../../scenario/threshold-metrics.js";
import { pairedRatio } from "../comparison/findings.js";
import { levelAtLastLook } from "../statistics/group-sequential.js";
import { BLOCKS_MIN, SIGNIFICANCE_LEVEL } from "../statistics/limits.js";
import { rareCountText, rateRatioInterval, type RareCount } from "../statistics/rare-counts.js";
import { invalidTrials, objectionTo } from "../diagnosis/validity.js";
import { completeTrials, logarithms, placeSeries, ratioSeries } from "../steady-state/series.js";
import {
  requiredAspectsOf,
  rareCountOf,
  zeroReplacementFor,
  type CountedShare,
  type TrialValues,
} from "./quantities.js";
import { meetsBound } from "./thresholds.js";

/** Measured values of single trials, and the treatments of these trials. */
export interface MeasuredTrials {
  readonly values: TrialValues;
  readonly treatments: readonly TreatmentResult[];
  readonly seed: number;
  /** Share of all cases in which intervals may miss. */
  readonly level: number;
}

interface RatioSide {
  readonly quantity: Quantity;
  readonly treatment: string;
}

export type Ratio = NonNullable<ReturnType<typeof pairedRatio>>;

/**
 * Ratio of one side to the other, block by block. Returns the reason if there is none: no block has both sides, or both are
 * 0 in all of them.
 */
export function ratioOf(
  over: RatioSide,
  under: RatioSide,
  { values, treatments, seed, level }: MeasuredTrials,
): Ratio | string {
  const sides = [over, under].map(({ quantity, treatment }) => values.of(quantity, treatment));
  if (sides.every((side) => side.size > 0 && [...side.values()].every((value) => value === 0)))
    return "0 on both sides in every trial";
  const comparedTreatments = treatments.filter(({ id }) => id === over.treatment || id === under.treatment);
  const [overSeries, underSeries] = [over, under].map(({ quantity, treatment }) =>
    logarithms(values.of(quantity, treatment), zeroReplacementFor(quantity, comparedTreatments)),
  );
  const operation = [...new Set([over.quantity.source, under.quantity.source])].join("/");
  // The key of the comparison of these two treatments, so that ratio and comparison have the same interval.
  const key = ["comparison", under.treatment, over.treatment, operation, metricIdOf(over.quantity)].join(
    "\n",
  );
  const [first, second] = [over, under].map(({ treatment }) =>
    comparedTreatments.find(({ id }) => id === treatment),
  );
  const places = first && second && ratioSeries(placeSeries(first), placeSeries(second));
  const question = overSeries &&
    underSeries && { key, values: overSeries, reference: underSeries, ...(places && { places }) };
  const ratio = question && pairedRatio(question, seed, level);
  return ratio ?? "no block has a value on both sides";
}

/** Reason why a ratio is not assessed; undefined if all aspects that both sides rest on are valid. */
export function objectionToRatio(
  over: RatioSide,
  under: RatioSide,
  { treatments }: MeasuredTrials,
): string | undefined {
  const trials = treatments
    .filter(({ id }) => id === over.treatment || id === under.treatment)
    .flatMap((treatment) => treatment.trials);
  const aspects = [over, under].flatMap(({ quantity }) => requiredAspectsOf(quantity));
  return objectionTo([...new Set(aspects)], invalidTrials(trials));
}

type Judgement = Omit<ThresholdResult, "metric" | "expression" | "treatment">;

/**
 * A rare count, summed up over the trials of one side. `rate` has the denominator of the quantity: the number of trials for
 * a count.
 */
interface RareSide {
  readonly words: string;
  readonly rate: RareCount;
}

function hasZero({ quantity, treatment }: RatioSide, { values }: MeasuredTrials): boolean {
  return [...values.of(quantity, treatment).values()].includes(0);
}

function rareSide({ quantity, treatment }: RatioSide, { treatments }: MeasuredTrials): RareSide | undefined {
  const sideTrials = treatments.filter(({ id }) => id === treatment).flatMap(completeTrials);
  const counts = sideTrials.flatMap(
    ({ operations, integrity }) =>
      rareCountOf(quantity, { operations, audits: integrity ? [integrity] : [] }) ?? [],
  );
  if (counts.length === 0) return undefined;
  const count = counts.reduce((sum, each) => sum + each.count, 0);
  const all = counts.reduce((sum, each) => sum + each.all, 0);
  const isShareQuantity = quantity.aggregate === "failedShare";
  const [{ unit }] = counts as [CountedShare, ...CountedShare[]];
  return {
    words: `${treatment} ${rareCountText({ count, all, unit })}`,
    rate: { count, all: isShareQuantity ? all : counts.length },
  };
}

/** Judges a ratio of rare counts by their rates; undefined if no trial has 0, and for other quantities. */
function judgeByRates(
  threshold: RatioThreshold,
  sides: readonly [RatioSide, RatioSide],
  measured: MeasuredTrials,
): Judgement | undefined {
  if (!sides.some((side) => hasZero(side, measured))) return undefined;
  const [over, under] = sides.map((side) => rareSide(side, measured));
  if (!over || !under) return undefined;
  const counts = `${over.words}; ${under.words}`;
  const interval = rateRatioInterval(over.rate, under.rate);
  if (!interval) return { seen: null, ok: null, reason: `0 on both sides in every trial: ${counts}` };
  const { low, high } = interval;
  const seen =
    under.rate.count === 0 ? null : (over.rate.count * under.rate.all) / under.rate.count / over.rate.all;
  const isBoundInInterval = low <= threshold.bound && threshold.bound <= high;
  const intervalEndsText = `[${low === 0 ? "0" : ratioNumber(low)}, ${Number.isFinite(high) ? ratioNumber(high) : "no end"}]`;
  return {
    seen,
    ciLow: low,
    ciHigh: Number.isFinite(high) ? high : null,
    ok: isBoundInInterval ? null : meetsBound(threshold, low),
    reason: `ratio 95 % CI ${intervalEndsText}${isBoundInInterval ? " includes the bound" : ""}: ${counts}`,
  };
}

function assessRatio(
  threshold: RatioThreshold,
  ratio: Ratio | string,
  objection: string | undefined,
): Judgement {
  if (typeof ratio === "string") return { seen: null, ok: null, reason: ratio };
  const { ratio: seen, blocks, ciLow, ciHigh } = ratio;
  const about = { seen, blocks, ciLow, ciHigh };
  if (objection !== undefined) return { ...about, ok: null, reason: objection };
  if (!meetsBound(threshold, seen) || !threshold.isSure) return { ...about, ok: meetsBound(threshold, seen) };
  if (ciLow === null || ciHigh === null)
    return { ...about, ok: null, reason: `${counted(blocks, "block")}, surely needs ${BLOCKS_MIN}` };
  const end = threshold.operator.startsWith(">") ? ciLow : ciHigh;
  if (meetsBound(threshold, end)) return { ...about, ok: true };
  const reason = `95 % interval ${intervalText(ciLow, ciHigh)} is not beyond the bound`;
  return { ...about, ok: false, reason };
}

/**
 * Judges each threshold on each pair of treatments, in the order written; `measured` is undefined in a search for capacity.
 */
export function evaluateRatios(
  thresholds: readonly RatioThreshold[],
  measured: MeasuredTrials | undefined,
): ThresholdResult[] {
  return thresholds.flatMap((threshold) =>
    threshold.pairs.map((pair) => judgePair(threshold, pair, measured)),
  );
}

function judgePair(
  threshold: RatioThreshold,
  { treatment, against }: RatioThreshold["pairs"][number],
  measured: MeasuredTrials | undefined,
): ThresholdResult {
  const { metric, expression, over, under } = threshold;
  const sides = [
    { quantity: over, treatment },
    { quantity: under, treatment: against },
  ] as const;
  const ratio = measured ? ratioOf(...sides, measured) : "the trials of a search share no blocks";
  const objection = measured && objectionToRatio(...sides, measured);
  const rareJudgement = measured && objection === undefined && judgeByRates(threshold, sides, measured);
  const judgement = rareJudgement || assessRatio(threshold, ratio, objection);
  const isZeroReplaced = measured && sides.some((side) => hasZero(side, measured)) && judgement.seen !== null;
  const zeroNote = isZeroReplaced ? ZERO_IN_RATIOS_NOTE : undefined;
  const reason = judgement.reason ?? zeroNote;
  const about = { metric, expression, treatment, against, ...judgement };
  return reason === undefined ? about : { ...about, reason };
}

/** True if the ratio fails, and its whole interval lies on the failing side of the bound. */
function failsSurely(threshold: RatioThreshold, { ok, ciLow, ciHigh }: ThresholdResult): boolean {
  if (ok !== false || typeof ciLow !== "number" || typeof ciHigh !== "number") return false;
  const isBoundInside = ciLow < threshold.bound && threshold.bound < ciHigh;
  return !isBoundInside && !meetsBound(threshold, ciLow) && !meetsBound(threshold, ciHigh);
}

/**
 * Result of the first ratio with `abortOnFail` that surely fails on the blocks so far; undefined if none does. Each block
 * from the fifth to the last, `blocksMax`, is a look, and the interval has the level that these looks leave.
 */
export function decidedFailure(
  thresholds: readonly RatioThreshold[],
  measured: MeasuredTrials,
  blocksMax: number,
): ThresholdResult | undefined {
  for (const threshold of thresholds.filter(({ abortOnFail }) => abortOnFail)) {
    for (const pair of threshold.pairs) {
      const { blocks = 0, ...plain } = judgePair(threshold, pair, { ...measured, level: SIGNIFICANCE_LEVEL });
      // The interval for a single look is narrower. If the ratio does not fail by it, no level needs to be computed.
      if (blocks < BLOCKS_MIN || blocks > blocksMax || !failsSurely(threshold, plain)) continue;
      const looks = Array.from({ length: blocks - BLOCKS_MIN + 1 }, (_, i) => BLOCKS_MIN + i);
      const level = levelAtLastLook(looks, blocksMax);
      const judged = judgePair(threshold, pair, { ...measured, level });
      if (failsSurely(threshold, judged)) return judged;
    }
  }
  return undefined;
}
