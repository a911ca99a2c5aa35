// Short names for treatments, the same everywhere, so that a reader finds a treatment of the summary in the report again.
// A browser uses it too.
import { varyingFactors, type Factor } from "../../analysis/comparison/factors.js";
import { shorten } from "../../foundation/text/text-table.js";
import type { TreatmentResult } from "../../results/result-schema.js";

const LABEL_WIDTH_MAX = 24;
/** Smallest number of words that are kept of a level that is cut. */
const LEVEL_WORDS_MIN = 2;

type LabelledTreatment = Pick<TreatmentResult, "id" | "levels">;

function needsFactorName(level: string): boolean {
  return /^(\d|true$|false$)/.test(level);
}

/** Cuts each level to the fewest words that distinguish it from the others, by level. */
function shortestLevelNames(levels: readonly string[]): Map<string, string> {
  const cut = (level: string, words: number): string => level.split("-").slice(0, words).join("-");
  return new Map(
    levels.map((level) => {
      let words = LEVEL_WORDS_MIN;
      while (levels.some((other) => other !== level && cut(other, words) === cut(level, words))) words++;
      return [level, cut(level, words)];
    }),
  );
}

/**
 * Names made of the levels that differ between treatments, such as `direct 512`. The factor stands before a number if it is
 * the only factor, or if another factor has numbers too.
 */
function levelNames(treatments: readonly LabelledTreatment[], isBrief: boolean): string[] {
  const factors = varyingFactors(treatments);
  const bareFactors = factors.filter(({ levels }) => levels.every(needsFactorName));
  const nameOf = ({ name }: Factor): string => name.split(".").at(-1) ?? name;
  const parts = factors.map((factor) => {
    const words = isBrief ? shortestLevelNames(factor.levels) : undefined;
    const isFactorNamed = bareFactors.includes(factor) && (bareFactors.length > 1 || factors.length === 1);
    return ({ levels }: LabelledTreatment): string => {
      const level = levels[factor.name] ?? "";
      return `${isFactorNamed ? `${nameOf(factor)} ` : ""}${words?.get(level) ?? level}`;
    };
  });
  return treatments.map((treatment) => parts.map((part) => part(treatment)).join(" "));
}

function widestLabelWidth(labels: readonly string[]): number {
  return Math.max(0, ...labels.map(({ length }) => length));
}

function areDistinct(labels: readonly string[]): boolean {
  return new Set(labels).size === labels.length && !labels.includes("");
}

/**
 * Labels for the treatments, all distinct: their ids, or their differing levels if these are shorter. Labels wider than
 * `widthMax` characters are cut and numbered.
 */
export function labelsOf(treatments: readonly LabelledTreatment[], widthMax = LABEL_WIDTH_MAX): string[] {
  const ids = treatments.map(({ id }) => id);
  const [full, brief] = [false, true].map((isBrief) => {
    const names = levelNames(treatments, isBrief);
    return areDistinct(names) && widestLabelWidth(names) < widestLabelWidth(ids) ? names : ids;
  }) as [string[], string[]];
  const fitting = [full, brief].find((labels) => widestLabelWidth(labels) <= widthMax);
  if (fitting) return fitting;
  return brief.map((label, i) => {
    const number = `#${i + 1} `;
    return number + shorten(label, widthMax - number.length);
  });
}
