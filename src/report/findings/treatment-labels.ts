// Short names for treatments, the same everywhere, so that a reader finds a treatment of the summary in the report again.
// A browser uses it too.
import { varyingFactors, type Factor } from "../../analysis/comparison/factors.js";
import { shorten } from "../../foundation/text/text-table.js";
import type { TreatmentResult } from "../../results/result-schema.js";

const LABEL_WIDTH_MAX = 24;
/** Words of a level at least, where not all of it fits. */
const WORDS_LEAST = 2;

type LabelledTreatment = Pick<TreatmentResult, "id" | "levels">;

function needsKey(level: string): boolean {
  return /^(\d|true$|false$)/.test(level);
}

/** Cuts each level to the words that distinguish it. */
function fewestWords(levels: readonly string[]): Map<string, string> {
  const cut = (level: string, words: number): string => level.split("-").slice(0, words).join("-");
  return new Map(
    levels.map((level) => {
      let words = WORDS_LEAST;
      while (levels.some((other) => other !== level && cut(other, words) === cut(level, words))) words++;
      return [level, cut(level, words)];
    }),
  );
}

/** `direct 512`: the levels that differ between treatments. A number is named where another factor has numbers too, or alone. */
function levelNames(treatments: readonly LabelledTreatment[], isBrief: boolean): string[] {
  const factors = varyingFactors(treatments);
  const bare = factors.filter(({ levels }) => levels.every(needsKey));
  const nameOf = ({ name }: Factor): string => name.split(".").at(-1) ?? name;
  const parts = factors.map((factor) => {
    const words = isBrief ? fewestWords(factor.levels) : undefined;
    const isNamed = bare.includes(factor) && (bare.length > 1 || factors.length === 1);
    return ({ levels }: LabelledTreatment): string => {
      const level = levels[factor.name] ?? "";
      return `${isNamed ? `${nameOf(factor)} ` : ""}${words?.get(level) ?? level}`;
    };
  });
  return treatments.map((treatment) => parts.map((part) => part(treatment)).join(" "));
}

function widest(labels: readonly string[]): number {
  return Math.max(0, ...labels.map(({ length }) => length));
}

function areDistinct(labels: readonly string[]): boolean {
  return new Set(labels).size === labels.length && !labels.includes("");
}

/**
 * One for each treatment, all distinct: the ids, or what is not the same in all of them where that is shorter; numbered and
 * shortened where even that is wider than `widthMax`, which is what a place has room for.
 */
export function labelsOf(treatments: readonly LabelledTreatment[], widthMax = LABEL_WIDTH_MAX): string[] {
  const ids = treatments.map(({ id }) => id);
  const [full, brief] = [false, true].map((isBrief) => {
    const names = levelNames(treatments, isBrief);
    return areDistinct(names) && widest(names) < widest(ids) ? names : ids;
  }) as [string[], string[]];
  const fitting = [full, brief].find((labels) => widest(labels) <= widthMax);
  if (fitting) return fitting;
  return brief.map((label, i) => {
    const number = `#${i + 1} `;
    return number + shorten(label, widthMax - number.length);
  });
}
