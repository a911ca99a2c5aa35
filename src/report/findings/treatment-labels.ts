// Short names for treatments, the same everywhere, so that a reader finds a treatment of the summary in the report again.
// A browser uses it too.
import { varyingFactors, type Factor } from "../../analysis/comparison/factors.js";
import { shorten } from "../../foundation/text/text-table.js";
import type { TreatmentResult } from "../../results/result-schema.js";

const LABEL_WIDTH_MAX = 24;
/** Smallest number of words that are kept of a level that is cut. */
const LEVEL_WORDS_MIN = 2;

/** A URL in a level, up to the next one. Groups: scheme, and hosts with their ports. */
const URL_PATTERN = /(\w+):\/\/(?:[^/?@]*@)?([^/?#@]+).*?(?=-\w+:\/\/|$)/g;

/** Names of levels, in which a URL is its scheme, host and port alone if that distinguishes them. */
function namesOfLevels(levels: readonly string[]): Map<string, string> {
  const names = levels.map((level) => level.replace(URL_PATTERN, "$1 $2"));
  return new Map(levels.map((level, i) => [level, areDistinct(names) ? (names[i] ?? level) : level]));
}

type LabelledTreatment = Pick<TreatmentResult, "id" | "levels">;

function needsFactorName(level: string): boolean {
  return /^(\d|true$|false$)/.test(level);
}

/** Cuts each level to the fewest words that distinguish it from the others, by level. */
function shortestLevelNames(levels: readonly string[]): Map<string, string> {
  const cut = (name: string, words: number): string => name.split("-").slice(0, words).join("-");
  const names = namesOfLevels(levels);
  const cutDistinctly = (name: string): string => {
    let words = LEVEL_WORDS_MIN;
    while ([...names.values()].some((other) => other !== name && cut(other, words) === cut(name, words)))
      words++;
    return cut(name, words);
  };
  return new Map([...names].map(([level, name]) => [level, cutDistinctly(name)]));
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
    const words = isBrief ? shortestLevelNames(factor.levels) : namesOfLevels(factor.levels);
    const isFactorNamed = bareFactors.includes(factor) && (bareFactors.length > 1 || factors.length === 1);
    return ({ levels }: LabelledTreatment): string => {
      const level = levels[factor.name] ?? "";
      return `${isFactorNamed ? `${nameOf(factor)} ` : ""}${words.get(level) ?? level}`;
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
