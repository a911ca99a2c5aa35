import { intervalText, pValueText, ratioText, measuredText } from "../../foundation/text/numbers.js";
import { paragraph, columnsOf, renderTable } from "../../foundation/text/text-table.js";
import { counted, formatDuration } from "../../foundation/units.js";
import type { Holdout, Recommendation } from "../../engine/recommend/recommend.js";
import type { Configuration } from "../../engine/recommend/space.js";

function levelsText(levels: Configuration["levels"]): string {
  return Object.entries(levels)
    .map(([factor, level]) => `${factor} ${level}`)
    .join(", ");
}

/** Settings in which the proposal differs from the present configuration, such as `pool.size 8 -> 16`. */
function changesText(present: Configuration, proposal: Configuration): string {
  return Object.entries(proposal.levels)
    .filter(([factor, level]) => present.levels[factor] !== level)
    .map(([factor, level]) => `${factor} ${present.levels[factor] ?? "default"} -> ${level}`)
    .join(", ");
}

function interval(each: { readonly ciLow: number | null; readonly ciHigh: number | null }): string {
  const text = intervalText(each.ciLow, each.ciHigh);
  return text === "" ? "" : ` (95 % CI ${text})`;
}

function holdoutLines(holdout: Holdout, objective: string): string[] {
  const { load, trials, ratio, pValue, isBetter, conditions, timingsValid } = holdout;
  const at = load === undefined ? "" : ` at ${load}`;
  const p = pValue === null ? "" : `, p ${pValueText(pValue)}`;
  const verdict = isBetter ? "better" : "not surely better";
  const metric = objective.replace(/^\S+\s+/, "");
  return [
    `Fresh comparison${at}, ${counted(trials, "trial")} each: ${metric} is ${ratioText(ratio)} the present one${interval(holdout)}${p}: ${verdict}.`,
    ...conditions.map(
      ({ words, seen, ok }) =>
        `  ${ok ? "holds" : "FAILS"}: ${words}, seen ${seen === null ? "no sample" : measuredText(seen, words)}`,
    ),
    ...(timingsValid
      ? []
      : ["  Timings of these trials are not valid: repeat it on a machine that does nothing else."]),
  ];
}

function adviceLines({ advice, present, proposal, holdouts }: Recommendation): string[] {
  if (advice === "change" && proposal) return [`Change: ${changesText(present, proposal)}.`];
  const [main] = holdouts;
  const why = !proposal
    ? "no configuration that was tried is better and meets the conditions."
    : main?.isBetter
      ? "the best of the search misses a condition."
      : "the best of the search is not surely better.";
  return [
    `Keep what you have: ${why}`,
    ...(proposal ? [`Best of the search: ${changesText(present, proposal)}.`] : []),
  ];
}

function revertedChangeLines({ parts }: Recommendation): string[] {
  if (parts.length === 0) return [];
  const columns = columnsOf(["taken back"], ["ratio", "95 % CI"]);
  const rows = parts.map(({ factor, from, to, ratio, ciLow, ciHigh }) => [
    `${factor} ${to} -> ${from}`,
    ratioText(ratio),
    intervalText(ciLow, ciHigh) || "-",
  ]);
  return [
    "",
    "What mattered: the proposal with one change taken back, over the proposal.",
    ...renderTable(columns, rows),
  ];
}

function neighbourLines({ neighbours }: Recommendation): string[] {
  if (neighbours.length === 0) return [];
  const ratios = neighbours.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const [least = 1, most = 1] = [ratios[0], ratios.at(-1)];
  return [
    `${counted(neighbours.length, "neighbour")} of it in the search: ${ratioText(least)} to ${ratioText(most)} the present one.`,
  ];
}

export function renderRecommendation(document: Recommendation): string {
  const { objective, conditions, present, configurations, search, seconds, holdouts } = document;
  const under = conditions.length > 0 ? ` with ${conditions.join(", ")}` : "";
  const lines = [
    ...adviceLines(document),
    "",
    `Objective: ${objective}${under}`,
    `Present: ${levelsText(present.levels)}`,
    ...holdouts.flatMap((holdout) => holdoutLines(holdout, objective)),
    ...neighbourLines(document),
    ...revertedChangeLines(document),
    "",
    `Searched ${search.measured} of ${counted(configurations - 1, "other configuration")} in ${counted(search.rounds, "round")} with ` +
      `${counted(search.trials, "trial")}; ${formatDuration(seconds * 1000)} in all. Only the fresh comparison decides: at most 1 ` +
      "recommendation in 20 brings no real gain.",
  ];
  return `${lines.flatMap((line) => (line.includes("  ") && !line.startsWith("  ") ? [line] : paragraph(line))).join("\n")}\n`;
}
