import { counted } from "../../foundation/units.js";
import { intervalText, ratioText, shortNumber } from "../../foundation/text/numbers.js";
import type { Column } from "../../foundation/text/text-table.js";
import type { Agreement, PublishedResult, ResultDocument } from "../../results/result-schema.js";
import { labelsOf } from "./treatment-labels.js";

/** Longest name of a treatment in these tables, in which other columns follow it. */
const NAME_WIDTH_MAX = 60;

const column = (title: string, align: Column["align"]): Column => ({ title, align });
export const PUBLISHED_COLUMNS: readonly Column[] = [
  column("treatment", "left"),
  column("published", "right"),
  column("ours", "right"),
  column("ratio", "right"),
  column("our ratio", "right"),
  column("direction", "left"),
  column("size", "left"),
];

function textWithInterval(value: string, interval: string): string {
  return interval === "" ? value : `${value} ${interval}`;
}

function measuredRatioText({ ours }: PublishedResult): string {
  if (!ours) return "-";
  const { median, ciLow, ciHigh } = ours;
  const interval = intervalText(ciLow, ciHigh, shortNumber);
  return textWithInterval(shortNumber(median), interval);
}

function ratioCells({ ratio }: PublishedResult): string[] {
  if (!ratio) return ["-", "-", "-", "-"];
  const { published, publishedHigh, ours, direction, size } = ratio;
  const theirText =
    ratioText(published) + (publishedHigh === undefined ? "" : `..${ratioText(publishedHigh)}`);
  const ourText = ours ? textWithInterval(ratioText(ours.ratio), intervalText(ours.ciLow, ours.ciHigh)) : "-";
  return [theirText, ourText, direction, size];
}

/**
 * Tables of published figures, one for each source and metric, in the scenario's order. A ratio refers to the treatment
 * of the first row unless its own row names another.
 */
export function publishedTables({ published = [], treatments }: ResultDocument) {
  const labels = labelsOf(treatments, NAME_WIDTH_MAX);
  const names = new Map(treatments.map(({ id }, i) => [id, labels[i] ?? id]));
  const nameOf = (id: string): string => names.get(id) ?? id;
  const tables = new Map<string, string[][]>();
  const firstTreatments = new Map<string, string | undefined>();
  for (const each of published) {
    const title = `Published (${each.source}): ${each.metric}`;
    const rows = tables.get(title) ?? [];
    const { treatment, value, ratio } = each;
    if (rows.length === 0) firstTreatments.set(title, value === undefined ? undefined : treatment);
    const refersToFirst = !ratio || ratio.against === firstTreatments.get(title);
    const name = refersToFirst ? nameOf(treatment) : `${nameOf(treatment)} / ${nameOf(ratio.against)}`;
    rows.push([
      name,
      value === undefined ? "-" : shortNumber(value),
      measuredRatioText(each),
      ...ratioCells(each),
    ]);
    tables.set(title, rows);
  }
  return [...tables].map(([title, rows]) => ({ title, rows }));
}

const AGREEMENT_WORDS: readonly (readonly [Agreement, string])[] = [
  ["agrees", "agrees"],
  ["differs", "differs"],
  ["inconclusive", "is inconclusive"],
];

/** Numbers of agreements, such as `agrees in 2, differs in 1`. */
function tally(agreements: readonly Agreement[]): string {
  const counts = AGREEMENT_WORDS.map(([each, word]) => ({
    word,
    count: agreements.filter((one) => one === each).length,
  }));
  return counts.flatMap(({ word, count }) => (count > 0 ? [`${word} in ${count}`] : [])).join(", ");
}

/** Sentence on each source that has ratios. */
export function publishedSentences({ published = [] }: ResultDocument): string[] {
  return [...new Set(published.map(({ source }) => source))].flatMap((source) => {
    const ratios = published.flatMap((each) => (each.source === source && each.ratio ? [each.ratio] : []));
    if (ratios.length === 0) return [];
    const direction = tally(ratios.map((each) => each.direction));
    const size = tally(ratios.map((each) => each.size));
    return [
      `Published (${source}), ${counted(ratios.length, "ratio")}: direction ${direction}; size ${size}.`,
    ];
  });
}
