// What fewer trials than statistics need show all the same: the range of each ratio over blocks, and how many trials would
// decide it if ratio and spread stay as seen. Pure: a browser uses it too.
import { counted } from "../../foundation/units.js";
import { ratioText } from "../../foundation/text/numbers.js";
import { isHeadline, labelOf } from "../../metrics/metric-lists.js";
import { operationName } from "../../metrics/names.js";
import type { Comparison, ResultDocument } from "../../results/result-schema.js";
import { BLOCKS_MIN } from "../statistics/limits.js";
import { trialsToDecide, TRIALS_MOST } from "../statistics/trials-to-decide.js";
import { logSeries, ratioSeries } from "../steady-state/series.js";
import { NO_FACTOR } from "./noise-floor.js";

const SHOWN_MAX = 4;

type Asked = Pick<ResultDocument, "treatments" | "comparisons">;

export interface FewTrials {
  /** Of the ratios of single blocks; undefined of one block. */
  readonly range: readonly [low: number, high: number] | undefined;
  /** Of each treatment; undefined where the spread is not known or more than 100 would not suffice. */
  readonly trialsToDecide: number | undefined;
}

function claimsOf({ comparisons }: Asked): Comparison[] {
  return comparisons.filter(({ factor, metric }) => factor !== NO_FACTOR && isHeadline(metric));
}

/** Undefined of a comparison with enough blocks, and if more of them would not help. */
export function fewTrialsOf(result: Asked, comparison: Comparison): FewTrials | undefined {
  if (comparison.blocks >= BLOCKS_MIN || comparison.objection !== undefined) return undefined;
  const { operation, metric } = comparison;
  const sides = [comparison.baseline, comparison.treatment].flatMap(
    (id) => result.treatments.find((treatment) => treatment.id === id) ?? [],
  );
  const [baseline, treatment] = sides;
  if (!baseline || !treatment) return undefined;
  const ratios = ratioSeries(
    logSeries(treatment, operation, metric, sides),
    logSeries(baseline, operation, metric, sides),
  );
  const values = [...ratios.values()];
  return {
    range: values.length > 1 ? [Math.exp(Math.min(...values)), Math.exp(Math.max(...values))] : undefined,
    trialsToDecide: trialsToDecide(values, claimsOf(result).length),
  };
}

export interface Outlook {
  readonly text: string;
  /** The comparisons that the fewest trials would decide. */
  readonly because: readonly string[];
}

/** What to do about too few trials; undefined where no headline comparison lacks any. */
export function fewTrialsOutlook(result: Asked): Outlook | undefined {
  const few = claimsOf(result).flatMap((claim) => {
    const known = fewTrialsOf(result, claim);
    return known ? [{ claim, ...known }] : [];
  });
  if (few.length === 0) return undefined;
  const most = Math.max(...few.map(({ claim }) => claim.blocks));
  const trials = `${counted(most, "trial")} of each`;
  if (few.every(({ range }) => range === undefined))
    return {
      text: `${trials} ${most === 1 ? "shows" : "show"} no spread. Run at least ${BLOCKS_MIN} trials of each (--trials ${BLOCKS_MIN}).`,
      because: [],
    };
  const decidable = few
    .flatMap((each) => (each.trialsToDecide === undefined ? [] : [{ ...each, needed: each.trialsToDecide }]))
    .sort((a, b) => a.needed - b.needed);
  const [nearest] = decidable;
  if (!nearest)
    return {
      text: `${trials} show ranges only. More than ${TRIALS_MOST} would not decide differences this small.`,
      because: [],
    };
  const share = (needed: number): number => decidable.filter((each) => each.needed <= needed).length;
  const half = decidable[Math.floor((decidable.length - 1) / 2)]?.needed ?? nearest.needed;
  const steps = [...new Set([nearest.needed, half])].map(
    (needed) => `${needed} would decide ${share(needed)} of ${counted(few.length, "comparison")}`,
  );
  return {
    text: `${trials} show ranges, not intervals. If ratio and spread stay as seen, about ${steps.join(", ")}.`,
    because: decidable.slice(0, SHOWN_MAX).map(({ claim, range, needed }) => {
      const [low, high] = range ?? [claim.ratio, claim.ratio];
      const about = `${operationName(claim.operation)} ${labelOf(claim.metric)} of ${claim.treatment}`;
      return `${about}: ${ratioText(low)} to ${ratioText(high)} that of ${claim.baseline}; about ${needed} trials of each would decide.`;
    }),
  };
}
