// Judges thresholds on ratios: of each pair of treatments the median over blocks of how many times the one's value is the
// other's, with the interval that comparisons have. `surely` holds the whole interval against the bound, so with too few
// blocks for an interval it is not met.
import { counted } from "../../foundation/units.js";
import { intervalText } from "../../foundation/text/numbers.js";
import type { ThresholdResult, TreatmentResult } from "../../results/result-schema.js";
import type { Quantity, RatioThreshold } from "../../scenario/judgement.js";
import { metricIdOf } from "../../scenario/threshold-metrics.js";
import { pairedRatio } from "../comparison/findings.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import { invalidTrials, objectionTo } from "../diagnosis/validity.js";
import { logarithms, placeSeries, ratioSeries } from "../steady-state/series.js";
import { quantityRestsOn, standInFor, type TrialValues } from "./quantities.js";
import { holds } from "./thresholds.js";

/** What was measured: values of single trials, and the treatments whose trials those are. */
export interface MeasuredTrials {
  readonly values: TrialValues;
  readonly treatments: readonly TreatmentResult[];
  readonly seed: number;
  /** At which intervals are given. */
  readonly level: number;
}

interface Side {
  readonly quantity: Quantity;
  readonly treatment: string;
}

export type Ratio = NonNullable<ReturnType<typeof pairedRatio>>;

/** How many times one side is the other, block by block; why not, where no block has both or both are 0 in all of them. */
export function ratioOf(
  over: Side,
  under: Side,
  { values, treatments, seed, level }: MeasuredTrials,
): Ratio | string {
  const sides = [over, under].map(({ quantity, treatment }) => values.of(quantity, treatment));
  if (sides.every((side) => side.size > 0 && [...side.values()].every((value) => value === 0)))
    return "0 on both sides in every trial";
  const among = treatments.filter(({ id }) => id === over.treatment || id === under.treatment);
  const [above, below] = [over, under].map(({ quantity, treatment }) =>
    logarithms(values.of(quantity, treatment), standInFor(quantity, among)),
  );
  const operation = [...new Set([over.quantity.source, under.quantity.source])].join("/");
  // Named as the comparison of the same two, whose interval it then has.
  const key = ["comparison", under.treatment, over.treatment, operation, metricIdOf(over.quantity)].join(
    "\n",
  );
  const [first, second] = [over, under].map(({ treatment }) => among.find(({ id }) => id === treatment));
  const places = first && second && ratioSeries(placeSeries(first), placeSeries(second));
  const question = above && below && { key, values: above, reference: below, ...(places && { places }) };
  const ratio = question && pairedRatio(question, seed, level);
  return ratio ?? "no block has a value on both sides";
}

/** Why a ratio is not assessed; undefined if all that both sides rest on is valid. */
export function objectionToRatio(
  over: Side,
  under: Side,
  { treatments }: MeasuredTrials,
): string | undefined {
  const trials = treatments
    .filter(({ id }) => id === over.treatment || id === under.treatment)
    .flatMap((treatment) => treatment.trials);
  const aspects = [over, under].flatMap(({ quantity }) => quantityRestsOn(quantity));
  return objectionTo([...new Set(aspects)], invalidTrials(trials));
}

function judged(
  threshold: RatioThreshold,
  ratio: Ratio | string,
  objection: string | undefined,
): Omit<ThresholdResult, "metric" | "expression" | "treatment"> {
  if (typeof ratio === "string") return { seen: null, ok: null, reason: ratio };
  const { ratio: seen, blocks, ciLow, ciHigh } = ratio;
  const about = { seen, blocks, ciLow, ciHigh };
  if (objection !== undefined) return { ...about, ok: null, reason: objection };
  if (!holds(threshold, seen) || !threshold.isSure) return { ...about, ok: holds(threshold, seen) };
  if (ciLow === null || ciHigh === null)
    return { ...about, ok: null, reason: `${counted(blocks, "block")}, surely needs ${BLOCKS_MIN}` };
  const end = threshold.operator.startsWith(">") ? ciLow : ciHigh;
  if (holds(threshold, end)) return { ...about, ok: true };
  const reason = `95 % interval ${intervalText(ciLow, ciHigh)} is not beyond the bound`;
  return { ...about, ok: false, reason };
}

/** Each threshold on each pair of treatments, in the order written; `measured` is undefined of a search for capacity. */
export function evaluateRatios(
  thresholds: readonly RatioThreshold[],
  measured: MeasuredTrials | undefined,
): ThresholdResult[] {
  return thresholds.flatMap((threshold) =>
    threshold.pairs.map(({ treatment, against }) => {
      const { metric, expression, over, under } = threshold;
      const sides = [
        { quantity: over, treatment },
        { quantity: under, treatment: against },
      ] as const;
      const ratio = measured ? ratioOf(...sides, measured) : "the trials of a search share no blocks";
      const objection = measured && objectionToRatio(...sides, measured);
      return { metric, expression, treatment, against, ...judged(threshold, ratio, objection) };
    }),
  );
}
