// The trials that open comparisons need, in sentences. A browser uses it too.
import { counted } from "../../foundation/units.js";
import { intervalText, rangeText, ratioText } from "../../foundation/text/numbers.js";
import { isHeadline, labelOf } from "../../metrics/metric-lists.js";
import { comparisonName } from "../../metrics/names.js";
import type { Comparison } from "../../results/result-schema.js";
import { headlineComparisons } from "../../analysis/comparison/noise-floor.js";
import { outlookOf, type OutlookInputs } from "../../analysis/comparison/outlook.js";
import { BLOCKS_MIN } from "../../analysis/statistics/limits.js";
import { PLANNED_TRIALS_MAX } from "../../analysis/statistics/trials-to-decide.js";

const SHOWN_COMPARISONS_MAX = 4;

/** Text on the number of trials that would decide an open comparison; empty if it cannot be estimated. */
export function outlookText(result: OutlookInputs, comparison: Comparison): string {
  const { verdict, metric } = comparison;
  const outlook = outlookOf(result, comparison);
  if (outlook?.isSetByLoad) return "the load sets it";
  if (outlook?.trialsToDecide !== undefined)
    return `about ${outlook.trialsToDecide} trials of each would decide`;
  if (verdict !== "exploratory") return "";
  return isHeadline(metric)
    ? `${PLANNED_TRIALS_MAX} trials of each would not decide`
    : `${labelOf(metric)} is exploratory at most`;
}

export interface OutlookSentence {
  readonly text: string;
  /** Sentences on the comparisons that the fewest trials would decide. */
  readonly because: readonly string[];
}

/**
 * Text such as `9 trials of each would decide 1 of 4 comparisons, 14 would decide 2`: the least and the median number of
 * trials needed.
 */
function decisionStepsText(decidableComparisons: readonly { readonly needed: number }[], of: string): string {
  const middle = decidableComparisons[Math.floor((decidableComparisons.length - 1) / 2)];
  const steps = [...new Set([decidableComparisons[0], middle].flatMap((each) => each?.needed ?? []))];
  const [first, second] = steps.map(
    (needed) => [needed, decidableComparisons.filter((each) => each.needed <= needed).length] as const,
  );
  if (!first) return "";
  const more = second ? `, ${second[0]} would decide ${second[1]}` : "";
  return `${first[0]} trials of each would decide ${first[1]} of ${of}${more}`;
}

/** Open comparisons with the trials that each needs, the one that needs the fewest first. */
function openComparisons(result: OutlookInputs, isAsked: (comparison: Comparison) => boolean) {
  return headlineComparisons(result.comparisons)
    .filter(isAsked)
    .flatMap((comparison) => {
      const outlook = outlookOf(result, comparison);
      return outlook && !outlook.isSetByLoad
        ? [{ comparison, needed: outlook.trialsToDecide ?? Infinity, range: outlook.ratioRange }]
        : [];
    })
    .sort((a, b) => a.needed - b.needed);
}

/** Advice on too few trials; undefined if each headline comparison has `BLOCKS_MIN` blocks. */
export function fewTrialsOutlook(result: OutlookInputs): OutlookSentence | undefined {
  const few = openComparisons(result, ({ blocks }) => blocks < BLOCKS_MIN);
  if (few.length === 0) return undefined;
  const most = Math.max(...few.map(({ comparison }) => comparison.blocks));
  const trials = `${counted(most, "trial")} of each`;
  if (few.every(({ range }) => range === undefined))
    return {
      text: `${trials} ${most === 1 ? "shows" : "show"} no spread. Run at least ${BLOCKS_MIN} trials of each (--trials ${BLOCKS_MIN}).`,
      because: [],
    };
  const decidableComparisons = few.filter(({ needed }) => needed <= PLANNED_TRIALS_MAX);
  if (decidableComparisons.length === 0)
    return {
      text: `${trials} show ranges only. More than ${PLANNED_TRIALS_MAX} would not decide differences this small.`,
      because: [],
    };
  return {
    text: `${trials} show ranges, not intervals. If ratio and spread stay as seen, about ${decisionStepsText(decidableComparisons, counted(few.length, "comparison"))}.`,
    because: decidableComparisons.slice(0, SHOWN_COMPARISONS_MAX).map(({ comparison, range, needed }) => {
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
  const exploratory = openComparisons(result, ({ verdict }) => verdict === "exploratory");
  if (exploratory.length === 0) return undefined;
  const decidableComparisons = exploratory.filter(({ needed }) => needed <= PLANNED_TRIALS_MAX);
  const of = counted(exploratory.length, "exploratory comparison");
  return {
    text:
      decidableComparisons.length === 0
        ? `If ratio and spread stay as seen, ${PLANNED_TRIALS_MAX} trials of each would decide none of ${of}.`
        : `If ratio and spread stay as seen, about ${decisionStepsText(decidableComparisons, of)}.`,
    because: exploratory.slice(0, SHOWN_COMPARISONS_MAX).map(({ comparison }) => {
      const { ratio, ciLow, ciHigh, baseline } = comparison;
      const interval = `95 % CI ${intervalText(ciLow, ciHigh)}`;
      return `${comparisonName(comparison)}: ${ratioText(ratio)} that of ${baseline} (${interval}); ${outlookText(result, comparison)}.`;
    }),
  };
}
