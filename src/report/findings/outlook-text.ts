// The trials that open comparisons need, in sentences. A browser uses it too.
import { counted } from "../../foundation/units.js";
import { intervalText, rangeText, ratioText } from "../../foundation/text/numbers.js";
import { isHeadline, labelOf } from "../../metrics/metric-lists.js";
import { comparisonName } from "../../metrics/names.js";
import type { Comparison } from "../../results/result-schema.js";
import { headlineComparisons } from "../../analysis/comparison/noise-floor.js";
import { outlookOf, type OutlookInputs } from "../../analysis/comparison/outlook.js";
import { BLOCKS_MIN } from "../../analysis/statistics/limits.js";
import { TRIALS_MOST } from "../../analysis/statistics/trials-to-decide.js";

const SHOWN_MAX = 4;

/** Text on the number of trials that would decide an open comparison; empty if it cannot be estimated. */
export function outlookText(result: OutlookInputs, comparison: Comparison): string {
  const { verdict, metric } = comparison;
  const outlook = outlookOf(result, comparison);
  if (outlook?.trialsToDecide !== undefined)
    return `about ${outlook.trialsToDecide} trials of each would decide`;
  if (verdict !== "exploratory") return "";
  return isHeadline(metric)
    ? `${TRIALS_MOST} trials of each would not decide`
    : `${labelOf(metric)} is exploratory at most`;
}

export interface OutlookSentence {
  readonly text: string;
  /** Sentences on the comparisons that the fewest trials would decide. */
  readonly because: readonly string[];
}

/**
 * Text such as `9 would decide 1 of 4 comparisons, 14 would decide 2 of 4 comparisons`: the least and the median number of
 * trials needed.
 */
function stepsText(decidable: readonly { readonly needed: number }[], of: string): string {
  const middle = decidable[Math.floor((decidable.length - 1) / 2)];
  const steps = [decidable[0], middle].flatMap((each) => each?.needed ?? []);
  return [...new Set(steps)]
    .map(
      (needed) =>
        `${needed} would decide ${decidable.filter((each) => each.needed <= needed).length} of ${of}`,
    )
    .join(", ");
}

/** Open comparisons with the trials that each needs, the one that needs the fewest first. */
function openOf(result: OutlookInputs, isAsked: (comparison: Comparison) => boolean) {
  return headlineComparisons(result.comparisons)
    .filter(isAsked)
    .flatMap((comparison) => {
      const outlook = outlookOf(result, comparison);
      return outlook
        ? [{ comparison, needed: outlook.trialsToDecide ?? Infinity, range: outlook.range }]
        : [];
    })
    .sort((a, b) => a.needed - b.needed);
}

/** Advice on too few trials; undefined if each headline comparison has `BLOCKS_MIN` blocks. */
export function fewTrialsOutlook(result: OutlookInputs): OutlookSentence | undefined {
  const few = openOf(result, ({ blocks }) => blocks < BLOCKS_MIN);
  if (few.length === 0) return undefined;
  const most = Math.max(...few.map(({ comparison }) => comparison.blocks));
  const trials = `${counted(most, "trial")} of each`;
  if (few.every(({ range }) => range === undefined))
    return {
      text: `${trials} ${most === 1 ? "shows" : "show"} no spread. Run at least ${BLOCKS_MIN} trials of each (--trials ${BLOCKS_MIN}).`,
      because: [],
    };
  const decidable = few.filter(({ needed }) => needed <= TRIALS_MOST);
  if (decidable.length === 0)
    return {
      text: `${trials} show ranges only. More than ${TRIALS_MOST} would not decide differences this small.`,
      because: [],
    };
  return {
    text: `${trials} show ranges, not intervals. If ratio and spread stay as seen, about ${stepsText(decidable, counted(few.length, "comparison"))}.`,
    because: decidable.slice(0, SHOWN_MAX).map(({ comparison, range, needed }) => {
      const [low, high] = range ?? [comparison.ratio, comparison.ratio];
      return `${comparisonName(comparison)}: ${rangeText(low, high)} times that of ${comparison.baseline}; about ${needed} trials of each would decide.`;
    }),
  };
}

/**
 * Number of trials that would turn exploratory headline comparisons into findings; undefined if there are no exploratory
 * ones.
 */
export function exploratoryOutlook(result: OutlookInputs): OutlookSentence | undefined {
  const exploratory = openOf(result, ({ verdict }) => verdict === "exploratory");
  if (exploratory.length === 0) return undefined;
  const decidable = exploratory.filter(({ needed }) => needed <= TRIALS_MOST);
  const of = counted(exploratory.length, "exploratory comparison");
  return {
    text:
      decidable.length === 0
        ? `If ratio and spread stay as seen, ${TRIALS_MOST} trials of each would decide none of ${of}.`
        : `If ratio and spread stay as seen, about ${stepsText(decidable, of)}.`,
    because: exploratory.slice(0, SHOWN_MAX).map(({ comparison }) => {
      const { ratio, ciLow, ciHigh, baseline } = comparison;
      const interval = `95 % CI ${intervalText(ciLow, ciHigh)}`;
      return `${comparisonName(comparison)}: ${ratioText(ratio)} that of ${baseline} (${interval}); ${outlookText(result, comparison)}.`;
    }),
  };
}
